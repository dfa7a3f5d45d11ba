"""The rows of a comparison: a sentence in all versions, with the differences that begin in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

from ..annotation.differences import KINDS, Comparison, Difference
from .comparison_text import answer, drawings, sentences, words

PAGE = 100
"""How many rows stand on a page."""


@dataclass(frozen=True, slots=True)
class OptionView:
    """An answer: the digits of those who gave it, their names, and what it says."""

    choices: tuple[int, ...]
    names: str
    text: str


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """A difference as a page shows it."""

    number: int
    id: str
    kind: str
    text: str
    options: tuple[OptionView, ...]


@dataclass(slots=True)
class RowView:
    """A sentence in all versions."""

    sentence: int
    cells: list[Markup]
    differences: list[DifferenceView] = field(default_factory=list)


@dataclass(frozen=True)
class Rows:
    """One page of rows."""

    rows: list[RowView]
    counts: Mapping[str, int]
    """How many differences there are of each kind."""
    first: int
    total: int

    @property
    def following(self) -> int | None:
        """The first row of the next page, if there is one."""
        return self.first + PAGE if self.first + PAGE < self.total else None

    @property
    def preceding(self) -> int | None:
        return max(self.first - PAGE, 0) if self.first else None


def rows(comparison: Comparison, *, kind: str = "", everything: bool = False, first: int = 0) -> Rows:
    """Sentences with differences, or all sentences; `kind` shows differences of one kind only."""
    numbered = dict(enumerate(comparison.differences))
    chosen = {number: each for number, each in numbered.items() if kind in ("", each.kind)}
    base = comparison.docs[0]
    by_sentence: dict[int, list[int]] = defaultdict(list)
    for number, difference in chosen.items():
        by_sentence[base.sentence_index(difference.positions[0])].append(number)
    wanted = list(range(len(base.sentences))) if everything else sorted(by_sentence)
    shown = wanted[first : first + PAGE]
    drawn = zip(comparison.docs, drawings(comparison, chosen), strict=True)
    texts = [sentences(doc, how, frozenset(shown)) for doc, how in drawn]
    found = [RowView(sentence, [text.get(sentence, Markup("")) for text in texts]) for sentence in shown]
    for row in found:
        row.differences = [_view(comparison, number, chosen[number]) for number in by_sentence.get(row.sentence, ())]
    counts = Counter(difference.kind for difference in comparison.differences)
    return Rows(found, {name: counts[name] for name in KINDS if counts[name]}, first, len(wanted))


def _view(comparison: Comparison, number: int, difference: Difference) -> DifferenceView:
    base = comparison.docs[0]
    digits = {name: at for at, name in enumerate(comparison.names, 1)}
    options = tuple(
        OptionView(
            tuple(digits[name] for name in option.annotators),
            ", ".join(option.annotators),
            answer(base, difference, option.value),
        )
        for option in difference.options
    )
    return DifferenceView(number, difference.id, difference.kind, words(base, difference.positions), options)
