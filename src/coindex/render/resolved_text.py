"""Rewrite a document's text with anaphors replaced by names, leaving protected spans as they are."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..document.documents import CONFIDENCE, Document, Keep, Persons
from ..document.entities import Entity, Mention, mention_order, runs
from ..document.naming import (
    Informativeness,
    head_of,
    is_pronoun,
    is_punctuation,
    multiword_at,
    rate_informativeness,
    word_span,
    words_span,
)
from ..document.tokens import Token
from ..errors import CoindexError
from ..text.spans import Span
from ..text.turns import find_quotations
from .replacements import SUBJECTS, Clauses, Form, Grammar, Name, Names, genitive, is_english


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


PLAIN = {"'re": "are", "'ve": "have", "'ll": "will"}
"""Contractions with one meaning."""
SHORT = ("'s", "'d", *PLAIN)
_LEMMAS = {"'s": {"be": "is", "have": "has"}, "'d": {"have": "had", "would": "would", "will": "would"}}
_SKIPPED = _words(
    "not n't n’t never always also already just only ever even still really probably certainly simply soon then now "
    "often since recently long all both almost quite hardly barely surely actually finally obviously clearly"
)
_PARTICIPLES = _words(
    """
    been had done gone got gotten become begun come seen taken given known made said told found left felt thought
    brought bought caught taught fought sought held kept heard met lost won paid sent spent built led read written
    spoken broken chosen driven eaten fallen forgotten frozen grown hidden drawn drunk flown forgiven ridden risen rung
    run sung sunk shown slept stolen stood struck sworn swum thrown torn understood woken worn meant dealt dreamt hung
    lain laid lit put set let cut hit hurt shut cost quit sat shot sold stuck wound bent bound bled bred crept dug fed
    fled ground knelt leant leapt lent proven sewn shaken shone shrunk slid spun split spread sprung stung swept swung
    wept agreed disagreed freed guaranteed withdrawn overcome undergone undertaken borne born beaten bitten blown clung
    """
)
_SAME_AS_INFINITIVE = _words("become come run put set let cut hit hurt shut cost quit read split spread overcome")
_ALWAYS_PERFECT = _words(
    """
    been had got gotten become begun come gone left won forgotten spoken fallen slept stood sat arrived lived worked
    happened appeared disappeared died stayed tried managed decided agreed failed refused learned learnt waited walked
    travelled traveled grown risen moved returned started stopped changed turned talked looked seemed remained existed
    occurred served played
    """
)
"""Participles that form no passive, or rarely: with them 's is "has"."""
_OBJECTS = _words(
    "a an the this that these those my your his her its our their me you him it us them some any no every each all "
    "one two three four five many much more several nothing something anything everything everyone"
)
"""Words that begin an object, so that the participle before them is active."""
_PREDICATES = _words("called named considered")
"""Participles that are passive before a name: "he's called Tom"."""


def expand(short: str, following: Sequence[Token], token: Token | None = None) -> str | None:
    """Return the full form of a contraction, None if it is unclear.

    `following` are the words after it in the sentence, `token` is the contraction itself, whose lemma decides if it
    has one.
    """
    short = short.lower().replace("’", "'")
    if short in PLAIN:
        return PLAIN[short]
    if token is not None and token.lemma in _LEMMAS[short]:
        return _LEMMAS[short][token.lemma]
    words = [word.form.lower() for word in following]
    while words and (words[0] in _SKIPPED or (words[0].endswith("ly") and len(words) > 1)):
        words = words[1:]
    word, after = (*words, "", "")[:2]
    return _is_or_has(word, after, following) if short == "'s" else _had_or_would(word)


def _is_or_has(word: str, after: str, following: Sequence[Token]) -> str:
    if word in _ALWAYS_PERFECT:
        return "has"
    if not _is_participle(word):
        return "is"
    names = [token.form for token in following if token.form.lower() == after]
    if word in _PREDICATES and names and names[0][:1].isupper():
        return "is"
    return "has" if after in _OBJECTS else "is"


def _had_or_would(word: str) -> str | None:
    if word in ("better", "best"):
        return "had"
    if word in _SAME_AS_INFINITIVE:
        return None
    return "had" if _is_participle(word) else "would"


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith("ed") and not word.endswith("eed"))


SEPARATOR = ";"
_RANGE = re.compile(r"([0-9]{1,15})-([0-9]{1,15})")


def parse_keep(text: str) -> list[Keep]:
    """Parse ranges and strings: "10-25;the girl" is a range and a string; a backslash escapes ; and digits."""
    kept: list[Keep] = []
    for piece in re.split(r"(?<!\\);", text):
        piece = piece.strip()
        if not piece:
            continue
        if match := _RANGE.fullmatch(piece):
            kept.append(_check_range((int(match[1]), int(match[2]))))
        else:
            kept.append(re.sub(r"\\(.)", r"\1", piece))
    return kept


