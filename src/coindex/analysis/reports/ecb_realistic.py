"""Table 3 of Cattan et al. 2021 over any systems: every setting in which cross-document coreference is reported.

Gold or predicted mentions, subtopic, topic or corpus level, singletons in or out, for events, entities and both
together; mention detection beside the metrics of coreference, since it is apart from them (section 3.1).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...document import Document, Kind
from ...errors import CoindexError, quote, warning_about
from ...resolvers.chain import load_chain
from ...scoring import MismatchError, Result, make_settings, score_side_by_side
from ..tables import Column, Row, Table
from .base import CollectionReport, DocumentCollection, Level, Run, chain_responses

DEV = ("2", "5", "12", "18", "21", "23", "34", "35")
TRAIN = tuple(topic for number in range(1, 36) if (topic := str(number)) not in DEV)
"""The topics of ECB+ by the split of Cybulska and Vossen 2015, as far as they are for looking at: 36 to 45 are test."""
BASELINES = {"Singleton baseline": "singleton", "Head-lemma baseline": "head-lemma(scope=topic)"}
KINDS: dict[str, Kind | None] = {"events": "event", "entities": "entity", "all": None}
TITLES = {"events": "Events", "entities": "Entities", "all": "Events and entities"}
SECTIONS: dict[Level, str] = {"subtopic": "Subtopic level", "topic": "Topic level", "corpus": "Corpus level"}
METRICS = {"muc": "MUC", "b3": "B³", "ceafe": "CEAFe", "lea": "LEA"}


def _three(metric: str, title: str) -> list[Column]:
    return [
        Column(f"{metric}_recall", "R", group=title, decimals=1),
        Column(f"{metric}_precision", "P", group=title, decimals=1),
        Column(f"{metric}_f1", "F₁", best=True, group=title, decimals=1),
    ]


COLUMNS = (
    *(column for metric, title in METRICS.items() for column in _three(metric, title)),
    Column("conll", "F₁", best=True, group="CoNLL", decimals=1),
    *_three("mentions", "Mentions"),
)


@dataclass(frozen=True, slots=True)
class Scored:
    """A result, and the setting that it is of."""

    run: Run
    level: Level
    kind: str
    result: Result


def make(collection: DocumentCollection) -> list[Table]:
    """A table for events, one for entities, one for both, as far as the key has them."""
    _check_names(collection.runs)
    baselines = list(_baselines(collection))
    kinds = _kinds(collection.key)
    remarks: dict[str, list[str]] = {kind: _remarks(collection) for kind in kinds}
    told: dict[str, Warning] = {}
    found: list[Scored] = []
    for level in collection.levels:
        scored: dict[bool, list[Scored]] = {True: [], False: []}
        for run in (*collection.runs, *baselines):  # systems first: what is wrong with one is said of it
            if level in run.levels:
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    scored[run.system in BASELINES] += _score(collection.key, run, level, remarks)
                if run.system not in BASELINES:  # what is odd about these is meant to be
                    said = [warning_about(run.system, one.message) for one in caught]
                    told |= {str(warning): warning for warning in said}
        found += scored[True] + scored[False]
    for warning in told.values():
        warnings.warn(warning, stacklevel=2)
    return [_table(kind, [one for one in found if one.kind == kind], remarks[kind]) for kind in kinds]


def _check_names(runs: Sequence[Run]) -> None:
    for run in runs:
        if run.system in BASELINES:
            raise CoindexError(
                f"system {quote(run.system)}: the baseline has that name; expected another; rename it",
                code="reserved-name",
            )


def _kinds(docs: Sequence[Document]) -> list[str]:
    """The kinds that documents have, and where they have both, all together."""
    there = {entity.kind for doc in docs for entity in doc.entities}
    names = [name for name, kind in KINDS.items() if kind in there]
    return [*names, "all"] if len(names) > 1 else names


def _predicting(collection: DocumentCollection) -> Run | None:
    """The first system that predicts mentions: the baselines are given its mentions too."""
    return next((run for run in collection.runs if run.mentions == "predicted"), None)


def _remarks(collection: DocumentCollection) -> list[str]:
    """What a reader has to know beside the signatures."""
    predicted = _predicting(collection)
    seen = "predicted from the documents" if collection.topics is not None else "those of the level"
    remarks = [f"The topics that resolvers see are {seen}."]
    if collection.has_context:
        remarks.append("Resolvers see whole documents; what is scored is the sentences that were annotated.")
    if predicted is not None:
        remarks.append(f"The baselines on predicted mentions are given those of {predicted.system}.")
    return remarks


def _baselines(collection: DocumentCollection) -> Iterator[Run]:
    """The baselines on gold mentions and, where a system predicts mentions, on those."""
    predicted = _predicting(collection)
    for name, text in BASELINES.items():
        chain = load_chain(text, mentions="given")
        yield Run(system=name, mentions="gold", respond=chain_responses(chain, collection))
        if predicted is not None:
            answer = chain_responses(chain, collection, predicted.respond)
            yield Run(system=name, mentions="predicted", respond=answer, levels=predicted.levels)


def _score(key: Sequence[Document], run: Run, level: Level, remarks: dict[str, list[str]]) -> Iterator[Scored]:
    try:
        response = run.respond(level)
    except CoindexError as error:
        only = f"; {run.system}:gold leaves out predicted mentions" if run.mentions == "predicted" else ""
        raise CoindexError(f"{quote(run.system)}: {error}{only}", code=error.code) from error
    if not any(doc.entities for doc in response):
        raise CoindexError(
            f"{quote(run.system)}: no entity in any of its {len(response)} documents; expected a response with "
            "entities; check that it is the right file and format, or leave the system out",
            code="no-entities",
        )
    there = (*_kinds(response), "all")
    profile = "ecb-subtopic" if level == "subtopic" else "ecb-topic"
    for kind in _kinds(key):
        if kind not in there:
            missing = f"{run.system} with {run.mentions} mentions has no {kind} and is not in this table."
            if run.system not in BASELINES and missing not in remarks[kind]:
                remarks[kind].append(missing)
            continue
        try:
            both = score_side_by_side(key, response, make_settings(profile, unit=level, kind=KINDS[kind]))
        except MismatchError as error:
            raise CoindexError(f"{quote(run.system)}: {error}", code=error.code) from error
        yield Scored(run, level, kind, both.with_singletons)
        yield Scored(run, level, kind, both.without_singletons)


def _table(kind: str, found: Sequence[Scored], remarks: Sequence[str]) -> Table:
    return Table(
        name=kind,
        title=f"{TITLES[kind]}: cross-document coreference with (⁺) and without (⁻) singletons",
        columns=COLUMNS,
        rows=[_row(one) for one in found],
        stub="system – mentions",
        remarks=remarks,
    )


def _row(one: Scored) -> Row:
    result, run = one.result, one.run
    singletons = "with" if result.settings.singletons else "without"
    sign = "⁺" if result.settings.singletons else "⁻"
    numbers = {name: (result[name].recall, result[name].precision, result[name].f1) for name in (*METRICS, "mentions")}
    mentions = numbers.pop("mentions")
    return Row(
        label=f"{run.system} – {run.mentions.capitalize()}{sign}",
        values=[*(value for three in numbers.values() for value in three), result.conll, *mentions],
        section=SECTIONS[one.level],
        keys={
            "level": one.level,
            "system": run.system,
            "mentions": run.mentions,
            "singletons": singletons,
        },
        signature=result.signature,
        contest=f"{one.level} {run.mentions} {singletons}",
    )


REPORT = CollectionReport(
    name="ecb-realistic",
    summary="cross-document coreference in all settings: mentions, level, singletons, events and entities",
    source="Cattan et al. 2021, Table 3",
    tables={"events": "", "entities": "", "all": ""},
    make=make,
)
