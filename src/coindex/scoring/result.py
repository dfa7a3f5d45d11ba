"""The scores of a corpus with their settings and counts, and notes about the data."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

from ..document import Mention
from ..errors import CoindexError, DataWarning, MissingExtraError, UnknownNameError, quote
from .alignment import Alignment, Counts, Remark, Score
from .matching import RULES, get_matching
from .metrics.registry import get_metric
from .profiles import CONLL, Settings, signature
from .sides import Side, Spot
from .token_alignment import Locate, MismatchError, describe_place

SHOWN = 20
"""The most places that a warning lists."""


class Note(NamedTuple):
    """A problem in one unit: its side, how often it occurs, the first places, and its code."""

    side: str
    number: int
    places: tuple[str, ...]
    code: str


_BOTH_SIDES = {
    "repeated-mentions": (
        "{n} mentions of the {side} occur more than once and are counted as in the official scorer; "
        "annotate each mention once, in one entity"
    ),
    "no-head": ("{n} mentions of the {side} have no head, so their first word is used; add heads with: coindex heads"),
    "no-deps": (
        "{n} zeros of the {side} have no DEPS and are matched by position instead; add DEPS, or choose zeros linear"
    ),
}
TEXTS = {
    **{(code, side): text for code, text in _BOTH_SIDES.items() for side in ("key", "response")},
    ("unknown-head", "key"): (
        "{n} mentions of the key have neither a head nor a dependency tree, so they match response mentions that share "
        "any word with them; add their heads"
    ),
    ("unknown-head", "response"): (
        "{n} mentions of the response that extend beyond a key mention have neither a head nor a "
        "dependency tree, so they match although their head may be outside of it; add their heads"
    ),
    ("local-ids", "response"): (
        "{n} documents of the response have entity ids that are local to the document, so its entities cannot span "
        "documents as those of the key do; use a format with ids for the whole corpus, such as ecbplus"
    ),
}


def collect_notes(alignment: Alignment, settings: Settings, locate: Locate = describe_place) -> list[Note]:
    """Return the problems of one unit."""
    matching = get_matching(settings.rules, settings.match)
    remarks: list[Remark] = [*alignment.remarks]
    takes_repeated = all(get_metric(name, settings.rules).takes_repeated for name in settings.metrics)
    for name, side, uses_heads in (
        ("key", alignment.key, matching.uses_key_heads),
        ("response", alignment.response, matching.uses_response_heads),
    ):
        if not takes_repeated:
            remarks.append(Remark(name, side, side.repeated, code="repeated-mentions"))
        if uses_heads:
            remarks.append(Remark(name, side, side.headless(), code="no-head"))
        if settings.zeros == "dependent":
            remarks.append(Remark(name, side, _find_without_deps(side), code="no-deps"))
    notes = []
    for name, side, mentions, code in remarks:
        shown = [] if code == "no-head" else mentions[:SHOWN]  # heads are missing everywhere or nowhere
        if mentions:
            notes.append(
                Note(name, len(mentions), tuple(_describe_spot(side.spot(m), locate) for m in shown), code=code)
            )
    if settings.unit != "document" and any(doc.shared_ids for doc, _ in alignment.key.parts):
        local = sum(not doc.shared_ids for doc, _ in alignment.response.parts)
        notes += [Note("response", local, (), code="local-ids")] if local else []
    return notes


def check_repeated(alignment: Alignment, settings: Settings, locate: Locate = describe_place) -> None:
    """Raise an error if the response repeats more mentions than the official scorer allows."""
    most = RULES[settings.rules].most_repeated
    repeated = alignment.response.repeated
    if most is not None and len(repeated) > most:
        spot = alignment.response.spot(repeated[0])
        raise MismatchError(
            "response",
            locate(spot.doc, spot.mention.start),
            f"{len(repeated)} repeated mentions in one document",
            f"at most {most}, as in the reference scorer",
            f"annotate each mention once; the first repeated one is {quote(spot.mention.text)}",
            code="repeated-mentions",
            is_in_key=False,
        )


def _describe_spot(spot: Spot, locate: Locate) -> str:
    return f"{locate(spot.doc, spot.mention.start)} {quote(spot.mention.text)}"


def _find_without_deps(side: Side) -> list[Mention]:
    return [side.mentions[mention] for mention, zero in side.zeros.items() if not zero.relations]


def warn(notes: Iterable[Note], stacklevel: int = 2) -> None:
    """Issue one warning per kind of note, with the first places."""
    numbers: Counter[tuple[str, str]] = Counter()
    places: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        numbers[note.code, note.side] += note.number
        places.setdefault((note.code, note.side), []).extend(note.places)
    for (code, side), number in numbers.items():
        message = TEXTS[code, side].format(n=number, side=side)
        if shown := places[code, side]:
            more = f"; and {number - SHOWN} more" if number > SHOWN else ""
            message += f": {'; '.join(shown[:SHOWN])}{more}"
        warning = DataWarning(message, code=code, details={"side": side, "number": number})
        warnings.warn(warning, stacklevel=stacklevel + 1)


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """The counts of the metrics for one unit, usually a document."""

    id: str | None
    counts: Mapping[str, Counts]
    notes: tuple[Note, ...] = ()


class ByMetric:
    """Scores by the name of their metric, as a mapping."""

    scores: Mapping[str, Score]

    def __getitem__(self, name: str) -> Score:
        if name not in self.scores:
            raise UnknownNameError("metric in this result", name, self.scores)
        return self.scores[name]

    def __contains__(self, name: object) -> bool:
        return name in self.scores

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True)
class Result(ByMetric):
    """Scores by metric: `result["muc"].f1`. `units` has the counts of every document, to sum them in other ways."""

    settings: Settings
    scores: Mapping[str, Score]
    counts: Mapping[str, Counts]
    units: Sequence[UnitCounts] = field(repr=False)

    @classmethod
    def of(cls, settings: Settings, units: Sequence[UnitCounts]) -> Result:
        """Return the result of summing the units."""
        scores = {}
        totals = {}
        for name in settings.metrics:
            metric = get_metric(name, settings.rules)
            totals[name] = Counts.total((unit.counts[name] for unit in units), len(metric.parts))
            scores[name] = metric.finish(totals[name])
        return cls(settings, scores, totals, units)

    @property
    def conll(self) -> float | None:
        """The mean F1 of MUC, B³ and CEAF-e; None if one of them was not computed."""
        return mean_conll(self.scores)

    @cached_property
    def signature(self) -> str:
        """How the scores were computed, to print with them."""
        return signature(self.settings, package_version())

    def by_document(self) -> dict[str, Result]:
        """Return a result for each document by its id.

        A document without an id is named by its number, a second document with the same id by both.
        """
        results: dict[str, Result] = {}
        for number, unit in enumerate(self.units, 1):
            name = str(number) if unit.id is None else unit.id
            results[f"{name} ({number})" if name in results else name] = Result.of(self.settings, [unit])
        return results

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with fractions that are not rounded."""
        return {
            "signature": self.signature,
            "metrics": {name: score_dict(name, score) for name, score in self.scores.items()},
            "conll": self.conll,
        }

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each metric."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("pandas", "pandas") from error
        frame = pd.DataFrame.from_dict({name: score.to_dict() for name, score in self.scores.items()}, orient="index")
        frame.index.name = "metric"
        frame.attrs["signature"] = self.signature
        return frame

    def __repr__(self) -> str:
        rows = [f"{'':9} {'recall':>9} {'precision':>9} {'F1':>9}"]
        for name, score in self.scores.items():
            numbers = f"{100 * score.recall:9.2f} {100 * score.precision:9.2f} {100 * score.f1:9.2f}"
            rows.append(f"{name:9} {numbers}")
        if self.conll is not None:
            rows.append(f"{'CoNLL':9} {'':9} {'':9} {100 * self.conll:9.2f}")
        return "\n".join([*rows, self.signature])

    def _repr_html_(self) -> str:
        rows = [_row(name, score.recall, score.precision, score.f1) for name, score in self.scores.items()]
        if self.conll is not None:
            rows.append(_row("CoNLL", None, None, self.conll))
        head = "<tr><th>metric</th><th>recall</th><th>precision</th><th>F1</th></tr>"
        caption = f"<caption>{escape(self.signature)}</caption>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def score_dict(name: str, score: Score) -> dict[str, Any]:
    """Return a score as plain data; that of mention detection includes the scores by length."""
    data: dict[str, Any] = {**score.to_dict()}
    if name == "mentions" and score.parts:
        data["lengths"] = {length: part.to_dict() for length, part in score.parts.items()}
    return data