def _check_range(span: Span) -> Span:
    if not 0 <= span[0] <= span[1]:
        raise CoindexError(
            f"keep {span[0]}-{span[1]}: invalid range; use START-END in characters, from 0, with an exclusive end",
            code="invalid-option",
        )
    return span


class Protection:
    """The protected spans of one text."""

    def __init__(self, text: str, keep: Iterable[Keep]) -> None:
        spans: list[Span] = []
        for kept in keep:
            if isinstance(kept, str):
                spans += _find_all(text, kept)
            else:
                spans.append(_check_range((int(kept[0]), int(kept[1]))))
        self._spans = _join_overlapping(spans)
        self._starts = [start for start, _ in self._spans]

    def touches(self, start: int, end: int) -> bool:
        """Return whether a span overlaps a protected span; an empty one overlaps if it is inside."""
        index = bisect_right(self._starts, end if start == end else end - 1) - 1
        if index < 0:
            return False
        first, last = self._spans[index]
        return first <= start <= last if start == end else last > start


def _find_all(text: str, wanted: str) -> list[Span]:
    if not wanted:
        return []
    return [(match.start(), match.end()) for match in re.finditer(re.escape(wanted), text)]


def _join_overlapping(spans: list[Span]) -> list[Span]:
    """Return the spans in order, with overlapping ones joined."""
    joined: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


@dataclass(frozen=True, slots=True)
class Replacement:
    """Characters `start` to `end` of the text, which became `start_new` to `end_new` of the resolved text."""

    start: int
    end: int
    start_new: int
    end_new: int
    old: str
    new: str
    entity: str
    mention: Mention
    confidence: float | None = None
    """The probability that the name and the mention corefer, None if the mentions have no scores."""

    def record(self) -> dict[str, Any]:
        """Return the replacement as a JSON object, with the tokens of the mention."""
        return {
            "start": self.start,
            "end": self.end,
            "start_new": self.start_new,
            "end_new": self.end_new,
            "old": self.old,
            "new": self.new,
            "entity": self.entity,
            "tokens": list(self.mention.positions),
            "confidence": None if self.confidence is None else round(self.confidence, 4),
        }


@dataclass(frozen=True, slots=True)
class ResolvedText:
    """A text with names in place of anaphors, and the replacements in order."""

    text: str
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class _Edit:
    span: Span
    new: str
    entity: str
    mention: Mention
    confidence: float | None = None


def resolved_text(
    doc: Document,
    *,
    keep: Iterable[Keep] = (),
    persons: Persons = "third",
    nominals: bool = True,
    zeros: bool = False,
    quotations: bool = False,
    confidence: float = CONFIDENCE,
) -> str:
    """Return the text of a document with pronouns and other anaphors replaced by names.

    Parameters:

    - `doc`: the document.
    - `keep`: ranges of characters `(start, end)` and exact strings that are not changed.
    - `persons`: "all" also replaces *I*, *you* and *we*.
    - `nominals`: whether to replace descriptions such as *the girl*.
    - `zeros`: whether to insert names for dropped subjects.
    - `quotations`: whether to change quotations and block quotes.
    - `confidence`: the least probability that all links between a name and the mention it replaces are right, from 0
      (replace all) to 1; without effect if the mentions have no scores.
    """
    return resolve_text(
        doc,
        keep=keep,
        persons=persons,
        nominals=nominals,
        zeros=zeros,
        quotations=quotations,
        confidence=confidence,
    ).text


def resolve_text(
    doc: Document,
    *,
    keep: Iterable[Keep] = (),
    persons: Persons = "third",
    nominals: bool = True,
    zeros: bool = False,
    quotations: bool = False,
    confidence: float = CONFIDENCE,
) -> ResolvedText:
    """Replace anaphors like `resolved_text`, and return the text with the replacements."""
    if not 0 <= confidence <= 1:
        raise CoindexError(
            f"confidence: {confidence} is not a probability; expected a number from 0 to 1", code="invalid-option"
        )
    quoted = [] if quotations else find_quotations(doc.text)
    protection = Protection(doc.text, [*keep, *_find_protected(doc), *quoted])
    english = is_english(doc)
    grammar = Grammar(doc, english, all_persons=persons == "all", nominals=nominals)
    editor = _Editor(doc, grammar, Names(doc, english=english, confidence=confidence), protection)
    edits = list(editor.edits())
    if zeros:
        edits += editor.insertions()
    return _apply_edits(doc, _select_edits(edits, protection))


