"""Result tables for the overview paper, and random samples for a manual review of the key.

A *matched group* is a key mention and the response mention aligned with it. A link connects a mention to the previous
mention of its entity. It is *missed* if the response does not have both in one entity, and *wrong* if the response has
it and the key does not. The same responses, seed and size produce the same sample.

The sample is a JSON file. Reviewers enter a verdict for each item: `key` (the key is right), `answer` (the system is
right and the key is wrong) or `disputed` (both readings are possible), optionally with a comment. A table counts them.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Literal, get_args

from ..analysis.reports import Report
from ..analysis.tables import Column, Row, Table
from ..api.reports import report
from ..corpora.files import read_annotated, write
from ..document import Document, Mention
from ..errors import CoindexError, CoindexWarning, UnknownNameError, quote
from ..scoring import Settings, Unit
from ..scoring.alignment import Alignment
from ..scoring.corpus import align_unit, make_units
from ..scoring.sides import Side
from ..settings import parse_section
from .definition import Campaign, Track
from .files import ALL, Submission, answer_to, find_datasets
from .leaderboard import standings
from .scoring import Scores, score_runs
from .setups import Disputes, switch_off
from .visibility import Aliases

Kind = Literal["matched", "wrong", "missed"]
Verdict = Literal["", "key", "answer", "disputed"]
KINDS: tuple[Kind, ...] = get_args(Kind)
TITLES = {"matched": "matched groups", "wrong": "wrong links", "missed": "missed links"}
AROUND = 8
"""The number of context words on each side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item to review; `first` and `second` are two mentions in context, with the mention in brackets."""

    id: str
    kind: Kind
    system: str
    dataset: str = ""
    document: str = ""
    first: str = ""
    second: str = ""
    entity: str = ""
    """The chain of the key concerned, which can be excluded."""
    verdict: Verdict = ""
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A random sample of items, with the settings that reproduce it."""

    seed: int
    size: int
    items: tuple[Item, ...] = ()
    totals: str = ""
    """The number of items per kind before sampling, such as "matched 120, wrong 4, missed 9"."""
    signature: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


def find_items(units: Iterable[Unit], settings: Settings, system: str, dataset: str = "") -> Iterator[Item]:
    """Yield all matched groups, wrong links and missed links of a response."""
    for unit in units:
        alignment = align_unit(unit, settings)
        for number, item in enumerate(_in_unit(alignment)):
            id = f"{system}/{dataset}/{unit.id}/{item.kind}/{number}"
            yield replace(item, id=id, system=system, dataset=dataset)


def _in_unit(alignment: Alignment) -> Iterator[Item]:
    key, response = alignment.key, alignment.response
    partner = {k: r for k in alignment.found_key if (r := alignment.partner(k)) is not None}
    meaning = {r: k for k, r in partner.items()}
    for k, r in sorted(partner.items(), key=lambda pair: key.table.order(pair[0])):
        if k in key.mentions and r in response.mentions:
            yield _item("matched", key, k, response, r, _entity(key, k))
    for first, other in _links(key):
        a, b = partner.get(first), partner.get(other)
        if a is None or b is None or response.cluster_of.get(a) != response.cluster_of.get(b):
            yield _item("missed", key, first, key, other, _entity(key, other))
    for first, other in _links(response):
        a, b = meaning.get(first), meaning.get(other)
        if a is None or b is None or key.cluster_of.get(a) != key.cluster_of.get(b):
            known = next((k for k in (b, a) if k is not None), None)
            yield _item("wrong", response, first, response, other, "" if known is None else _entity(key, known))


def _links(side: Side) -> Iterator[tuple[int, int]]:
    for cluster in side.clusters:
        ordered = side.table.in_order(cluster)
        yield from pairwise(ordered)


def _item(kind: Kind, one_side: Side, mention: int, other_side: Side, other: int, entity: str) -> Item:
    first, second = one_side.mentions[mention], other_side.mentions[other]
    doc = one_side.spot(first).doc
    return Item(
        id="",
        kind=kind,
        system="",
        document=str(doc.id),
        first=show_in_context(doc, first),
        second=show_in_context(other_side.spot(second).doc, second),
        entity=entity,
    )


def _entity(side: Side, mention: int) -> str:
    """Return the id of the entity of a key mention."""
    mention_row = side.mentions[mention]
    doc = side.spot(mention_row).doc
    return next((entity.id for entity in doc.entities if mention_row in entity.mentions), "")


