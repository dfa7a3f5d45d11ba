"""From the units of a corpus to error cases: what one process does with one unit."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...document.documents import genre_of
from ...scoring.corpus import Unit, align_unit
from ...scoring.profiles import Settings
from ...scoring.result import Note, check_repeated, collect_notes
from ...scoring.token_alignment import Locate, describe_place, words_of
from ..overlap import words_at
from .cases import NO_GENRE, ErrorCase, Tally, mention_type
from .explorer import Shown, show
from .finding import Finder, Finding, SideView, document_key

LOW = 10
"""A word that comes fewer times in training is a low-frequency word (PreCo, footnote 3)."""
RESPONSE_SIZES = ("spurious", "merged", "conflated")
"""Kinds that are about an entity of the response."""


@dataclass(frozen=True, slots=True)
class UnitErrors:
    """What was found in one unit; `shown` is what the explorer needs of it, where somebody asked for that."""

    cases: tuple[ErrorCase, ...]
    tally: Tally
    notes: tuple[Note, ...]
    shown: Shown | None = None


def examine(
    unit: Unit,
    settings: Settings,
    locate: Locate = describe_place,
    frequent: frozenset[str] | None = None,
    *,
    for_page: bool = False,
) -> UnitErrors:
    """The errors of one unit. `frequent` are the words that are no low-frequency words."""
    alignment = align_unit(unit, settings)
    check_repeated(alignment, settings, locate)
    finder = Finder(unit, alignment, settings)
    found = finder.find()
    maker = _Maker(unit, finder, frequent)
    cases = tuple(map(maker.make, found))
    notes = tuple(collect_notes(alignment, settings, locate))
    return UnitErrors(cases, maker.tally(), notes, show(finder, found) if for_page else None)


class _Maker:
    """Makes cases of what was found in a unit."""

    def __init__(self, unit: Unit, finder: Finder, frequent: frozenset[str] | None) -> None:
        self.finder, self.frequent = finder, frequent
        self.key, self.response = finder.key, finder.response
        docs = [doc for pair in unit.pairs for doc in (pair.key, pair.response) if doc is not None]
        self.document = unit.id or ""
        self.name = document_key(unit.id, docs[0])
        self.genre = next(filter(None, map(genre_of, docs)), NO_GENRE)
        self.alone = {view.name: _singletons(view) for view in (self.key, self.response)}

    def tally(self) -> Tally:
        """What the key has."""
        key = self.key
        mentions = [mention for chain in key.chains for mention in chain]
        return Tally(
            document=self.document,
            genre=self.genre,
            types=Counter(mention_type(key.mention(m), key.entity(m)) for m in mentions),
            distances=Counter(map(key.distance, mentions)),
            sizes=Counter(map(key.size, mentions)),
        )

    def make(self, finding: Finding) -> ErrorCase:
        view = self.key if finding.on_key else self.response
        mention = finding.mention
        before, after = view.context(mention)
        return ErrorCase(
            id=self._id(finding, view),
            kind=finding.kind,
            document=self.document,
            genre=self.genre,
            type=mention_type(view.mention(mention), view.entity(mention)),
            mention=view.place(mention),
            key_antecedent=None if finding.key_antecedent is None else self.key.place(finding.key_antecedent),
            response_antecedent=(
                None if finding.response_antecedent is None else self.response.place(finding.response_antecedent)
            ),
            counterpart=None if finding.counterpart is None else self.response.place(finding.counterpart),
            parts=tuple(map(self.key.place, finding.parts)),
            distance=self._distance(finding, view),
            size=self._size(finding, view),
            is_alone=self._is_alone(finding, view),
            is_matched=finding.is_matched,
            is_head=self._is_head(finding),
            rare_words=None if self.frequent is None else self._rare(finding, view, self.frequent),
            before=before,
            after=after,
        )

    def _id(self, finding: Finding, view: SideView) -> str:
        places = [view.address(mention) for mention in finding.known_by or (finding.mention,)]
        text = "\x1f".join((self.name, finding.kind, view.name, *places))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]

    def _distance(self, finding: Finding, view: SideView) -> int | None:
        if finding.key_antecedent is None and finding.response_antecedent is not None:
            partner = self.finder.partner[finding.mention]
            return self.response.sentence(partner) - self.response.sentence(finding.response_antecedent)
        return view.distance(finding.mention)

    def _size(self, finding: Finding, view: SideView) -> int:
        if finding.kind in RESPONSE_SIZES and finding.on_key:
            return self.response.size(self.finder.partner[finding.mention])
        return view.size(finding.mention)

    def _is_alone(self, finding: Finding, view: SideView) -> bool:
        if finding.kind not in ("missed", "spurious"):
            return False
        return view.side.spans([finding.mention])[0] in self.alone["response" if finding.on_key else "key"]

    def _is_head(self, finding: Finding) -> bool:
        """Whether a span error is one of the head alone."""
        other = finding.counterpart
        return other is not None and not finding.is_matched and not self.finder.differ(finding.mention, other)

    def _rare(self, finding: Finding, view: SideView, frequent: frozenset[str]) -> tuple[str, ...]:
        """The low-frequency words of all mentions involved (PreCo, footnote 4)."""
        involved: list[tuple[SideView, int | None]] = [
            (view, finding.mention),
            (self.key, finding.key_antecedent),
            (self.response, finding.response_antecedent),
            (self.response, finding.counterpart),
            *((self.key, part) for part in finding.parts),
        ]
        found: dict[str, None] = {}
        for side, mention in involved:
            if mention is not None:
                told = words_at(side.document(mention), side.mention(mention).positions)
                found.update(dict.fromkeys(word for word in told if word not in frequent))
        return tuple(found)


def _singletons(view: SideView) -> set[tuple[int, ...]]:
    """The words of mentions that are alone in their entity and were left out."""
    if view.side.how.singletons:
        return set()
    parts = view.side.parts
    return {words_of(e.mentions[0], codes) for doc, codes in parts for e in doc.entities if e.is_singleton}


def distinct(cases: Iterable[ErrorCase]) -> list[ErrorCase]:
    """The cases with ids that differ even where documents are alike: "…", "…-2", "…-3"."""
    seen: Counter[str] = Counter()
    found = []
    for case in cases:
        seen[case.id] += 1
        found.append(case if seen[case.id] == 1 else replace(case, id=f"{case.id}-{seen[case.id]}"))
    return found