def _find_protected(doc: Document) -> list[Span]:
    """Return the spans of code, web addresses and similar tokens, including the text between adjacent ones."""
    starts, ends = doc.tokens.start_char, doc.tokens.end_char
    return [(starts(first), ends(last - 1)) for first, last in runs(doc.tokens.protected)]


class _Editor:
    def __init__(self, doc: Document, grammar: Grammar, names: Names, protection: Protection) -> None:
        self.doc = doc
        self.grammar = grammar
        self.names = names
        self.protection = protection
        self.clauses = Clauses(doc)
        self._groups = {split.entity for split in doc.split_antecedents}
        self._phrases = {mention.start for mention, _ in doc.mentions() if len(mention) > 1}

    def edits(self) -> Iterator[_Edit]:
        """Yield possible replacements; their spans may be nested."""
        for entity in self.doc.entities:
            if not entity.is_singleton or entity.id in self._groups:
                yield from self._edits_of(entity)

    def _edits_of(self, entity: Entity) -> Iterator[_Edit]:
        """Yield the replacements of an entity; in each clause, only if its name is not there already."""
        free = {id(mention) for mention in _separate_mentions(self.doc, entity)}
        named = {
            key
            for mention in entity.mentions
            if rate_informativeness(mention) is Informativeness.NAME
            for key in self._clause_keys(mention)
        }
        for mention in sorted(entity.mentions, key=mention_order):
            if id(mention) not in free or not mention.is_contiguous or mention.is_zero:
                continue
            chosen = self.names.name(entity, mention)
            if chosen is not None and not self._is_safe(mention, chosen[1]):
                chosen = None
            form = None
            if chosen is not None and mention is not chosen[0].mention and not self._precedes(mention, chosen[0]):
                form = self.grammar.form(mention, chosen[0], opens_phrase=mention.start in self._phrases)
            if chosen is None or form is None:
                if rate_informativeness(mention) is Informativeness.NOUN:
                    named.update(self._clause_keys(mention))
                continue
            key = self._clause_keys(mention)[form == "genitive"]
            edit = None if key in named else self._edit(mention, chosen[0], form, entity, chosen[1])
            if edit is not None and not self.protection.touches(*edit.span):
                named.update(self._clause_keys(mention))
                yield edit

    def _is_safe(self, mention: Mention, confidence: float | None) -> bool:
        """Return whether a link is certain enough for a mention.

        Links of descriptions are wrong about twice as often as those of pronouns with the same score, so the square of
        their confidence counts.
        """
        if confidence is None or rate_informativeness(mention) is not Informativeness.NOUN:
            return True
        return confidence**2 >= self.names.least

    def _clause_keys(self, mention: Mention) -> tuple[tuple[bool, int], tuple[bool, int]]:
        """Return the clause of a mention as it matters for a subject or object, and for a possessive."""
        number, head = self.clauses.number, head_of(mention)
        return (False, number(head, possessive=False)), (True, number(head, possessive=True))

    @staticmethod
    def _precedes(mention: Mention, name: Name) -> bool:
        """Return whether a noun would precede its own introduction: "He sat down. A man came in"."""
        return not name.is_proper and name.mention is not None and mention.end <= name.mention.start

    def _holds_name(self, span: Span, name: Name) -> bool:
        if name.mention is None:
            return False
        head = self.doc.tokens[head_of(name.mention)].form.lower()
        return head in self.doc.text[span[0] : span[1]].lower().split()

    def _edit(self, mention: Mention, name: Name, form: Form, entity: Entity, confidence: float | None) -> _Edit | None:
        """Return the edit, None if the name does not fit.

        The name is capitalized like the text that it replaces, a contraction after it is expanded, and its full stop
        is dropped before another one.
        """
        span = words_span(self.doc.tokens, mention.start, mention.end)
        if span is None or self._holds_name(span, name):
            return None
        text, new = self.doc.text, name.text
        start, end = span
        if form == "genitive":
            new = self._genitive(name)
        elif self.grammar.is_english and (follower := self._find_attached(mention)) is not None:
            at, short = follower
            if short == "'s" and is_pronoun(mention) and text[start:end].lower() not in SUBJECTS:
                return None  # her's
            if short in SHORT and (short != "'s" or is_pronoun(mention)):
                sentence = self.doc.sentence_at(mention.start)
                full = expand(short, self.doc.tokens[at + 1 : sentence.end], self.doc.tokens[at])
                after = word_span(self.doc.tokens, at)
                if full is None or after is None:
                    return None
                new, end = f"{new} {full}", after[1]
            elif short == "'" and not is_pronoun(mention):
                new, end = self._genitive(name), end + 1
        if text[start].isupper() and (text[start:end] != "I" or self.names.starts_sentence(mention.start)):
            new = _capitalize(new)
        if new.endswith(".") and text[end : end + 1] == "." and text[end : end + 2] != "..":
            new = new[:-1]
        return _Edit((start, end), new, entity.id, mention, confidence)

    def _genitive(self, name: Name) -> str:
        return genitive(name.text, is_plural_noun=name.is_plural_noun, apostrophe=self.names.apostrophe)

    def _find_attached(self, mention: Mention) -> tuple[int, str] | None:
        """Return the position and the form of a contraction or genitive after a mention, with a straight apostrophe."""
        if mention.end >= self.doc.sentence_at(mention.start).end:
            return None
        form = self.doc.tokens.forms[mention.end].lower().replace("’", "'")
        return (mention.end, form) if form.startswith("'") else None

    def insertions(self) -> Iterator[_Edit]:
        """Yield insertions of names for zeros that are subjects, before the next word."""
        for entity in self.doc.entities:
            for mention in _separate_mentions(self.doc, entity):
                if mention.is_zero and self.grammar.is_subject(mention) and self._can_stand(mention):
                    chosen = self.names.name(entity, mention)
                    if chosen is not None:
                        yield self._insertion(mention, chosen[0], entity, chosen[1])

    def _can_stand(self, mention: Mention) -> bool:
        """Return whether a word follows and the position is not inside a multiword token."""
        return mention.end < len(self.doc.tokens) and multiword_at(self.doc.tokens, mention.start) is None

    def _insertion(self, mention: Mention, name: Name, entity: Entity, confidence: float | None) -> _Edit:
        at = mention.start_char
        sentence = self.doc.sentence_at(mention.start)
        following = next(p for p in range(mention.end, len(self.doc.tokens) + 1) if not self._is_empty(p))
        if at != sentence.start_char or following >= sentence.end:
            return _Edit((at, at), name.text + " ", entity.id, mention, confidence)
        first = self.doc.text[at]
        lowered = first if self.doc.tokens[following].upos == "PROPN" else first.lower()
        return _Edit((at, at + 1), f"{_capitalize(name.text)} {lowered}", entity.id, mention, confidence)

    def _is_empty(self, position: int) -> bool:
        return position in self.doc.tokens.empty_positions


