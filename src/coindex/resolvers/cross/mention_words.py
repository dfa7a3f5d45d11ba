"""The words of a mention itself: head, string, letters, names, numbers. Found without a tagger.

The lemma is that of the column, else a stem; a name is what has a capital, and not only because a sentence begins.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...document.entities import DETECTION
from ..linguistics.languages import language_of
from ..linguistics.stems import lemma
from ..linguistics.word_classes import is_pronominal
from .collection import Flags, Floats, Ints
from .terms import Matrix, Texts, Vocabulary, count_matrix, number_words
from .wordnet import Meant, english_meanings, look_up_mentions

PREFIX = 12
"""Letters of a head that are compared from the beginning."""


class MentionWords:
    """Columns and sparse rows with a row for each mention, made when they are asked for."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.collection = texts.collection

    @cached_property
    def _heads(self) -> tuple[list[int], list[str]]:
        documents = self.collection.documents
        return number_words(lemma(documents[number], position) for number, position in self.texts.heads())

    @cached_property
    def head(self) -> Ints:
        """The lemma or stem of the head, as a number; also of one that says little."""
        return np.array(self._heads[0], dtype=np.int64)

    @property
    def distinct_heads(self) -> list[str]:
        """By the numbers of `head`."""
        return self._heads[1]

    @cached_property
    def head_terms(self) -> Matrix:
        """The head among the terms of the collection, nothing where it says little."""
        texts = self.texts
        return texts.rows([texts.said([texts.numbers[number][position]]) for number, position in texts.heads()])

    @cached_property
    def head_form(self) -> Ints:
        """The head as it is written, but in lower case."""
        documents = self.collection.documents
        forms = (documents[number].tokens.forms[position].lower() for number, position in self.texts.heads())
        return np.array(number_words(forms)[0], dtype=np.int64)

    @cached_property
    def string(self) -> Ints:
        """The terms of the mention one after another; its words where none of them says anything."""
        texts, terms = self.texts, self.texts.terms
        strings = (
            " ".join(terms[at] for at in texts.said(texts.numbers[number][at] for at in mention.positions))
            or " ".join(mention.text.lower().split())
            for number, mention in texts.mentions()
        )
        return np.array(number_words(strings)[0], dtype=np.int64)

    @cached_property
    def words(self) -> Matrix:
        """Which terms the mention has."""
        return self.texts.rows(self._bags)

    @cached_property
    def _bags(self) -> list[set[int]]:
        texts = self.texts
        return [
            set(texts.said(texts.numbers[number][at] for at in mention.positions))
            for number, mention in texts.mentions()
        ]

    @cached_property
    def rarest(self) -> Ints:
        """The rarest term of the mention, the first of several; -1 for none."""
        rarity = self.texts.rarity
        rarest = (min(bag, key=lambda term: (-rarity[term], term), default=-1) for bag in self._bags)
        return np.array(list(rarest), dtype=np.int64)

    @cached_property
    def digits(self) -> Matrix:
        """Which terms with a digit the mention has."""
        has_digit = [any(map(str.isdigit, term)) for term in self.texts.terms]
        return self.texts.rows([{term for term in bag if has_digit[term]} for bag in self._bags])

    @cached_property
    def is_pronoun(self) -> Flags:
        spoken = [language_of(doc) for doc in self.collection.documents]
        return np.array([is_pronominal(mention, spoken[n]) for n, mention in self.texts.mentions()], dtype=bool)

    @cached_property
    def is_name(self) -> Flags:
        flags = []
        for number, head in self.texts.heads():
            doc = self.collection.documents[number]
            form = doc.tokens.forms[head]
            begins = doc.sentence_at(head).start == head
            flags.append(form[:1].isupper() and not (begins and form.lower() in doc.tokens.vocabulary))
        return np.array(flags, dtype=bool)

    @cached_property
    def confidence(self) -> Floats:
        """How sure what found the mention is of it; 1 where nobody says."""
        said = (mention.attributes.get(DETECTION, "") for mention in self.collection.mentions)
        return np.array([_share(text) for text in said], dtype=np.float64)

    @cached_property
    def length(self) -> Ints:
        return np.array([len(mention) for mention in self.collection.mentions], dtype=np.int64)

    @cached_property
    def start(self) -> Ints:
        return np.array([mention.start for mention in self.collection.mentions], dtype=np.int64)

    @cached_property
    def end(self) -> Ints:
        return np.array([mention.end for mention in self.collection.mentions], dtype=np.int64)

    @cached_property
    def letters(self) -> Ints:
        """The first letters of each distinct head; 0 behind its end."""
        letters = np.zeros((len(self.distinct_heads), PREFIX), dtype=np.int64)
        for row, word in enumerate(self.distinct_heads):
            beginning = word[:PREFIX]
            letters[row, : len(beginning)] = [ord(letter) for letter in beginning]
        return letters

    @cached_property
    def trigrams(self) -> Matrix:
        """Which three letters in a row each distinct head has, its borders among them."""
        vocabulary = Vocabulary()
        bags = []
        for word in self.distinct_heads:
            padded = f"^{word}$"
            bags.append({vocabulary.number(padded[at : at + 3]) for at in range(max(1, len(padded) - 2))})
        return count_matrix(bags, len(vocabulary))

    @cached_property
    def meant(self) -> Meant:
        """What the head, or a phrase around it, can mean; nothing in documents of other languages than English."""
        spoken = [language_of(doc).code in ("", "en") for doc in self.collection.documents]
        words = []
        for (number, mention), head in zip(self.texts.mentions(), self.collection.head.tolist(), strict=True):
            positions = list(mention.positions)
            forms = self.collection.documents[number].tokens.forms
            said = [forms[at] for at in positions] if spoken[number] else []
            words.append((said, positions.index(head) if head in positions else 0))
        return look_up_mentions(english_meanings(), words)

    @cached_property
    def chain_words(self) -> Matrix:
        """Which terms the mentions of its chain have, that is those of its entity in its document."""
        chain = self.collection.chain
        groups: list[set[int]] = [set() for _ in range(int(chain.max(initial=-1)) + 1)]
        for bag, label in zip(self._bags, chain.tolist(), strict=True):
            groups[label] |= bag
        return self.texts.rows(groups)[chain]


def _share(text: str) -> float:
    """A number from 0 to 1, as it is written; 1 for anything else."""
    try:
        number = float(text)
    except ValueError:
        return 1.0
    return number if 0 <= number <= 1 else 1.0
