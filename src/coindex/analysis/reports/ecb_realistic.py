"""Table 3 of Cattan et al. 2021 for any systems: all settings of cross-document coreference.

The settings are gold or predicted mentions; subtopic, topic or corpus level; with or without singletons; events,
entities or both. Mention detection is reported separately from the coreference metrics (section 3.1).
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
"""The training and development topics of ECB+ (Cybulska and Vossen 2015); topics 36 to 45 are the test set."""
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
    """A result with its setting."""

    run: Run
    level: Level
    kind: str
    result: Result


def make(collection: DocumentCollection) -> list[Table]:
    """Return a table for events, one for entities and one for both, if the key has them."""
    _check_names(collection.runs)
    baselines = list(_make_baselines(collection))
    kinds = _kinds(collection.key)
    remarks: dict[str, list[str]] = {kind: _make_remarks(collection) for kind in kinds}
    reported: dict[str, Warning] = {}
    results: list[Scored] = []
    for level in collection.levels:
        scored: dict[bool, list[Scored]] = {True: [], False: []}
        for run in (*collection.runs, *baselines):  # systems first: an error is then reported for the system
            if level in run.levels:
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    scored[run.system in BASELINES] += _score(collection.key, run, level, remarks)
                if run.system not in BASELINES:  # baselines are odd on purpose
                    about = [warning_about(run.system, warning.message) for warning in caught]
                    reported |= {str(warning): warning for warning in about}
        results += scored[True] + scored[False]
    for warning in reported.values():
        warnings.warn(warning, stacklevel=2)
    return [_make_table(kind, [result for result in results if result.kind == kind], remarks[kind]) for kind in kinds]


def _check_names(runs: Sequence[Run]) -> None:
    for run in runs:
        if run.system in BASELINES:
            raise CoindexError(
                f"the system name {quote(run.system)} is reserved for a baseline; rename the system",
                code="reserved-name",
            )


def _kinds(docs: Sequence[Document]) -> list[str]:
    """Return the kinds of entities in documents, and "all" if there is more than one."""
    present = {entity.kind for doc in docs for entity in doc.entities}
    names = [name for name, kind in KINDS.items() if kind in present]
    return [*names, "all"] if len(names) > 1 else names


def _find_predicting(collection: DocumentCollection) -> Run | None:
    """Return the first system that predicts mentions, which the baselines use too."""
    return next((run for run in collection.runs if run.mentions == "predicted"), None)


def _make_remarks(collection: DocumentCollection) -> list[str]:
    """Return the notes below the tables."""
    predicted = _find_predicting(collection)
    seen = "predicted from the documents" if collection.topics is not None else "those of the level"
    remarks = [f"The topics that resolvers see are {seen}."]
    if collection.has_context:
        remarks.append("Resolvers see whole documents; only annotated sentences are scored.")
    if predicted is not None:
        remarks.append(f"The baselines on predicted mentions use those of {predicted.system}.")
    return remarks


def _make_baselines(collection: DocumentCollection) -> Iterator[Run]:
    """Yield the baselines on gold mentions and, if a system predicts mentions, on these."""
    predicted = _find_predicting(collection)
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
        only = f"; name the system {run.system}:gold to skip predicted mentions" if run.mentions == "predicted" else ""
        raise CoindexError(f"{quote(run.system)}: {error}{only}", code=error.code) from error
    if not any(doc.entities for doc in response):
        raise CoindexError(
            f"{quote(run.system)}: none of the {len(response)} documents has entities; "
            "check the file and its format, or omit the system",
            code="no-entities",
        )
    present = (*_kinds(response), "all")
    profile = "ecb-subtopic" if level == "subtopic" else "ecb-topic"
    for kind in _kinds(key):
        if kind not in present:
            missing = f"{run.system} with {run.mentions} mentions has no {kind} and is omitted from this table."
            if run.system not in BASELINES and missing not in remarks[kind]:
                remarks[kind].append(missing)
            continue
        try:
            both = score_side_by_side(key, response, make_settings(profile, unit=level, kind=KINDS[kind]))
        except MismatchError as error:
            raise CoindexError(f"{quote(run.system)}: {error}", code=error.code) from error
        yield Scored(run, level, kind, both.with_singletons)
        yield Scored(run, level, kind, both.without_singletons)


def _make_table(kind: str, results: Sequence[Scored], remarks: Sequence[str]) -> Table:
    return Table(
        name=kind,
        title=f"{TITLES[kind]}: cross-document coreference with (⁺) and without (⁻) singletons",
        columns=COLUMNS,
        rows=[_make_row(result) for result in results],
        stub="system – mentions",
        remarks=remarks,
    )


def _make_row(scored: Scored) -> Row:
    result, run = scored.result, scored.run
    singletons = "with" if result.settings.singletons else "without"
    sign = "⁺" if result.settings.singletons else "⁻"
    numbers = {name: (result[name].recall, result[name].precision, result[name].f1) for name in (*METRICS, "mentions")}
    mentions = numbers.pop("mentions")
    return Row(
        label=f"{run.system} – {run.mentions.capitalize()}{sign}",
        values=[*(value for three in numbers.values() for value in three), result.conll, *mentions],
        section=SECTIONS[scored.level],
        keys={
            "level": scored.level,
            "system": run.system,
            "mentions": run.mentions,
            "singletons": singletons,
        },
        signature=result.signature,
        contest=f"{scored.level} {run.mentions} {singletons}",
    )


REPORT = CollectionReport(
    name="ecb-realistic",
    summary="cross-document coreference by mentions, level, singletons, events and entities",
    source="Cattan et al. 2021, Table 3",
    tables={"events": "", "entities": "", "all": ""},
    make=make,
)