def _capitalize(name: str) -> str:
    """Return a name with a capital, unless its second letter is one: iPhone."""
    return name if name[1:2].isupper() else name[:1].upper() + name[1:]


def _separate_mentions(doc: Document, entity: Entity) -> Iterator[Mention]:
    """Yield mentions that do not overlap and are not next to another one of the entity, ignoring punctuation."""
    mentions = sorted(entity.mentions, key=mention_order)
    furthest = -1
    for index, mention in enumerate(mentions):
        following = mentions[index + 1] if index + 1 < len(mentions) else None
        is_free = mention.start >= furthest and not _is_beside(doc, furthest, mention.start)
        if following is not None:
            is_free = is_free and following.start >= mention.end
            is_free = is_free and not _is_beside(doc, mention.end, following.start)
        furthest = max(furthest, mention.end)
        if is_free:
            yield mention


def _is_beside(doc: Document, end: int, start: int) -> bool:
    if end < 1 or end > start or start >= len(doc.tokens) or doc.sentence_index(end - 1) != doc.sentence_index(start):
        return False
    forms, empty = doc.tokens.forms, doc.tokens.empty_positions
    if any(position in empty for position in (end - 1, start)):
        return False
    return start - end <= 2 and all(is_punctuation(forms[at]) for at in range(end, start) if at not in empty)


def _select_edits(edits: list[_Edit], protection: Protection) -> Iterator[_Edit]:
    """Yield edits in order: the outermost of nested ones, without those that overlap protected spans."""
    end = 0
    edits.sort(key=lambda edit: (edit.span[0], -edit.span[1]))
    for edit in edits:
        if edit.span[0] >= end and not protection.touches(*edit.span):
            yield edit
            end = max(edit.span[1], end + (edit.span[0] == edit.span[1] == end))


def _apply_edits(doc: Document, edits: Iterable[_Edit]) -> ResolvedText:
    text = doc.text
    pieces: list[str] = []
    done: list[Replacement] = []
    at = length = 0
    for edit in edits:
        start, end = edit.span
        if text[start:end] == edit.new:
            continue
        pieces += (text[at:start], edit.new)
        length += start - at
        done.append(
            Replacement(
                start,
                end,
                length,
                length + len(edit.new),
                text[start:end],
                edit.new,
                edit.entity,
                edit.mention,
                edit.confidence,
            )
        )
        length += len(edit.new)
        at = end
    pieces.append(text[at:])
    return ResolvedText("".join(pieces), tuple(done))