def mean_conll(scores: Mapping[str, Score]) -> float | None:
    """Return the CoNLL score, or None unless all three metrics are present; arrays of scores yield an array."""
    if not all(name in scores for name in CONLL):
        return None
    return sum(scores[name].f1 for name in CONLL) / len(CONLL)


def common_settings(results: Mapping[str, Result]) -> Settings:
    """Return the settings shared by all results; raise an error if they differ, as their scores are not comparable."""
    if not results:
        raise CoindexError("no results; pass at least one result by its name", code="nothing-given")
    (name, first), *others = results.items()
    for other_name, other in others:
        if other.settings != first.settings:
            raise CoindexError(
                f"{quote(name)} and {quote(other_name)} were scored with different settings: {_describe(first)} and "
                f"{_describe(other)}; score all with the same profile and options",
                code="different-settings",
            )
    return first.settings


def _describe(result: Result) -> str:
    return f"{result.signature} with the metrics {', '.join(result.settings.metrics)}"


def _row(name: str, *values: float | None) -> str:
    cells = "".join(f"<td>{'' if value is None else f'{100 * value:.2f}'}</td>" for value in values)
    return f"<tr><th>{escape(name)}</th>{cells}</tr>"


def package_version() -> str:
    """Return the version of coindex; it is looked up, as this layer must not import the top-level package."""
    return str(getattr(sys.modules.get(__name__.partition(".")[0]), "__version__", "unknown"))