def show_in_context(doc: Document, mention: Mention) -> str:
    """Return a mention in brackets with some context."""
    words = []
    for position in range(max(0, mention.start - AROUND), min(len(doc.tokens), mention.end + AROUND)):
        here = position in mention.positions
        opens = here and position - 1 not in mention.positions
        closes = here and position + 1 not in mention.positions
        words.append(f"{'[' if opens else ''}{doc.tokens[position].form}{']' if closes else ''}")
    return " ".join(words)


def draw_sample(items: Iterable[Item], *, size: int, seed: int, signature: str = "") -> Sample:
    """Draw up to `size` items of each kind."""
    by_kind: dict[str, list[Item]] = {kind: [] for kind in KINDS}
    for item in items:
        by_kind[item.kind].append(item)
    drawn: list[Item] = []
    for kind, of_kind in by_kind.items():
        of_kind.sort(key=lambda item: item.id)
        chosen = Random(f"{seed}/{kind}").sample(of_kind, min(size, len(of_kind)))
        drawn += chosen
    totals = ", ".join(f"{kind} {len(of_kind)}" for kind, of_kind in by_kind.items())
    return Sample(seed=seed, size=size, items=tuple(drawn), totals=totals, signature=signature)


def with_verdicts(new: Sample, old: Sample) -> Sample:
    """Return the new sample with the verdicts of the same items in an old sample."""
    known = {(item.id, item.first, item.second): item for item in old.items if item.verdict or item.comment}
    items = []
    for item in new.items:
        before = known.get((item.id, item.first, item.second))
        items.append(item if before is None else replace(item, verdict=before.verdict, comment=before.comment))
    return replace(new, items=tuple(items))


def parse_sample(data: Mapping[str, Any], place: str) -> Sample:
    """Parse a sample; an unknown verdict is an error."""
    try:
        sample: Sample = parse_section(Sample, data, place)
    except UnknownNameError as error:
        raise CoindexError(f"{place}: {error}", code=error.code) from error
    return sample


def count_verdicts(sample: Sample) -> Table:
    """Return a table with the number of verdicts per kind of item."""
    names = [name for name in get_args(Verdict) if name]
    columns = [Column("drawn", "drawn", "number"), Column("open", "undecided", "number")]
    columns += [Column(name, name, "number") for name in names]
    rows = [_count_row(kind, [item for item in sample.items if item.kind == kind], names) for kind in KINDS]
    remarks = [f"Drawn with seed {sample.seed} from: {sample.totals}."]
    off = {(item.document, item.entity) for item in sample.items if item.verdict == "disputed" and item.entity}
    remarks += [f"Disputed: document {quote(doc)}, chain {quote(entity)}." for doc, entity in sorted(off)]
    return Table(
        name="verdicts",
        title="Manual review of the key",
        columns=columns,
        rows=[replace(row, signature=sample.signature) for row in rows],
        remarks=remarks,
    )


def _count_row(kind: Kind, items: Sequence[Item], names: Sequence[str]) -> Row:
    counts = [sum(item.verdict == name for item in items) for name in names]
    waiting = len(items) - sum(counts)
    return Row(label=TITLES[kind], values=[len(items), waiting, *counts], keys={"kind": kind})


COLLECTION = "ecb-realistic"


