"""Features of the context of a mention: its sentence, nearby words and mentions, times and places.

Arguments of an event are taken to be the other mentions of its sentence, since there is no parser to tell more. A name
after a preposition of place is a place; dates and words of a list are times.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...text.dates import Date, find_dates
from ..linguistics.languages import language
from .collection import Floats, Ints
from .mention_words import MentionWords
from .terms import Matrix, count_matrix, inverse_frequency, weigh_terms, weigh_terms_within

WINDOW = 5
"""Words on each side of the head that count as near it."""
CROWD = 40
"""Mentions on each side of one in its sentence that count as its arguments."""
BEFORE_PLACES = frozenset(("in", "at", "near", "from", "to", "outside", "inside", "off"))
TIMES = language("en").times


class ContextFeatures:
    """Columns and sparse rows with a row for each mention, made when they are asked for."""

    def __init__(self, words: MentionWords) -> None:
        self.words = words
        self.texts = words.texts
        self.collection = words.collection

    @cached_property
    def _sentence(self) -> Matrix:
        texts = self.texts
        return texts.rows([texts.said(texts.numbers[number][start:end]) for number, start, end in texts.spans])

    @cached_property
    def sentence(self) -> Matrix:
        """The weighted terms of the sentence."""
        return weigh_terms(self._sentence, self.texts.rarity)

    @cached_property
    def sentence_within(self) -> Matrix:
        """The same with the weights that terms have in the topic."""
        return self.texts.within(self._sentence)

    @cached_property
    def window(self) -> Matrix:
        """The weighted terms near the head that are no part of the mention."""
        return weigh_terms(self._window, self.texts.rarity)

    @cached_property
    def window_within(self) -> Matrix:
        """The same with the weights that terms have in the topic."""
        return self.texts.within(self._window)

    @cached_property
    def _window(self) -> Matrix:
        texts = self.texts
        bags = []
        for (number, start, end), mention, head in zip(
            texts.spans, self.collection.mentions, self.collection.head.tolist(), strict=True
        ):
            around = range(max(start, head - WINDOW), min(end, head + WINDOW + 1))
            bags.append(texts.said(texts.numbers[number][at] for at in around if at not in mention.positions))
        return texts.rows(bags)

    @cached_property
    def names(self) -> Matrix:
        """The weighted words of the sentence that have a capital, but for its first."""
        return weigh_terms(self._names, self.texts.rarity)

    @cached_property
    def names_within(self) -> Matrix:
        """The same with the weights that terms have in the topic."""
        return self.texts.within(self._names)

    @cached_property
    def _names(self) -> Matrix:
        texts = self.texts
        bags = []
        for number, start, end in texts.spans:
            forms = self.collection.documents[number].tokens.forms
            capitals = (at for at in range(start + 1, end) if forms[at][:1].isupper())
            bags.append(texts.said(texts.numbers[number][at] for at in capitals))
        return texts.rows(bags)

    @cached_property
    def places(self) -> Matrix:
        """Which names the sentence has after a preposition of place."""
        texts = self.texts
        bags = []
        for number, start, end in texts.spans:
            forms = self.collection.documents[number].tokens.forms
            bag: set[int] = set()
            inside = False
            for at in range(start + 1, end):
                inside = forms[at][:1].isupper() and (inside or forms[at - 1].lower() in BEFORE_PLACES)
                if inside:
                    bag.add(texts.numbers[number][at])
            bags.append(texts.said(bag))
        return texts.rows(bags)

    @cached_property
    def times(self) -> Matrix:
        """Which words for times the sentence has: days, months, years."""
        texts = self.texts
        is_time = [term in TIMES or (len(term) == 4 and term.isdigit()) for term in texts.terms]
        return texts.rows([{at for at in texts.numbers[n][start:end] if is_time[at]} for n, start, end in texts.spans])

    @cached_property
    def dates(self) -> Ints:
        """[mentions, 3]: year, month and day of the first date of the sentence; -1 for what is not said."""
        known: dict[int, Date | None] = {}
        rows = []
        for (number, start, end), sentence in zip(self.texts.spans, self.collection.sentence.tolist(), strict=True):
            if sentence not in known:
                dates = find_dates(self.collection.documents[number].tokens.forms[start:end])
                known[sentence] = dates[0] if dates else None
            rows.append([-1 if part is None else part for part in known[sentence] or (None, None, None)])
        return np.array(rows, dtype=np.int64).reshape(-1, 3)

    @cached_property
    def depth(self) -> Floats:
        """How far down its document the sentence is: 0 for the first, 1 for the last."""
        depths = []
        for number, mention in self.texts.mentions():
            doc = self.collection.documents[number]
            depths.append(doc.sentence_index(mention.start) / max(1, len(doc.sentences) - 1))
        return np.array(depths, dtype=np.float64)

    @cached_property
    def arguments(self) -> Matrix:
        """The weighted heads of the other mentions of the sentence."""
        frequency = np.bincount(self.words.head, minlength=self._arguments.shape[1]).astype(np.int64)
        return weigh_terms(self._arguments, inverse_frequency(frequency, len(self.collection)))

    @cached_property
    def arguments_within(self) -> Matrix:
        """The same with the weights that heads have among the mentions of the topic."""
        topic = self.texts.topic
        heads = count_matrix([[head] for head in self.words.head.tolist()], self._arguments.shape[1])
        return weigh_terms_within(self._arguments, topic, heads, topic)

    @cached_property
    def _arguments(self) -> Matrix:
        heads = self.words.head.tolist()
        return count_matrix(
            [[heads[other] for other in others] for others in self._others], len(self.words.distinct_heads)
        )

    @cached_property
    def nearest(self) -> tuple[Ints, Ints]:
        """The heads of the nearest mentions of the other kind before and after it in its sentence; -1 for none."""
        before, after = np.full(len(self.collection), -1), np.full(len(self.collection), -1)
        kinds, positions = self.collection.kind.tolist(), self.collection.head.tolist()
        for row, others in enumerate(self._others):
            other_kind = [other for other in others if kinds[other] != kinds[row]]
            left = [other for other in other_kind if positions[other] < positions[row]]
            right = [other for other in other_kind if positions[other] > positions[row]]
            if left:
                before[row] = self.words.head[max(left, key=positions.__getitem__)]
            if right:
                after[row] = self.words.head[min(right, key=positions.__getitem__)]
        return before, after

    @cached_property
    def _others(self) -> list[list[int]]:
        """For each mention those of its sentence that share no word with it; of a crowd the nearest ones."""
        groups: dict[int, list[int]] = {}
        for row, sentence in enumerate(self.collection.sentence.tolist()):
            groups.setdefault(sentence, []).append(row)
        others: list[list[int]] = [[] for _ in self.collection.mentions]
        mentions = self.collection.mentions
        for rows in groups.values():
            for place, row in enumerate(rows):
                near = rows[max(0, place - CROWD) : place + CROWD + 1]
                own = set(mentions[row].positions)
                others[row] = [other for other in near if own.isdisjoint(mentions[other].positions)]
        return others
