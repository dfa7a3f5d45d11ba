"""Rewrite a document's text with anaphors replaced by names, leaving protected spans as they are."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..document.documents import Document, Keep, Persons
from ..document.entities import Entity, Mention, mention_order, runs
from ..document.naming import head_of, is_punctuation, multiword_at, words_span
from ..errors import CoindexError
from ..text.spans import Span
from .replacements import EXPANDED, Grammar, Name, Names, genitive, is_english

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


def resolved_text(
    doc: Document,
    *,
    keep: Iterable[Keep] = (),
    persons: Persons = "third",
    nominals: bool = True,
    zeros: bool = False,
) -> str:
    """Return the text of a document with pronouns and other anaphors replaced by names.

    Parameters:

    - `doc`: the document.
    - `keep`: ranges of characters `(start, end)` and exact strings that are not changed.
    - `persons`: "all" also replaces *I*, *you* and *we*.
    - `nominals`: whether to replace descriptions such as *the girl*.
    - `zeros`: whether to insert names for dropped subjects.
    """
    return resolve_text(doc, keep=keep, persons=persons, nominals=nominals, zeros=zeros).text


def resolve_text(
    doc: Document,
    *,
    keep: Iterable[Keep] = (),
    persons: Persons = "third",
    nominals: bool = True,
    zeros: bool = False,
) -> ResolvedText:
    """Replace anaphors like `resolved_text`, and return the text with the replacements."""
    protection = Protection(doc.text, [*keep, *_find_protected(doc)])
    english = is_english(doc)
    grammar = Grammar(doc, english, all_persons=persons == "all", nominals=nominals)
    editor = _Editor(doc, grammar, Names(doc, english=english))
    edits = list(editor.edits())
    if zeros:
        edits += editor.insertions()
    return _apply_edits(doc, _select_edits(edits, protection))


def _find_protected(doc: Document) -> list[Span]:
    """Return the spans of code, web addresses and similar tokens, including the text between adjacent ones."""
    starts, ends = doc.tokens.start_char, doc.tokens.end_char
    return [(starts(first), ends(last - 1)) for first, last in runs(doc.tokens.protected)]


class _Editor:
    def __init__(self, doc: Document, grammar: Grammar, names: Names) -> None:
        self.doc = doc
        self.grammar = grammar
        self.names = names
        self._groups = {split.entity for split in doc.split_antecedents}
        self._phrases = {mention.start for mention, _ in doc.mentions() if len(mention) > 1}

    def edits(self) -> Iterator[_Edit]:
        """Yield possible replacements; their spans may be nested."""
        for entity in self.doc.entities:
            if entity.is_singleton and entity.id not in self._groups:
                continue
            name = self.names.name(entity)
            if name is not None:
                yield from self._edits_of(entity, name)

    def _edits_of(self, entity: Entity, name: Name) -> Iterator[_Edit]:
        for mention in _separate_mentions(self.doc, entity):
            if mention is name.mention or not mention.is_contiguous:
                continue
            if not name.is_proper and name.mention is not None and mention.end <= name.mention.start:
                continue  # "He sat down. A man came in": "the man" cannot come before "a man"
            span = words_span(self.doc.tokens, mention.start, mention.end)
            form = self.grammar.form(mention, name, opens_phrase=mention.start in self._phrases)
            if span is not None and form is not None and not self._holds_name(span, name):
                new = name.text
                if form == "genitive":
                    plural = name.is_plural_noun
                    new = genitive(new, is_plural_noun=plural, apostrophe=self.names.apostrophe)
                yield self._edit(span, new, entity, mention)

    def _holds_name(self, span: Span, name: Name) -> bool:
        if name.mention is None:
            return False
        head = self.doc.tokens[head_of(name.mention)].form.lower()
        return head in self.doc.text[span[0] : span[1]].lower().split()

    def _edit(self, span: Span, new: str, entity: Entity, mention: Mention) -> _Edit:
        """Return the edit, capitalized like the text that it replaces, and with a following contraction expanded."""
        text = self.doc.text
        if text[span[0]].isupper():
            new = new[:1].upper() + new[1:]
        if self.grammar.is_english:
            for short, full in EXPANDED.items():
                end = span[1] + len(short)
                if text[span[1] : end].lower() == short and not text[end : end + 1].isalnum():
                    return _Edit((span[0], end), f"{new} {full}", entity.id, mention)
        return _Edit(span, new, entity.id, mention)

    def insertions(self) -> Iterator[_Edit]:
        """Yield insertions of names for zeros that are subjects, before the next word."""
        for entity in self.doc.entities:
            name = self.names.name(entity)
            for mention in _separate_mentions(self.doc, entity) if name is not None else ():
                if (
                    mention.is_zero
                    and name is not None
                    and self.grammar.is_subject(mention)
                    and self._can_stand(mention)
                ):
                    yield self._insertion(mention, name, entity)

    def _can_stand(self, mention: Mention) -> bool:
        """Return whether a word follows and the position is not inside a multiword token."""
        return mention.end < len(self.doc.tokens) and multiword_at(self.doc.tokens, mention.start) is None

    def _insertion(self, mention: Mention, name: Name, entity: Entity) -> _Edit:
        at = mention.start_char
        sentence = self.doc.sentence_at(mention.start)
        following = next(p for p in range(mention.end, len(self.doc.tokens) + 1) if not self._is_empty(p))
        if at != sentence.start_char or following >= sentence.end:
            return _Edit((at, at), name.text + " ", entity.id, mention)
        first = self.doc.text[at]
        lowered = first if self.doc.tokens[following].upos == "PROPN" else first.lower()
        return _Edit((at, at + 1), name.text[:1].upper() + name.text[1:] + " " + lowered, entity.id, mention)

    def _is_empty(self, position: int) -> bool:
        return position in self.doc.tokens.empty_positions


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
                start, end, length, length + len(edit.new), text[start:end], edit.new, edit.entity, edit.mention
            )
        )
        length += len(edit.new)
        at = end
    pieces.append(text[at:])
    return ResolvedText("".join(pieces), tuple(done))