def make_findings(
    campaign: Campaign,
    keys: str | os.PathLike[str],
    submissions: str | os.PathLike[str],
    *,
    kept: Path | None,
    disputes: Disputes | None,
    tables: Sequence[str] | None,
    chosen: Mapping[str, str],
    aliases_of: Callable[[Sequence[str]], Aliases],
) -> Report:
    """Return the report that the campaign names, for the ranked run of each team in each track."""
    if not campaign.report:
        raise CoindexError(
            f'the campaign {campaign.name} names no report; add one to its definition, such as report = "crac22"',
            code="invalid-campaign",
        )
    with ExitStack() as stack:
        scores = stack.enter_context(score_runs(campaign, keys, submissions, kept=kept, disputes=disputes))
        aliases = aliases_of([run.team for run in scores.runs])
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coindex-")))
        systems = _systems(campaign, scores, chosen, aliases, folder, disputes or Disputes())
        if not systems:
            raise CoindexError(
                "no run has scores for all datasets; run coindex campaign score to see why", code="nothing-scored"
            )
        key = _key(campaign, scores, folder, Path(keys), disputes or Disputes())
        options: dict[str, Any] = {}
        if campaign.report == COLLECTION:
            levels = dict.fromkeys(track.report_as.rpartition(":")[2] for track in campaign.tracks)
            options = {"split": "all", "levels": list(levels)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", CoindexWarning)
            try:
                made = report(campaign.report, key, systems, tables=tables, **options)
            except CoindexError as error:
                text = aliases.text(str(error))
                raise CoindexError(text, code=error.code) from (None if aliases.names else error)
        messages = {aliases.text(str(warning.message)): warning.message for warning in caught}
        for text, warning in messages.items():
            code = warning.code if isinstance(warning, CoindexWarning) else "warning"
            warnings.warn(CoindexWarning(text, code=code), stacklevel=2)
    about = {"campaign": campaign.name, "switched_off": len(disputes.chains) if disputes else 0}
    if not disputes:
        return replace(made, about=about)
    remark = f"{len(disputes.chains)} chains of the key are excluded ({disputes.note()[0]})."
    noted = [replace(table, remarks=[*table.remarks, remark]) for table in made.tables]
    return replace(made, about=about, tables=noted)


def _systems(
    campaign: Campaign, scores: Scores, chosen: Mapping[str, str], aliases: Aliases, folder: Path, disputes: Disputes
) -> list[tuple[str, str]]:
    """Return the responses by the system names that tables show; each part of a submission once."""
    systems: dict[str, str] = {}
    for track in campaign.tracks:
        counted = standings(track, scores.runs, counts=campaign.counts, chosen=chosen)
        for counted_run in counted:
            if counted_run.score is None:
                continue
            run = counted_run.run
            name = ":".join(filter(None, (aliases.of(run.team), track.report_as)))
            path = scores.where[track.name, run.team, run.name]
            systems.setdefault(
                name, str(_prepare_response(track, scores, path, folder / f"answer-{len(systems)}", disputes))
            )
    return list(systems.items())


def _prepare_response(track: Track, scores: Scores, path: Path, target: Path, disputes: Disputes) -> Path:
    """Return the path of the response for the report: the original, or a copy without excluded chains."""
    paths = find_datasets(track, scores.keys[track.name])
    answer = Submission(path, str(path))
    if not disputes:
        only = next(iter(paths.values()))
        return path if len(paths) > 1 or only.is_dir() else answer_to(next(iter(paths)), paths, answer) or path
    for name, key in paths.items():
        own = answer_to(name, paths, answer)
        assert own is not None, "the run is complete"
        _, left = switch_off(read_annotated(key), read_annotated(own), disputes.of(name), track.settings)
        write(left, target / f"{name}.json", "json")
    return target if len(paths) > 1 else target / f"{next(iter(paths))}.json"


def _key(campaign: Campaign, scores: Scores, folder: Path, keys: Path, disputes: Disputes) -> Path:
    """Return the path of the key for the report: the original, or a copy without excluded chains."""
    track = campaign.tracks[0]
    paths = find_datasets(track, scores.keys[track.name])
    if not disputes:
        if len(campaign.tracks) > 1:
            return keys
        return scores.keys[track.name] if len(paths) > 1 or ALL in paths else next(iter(paths.values()))
    target = folder / "key"
    for name, key in paths.items():
        kept, _ = switch_off(read_annotated(key), (), disputes.of(name), track.settings)
        write(kept, target / f"{name}.json", "json")
    return target if len(paths) > 1 else target / f"{next(iter(paths))}.json"


def collect_items(
    campaign: Campaign, track: Track, keys: str | os.PathLike[str], submissions: str | os.PathLike[str]
) -> tuple[list[Item], str]:
    """Return all items of all scored runs, and the signature of the scoring."""
    items: list[Item] = []
    settings = track.settings
    with score_runs(campaign, keys, submissions, tracks=[track.name]) as all_scores:
        paths = find_datasets(track, all_scores.keys[track.name])
        docs = {name: list(read_annotated(path)) for name, path in paths.items()}
        signature = ""
        for run in all_scores.runs:
            if run.failure:
                continue
            signature = run.dataset_signature
            path = all_scores.where[track.name, run.team, run.name]
            for name in run.results:
                own = answer_to(name, paths, Submission(path, str(path)))
                assert own is not None, "it was scored"
                units = make_units(docs[name], list(read_annotated(own)), settings)
                items += find_items(units, settings, f"{run.team}@{run.name}", name)
    return items, signature
