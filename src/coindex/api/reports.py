"""The result tables of papers over any systems."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis.reports.base import DatasetReport, DocumentFacts, Findings, Found, TrackReport, Wanted
from ..analysis.reports.collection import (
    LEVELS,
    MENTION_SOURCES,
    Collection,
    Level,
    MentionSource,
    Predict,
    Run,
    chain_responses,
)
from ..analysis.reports.ecb_realistic import DEV, TRAIN
from ..analysis.statistics import Counts, count_document
from ..document import Document
from ..document.heads import find_heads
from ..document.metadata import genre_of, validated_part
from ..errors import CoindexError, CoindexWarning, UnknownNameError, quote
from ..formats.ecbplus.sentences import topic_of
from ..resolvers.chain import parse_chain
from ..resolvers.neural.folder import DESCRIPTION
from ..resolvers.resolver import Mentions
from ..scoring import Result, Settings, Unit, UnitCounts, count_unit
from ..scoring.breakdowns import count_by_tag, finish_tags
from ..scoring.notes import warn
from ..scoring.token_alignment import Locate
from .arguments import check_side, check_text
from .counting import Options, count_all
from .files import read_source, sources
from .inputs import STDIN, Documents, dataset_name, locate
from .resolving import find_resolver, load
from .scoring import find_datasets

if TYPE_CHECKING:
    from ..analysis.figures import Chart
    from ..analysis.reports.base import AnyReport, Report


Pairs = Sequence[tuple[str, Documents]]
"""Systems and their responses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How files are read, and on how many processes they are scored."""

    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    jobs: int = 1

    @property
    def counting(self) -> Options:
        return Options(format=self.format, read_options=self.options, jobs=self.jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What was found in one unit."""

    counts: Mapping[str, UnitCounts]
    """By variant."""
    by_upos: Mapping[str, UnitCounts]
    key: Counts | None
    response: Counts | None
    facts: DocumentFacts | None


def check_systems(report: DatasetReport | TrackReport, pairs: Pairs) -> None:
    """Refuse a report without a system, a system without a name, or two of one name."""
    if not pairs:
        raise CoindexError(f"{report.name}: no system; expected at least one response; give it as NAME=RESPONSE")
    names = [name for name, _ in pairs]
    for at, name in enumerate(names):
        if not name.strip():
            raise CoindexError("a system without a name; expected NAME=RESPONSE; give it a name")
        if name in names[:at]:
            raise CoindexError(f"system {quote(name)}: given twice; expected a name for each; rename one of them")


def score_datasets(report: DatasetReport, wanted: Wanted, key: Documents, pairs: Pairs, reading: Reading) -> Findings:
    """What the report wants to know of each response to each dataset."""
    check_systems(report, pairs)
    key = again(key)
    systems: dict[str, dict[str, Found]] = {}
    key_counts: dict[str, Counts] = {}
    facts: dict[str, list[DocumentFacts]] = {}
    for name, response in pairs:
        systems[name] = {}
        with telling(name):
            datasets = _datasets(key, response, reading.format)
            if facts and facts.keys() != datasets.keys():
                raise CoindexError(
                    f"a response to {', '.join(datasets)}; expected one to {', '.join(facts)}, as that of "
                    f"{quote(pairs[0][0])}; give files for all systems, or folders with the same files"
                )
            for dataset, both in datasets.items():
                looked = _look_at(report, wanted, *both, reading)
                systems[name][dataset] = _found(report, wanted, looked)
                if dataset not in facts:
                    key_counts[dataset] = _total(one.key for one in looked)
                    facts[dataset] = [one.facts for one in looked if one.facts is not None]
    return Findings(systems=systems, key_counts=key_counts, facts=facts)


@contextmanager
def telling(system: str) -> Iterator[None]:
    """Errors and warnings say which system they are about."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CoindexWarning)
        try:
            yield
        except CoindexError as error:
            raise CoindexError(f"{quote(system)}: {error}") from error
    for one in caught:
        about = f"{system}: " if issubclass(one.category, CoindexWarning) else ""
        warnings.warn(f"{about}{one.message}", one.category, stacklevel=3)


def again(side: Documents) -> Documents:
    """Documents that can be gone through more than once."""
    return side if isinstance(side, str | os.PathLike | Document | Sequence) else list(side)


def _datasets(key: Documents, response: Documents, format: str | None) -> Mapping[str, tuple[Documents, Documents]]:
    """The datasets of two paths; documents are one dataset."""
    if not isinstance(key, str | os.PathLike) or not isinstance(response, str | os.PathLike):
        return {"documents": (key, response)}
    check_path(response)
    return find_datasets(key, response, format)


def check_path(response: str | os.PathLike[str]) -> None:
    if not os.path.exists(response) and os.fspath(response) != STDIN:
        raise CoindexError(
            f"{os.fspath(response)}: no such file or folder; expected a response; name one that is there"
        )


def _look_at(
    report: DatasetReport, wanted: Wanted, key: Documents, response: Documents, reading: Reading
) -> list[Looked]:
    """What is in each unit; all variants of a report pair documents alike, so that one pass is enough."""
    variants = {name: report.variants[name] for name in wanted.variants}
    first = next(iter(variants.values()))
    for settings in variants.values():
        alike = (settings.rules, settings.strict, settings.unit, settings.kind)
        assert alike == (first.rules, first.strict, first.unit, first.kind), "they have one reading of the documents"
    look = partial(look_at_unit, variants=variants, wanted=wanted, locate=locate)
    return count_all(look, key, response, first, reading.counting)


def look_at_unit(unit: Unit, variants: Mapping[str, Settings], wanted: Wanted, locate: Locate) -> Looked:
    """What a report wants to know of one unit."""
    keys = [pair.key for pair in unit.pairs if pair.key is not None]
    responses = [pair.response for pair in unit.pairs if pair.response is not None]
    return Looked(
        counts={name: count_unit(unit, settings, locate) for name, settings in variants.items()},
        by_upos={} if wanted.upos is None else count_by_tag(unit, variants[wanted.upos], locate),
        key=_total(map(count_document, keys)) if wanted.counts else None,
        response=_total(map(_count_by_tree, responses)) if wanted.counts else None,
        facts=_facts(unit.id, keys) if wanted.facts else None,
    )


def _count_by_tree(doc: Document) -> Counts:
    """A response counted with the heads of its trees, whatever it says; CRAC asked for no heads."""
    return count_document(find_heads(doc, overwrite=True))


def _facts(id: str | None, docs: Sequence[Document]) -> DocumentFacts:
    words = sum(len(doc.tokens) - len(doc.tokens.empty_positions) for doc in docs)
    return DocumentFacts(id, next((genre for doc in docs if (genre := genre_of(doc))), None), words)


def _total(counts: Iterable[Counts | None]) -> Counts:
    total = Counts()
    for one in counts:
        if one is not None:
            total += one
    return total


def _found(report: DatasetReport, wanted: Wanted, looked: Sequence[Looked]) -> Found:
    """The results of all units together; what is odd about them is warned of once, not for each variant."""
    first = next(iter(wanted.variants))
    warn((note for one in looked for note in one.counts[first].notes), stacklevel=5)
    results = {name: Result.of(report.variants[name], [one.counts[name] for one in looked]) for name in wanted.variants}
    tags = {}
    if wanted.upos is not None:
        tags = finish_tags(report.variants[wanted.upos], [one.by_upos for one in looked])
    counts = _total(one.response for one in looked) if wanted.counts else None
    return Found(results=results, by_upos=tags, counts=counts)


SPLITS = {"dev": DEV, "train": TRAIN, "all": None}
ECBPLUS, WHOLE = "ecbplus", {"sentences": "context"}
MODES: dict[MentionSource, Mentions] = {"gold": "given", "predicted": "detected"}
"""What resolvers call these mentions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Which topics of a collection are looked at, at which levels, and how topics are predicted, if they are."""

    topics: frozenset[str] | None = frozenset(DEV)
    levels: tuple[Level, ...] = LEVELS
    predict: Predict | None = None

    @classmethod
    def parse(cls, split: str | None, levels: Sequence[str] | None, predict: Predict | None) -> Choices:
        """The choices by their names; `split` may also be topics, parted by commas."""
        for level in levels or ():
            if level not in LEVELS:
                raise UnknownNameError("level", level, LEVELS)
        split = "dev" if split is None else split
        topics = SPLITS[split] if split in SPLITS else [topic.strip() for topic in split.split(",") if topic.strip()]
        if topics is not None and not topics:
            raise CoindexError(
                f"split {quote(split)}: no topic in it; expected dev, train, all, or topics such as 1,3,4"
            )
        return cls(
            topics=None if topics is None else frozenset(topics),
            levels=tuple(level for level in LEVELS if not levels or level in levels),
            predict=predict,
        )

    def take(self, docs: Iterable[Document]) -> list[Document]:
        """The documents of the chosen topics, and those that do not say theirs."""
        return [doc for doc in docs if self.topics is None or doc.topic is None or doc.topic in self.topics]


@dataclass(frozen=True, slots=True)
class SystemName:
    """What the name of a system says: "mine:gold:topic" is mine, on gold mentions, for the level topic."""

    name: str
    mentions: MentionSource | None = None
    level: Level | None = None

    @classmethod
    def parse(cls, text: str) -> SystemName:
        """The name without the endings that mean something."""
        found = cls(text)
        while ":" in found.name:
            name, _, last = found.name.rpartition(":")
            if last in MENTION_SOURCES and found.mentions is None:
                found = replace(found, name=name, mentions=last)
            elif last in LEVELS and found.level is None:
                found = replace(found, name=name, level=last)
            else:
                break
        return found


@dataclass(slots=True)
class Inputs:
    """A collection while it is put together."""

    choices: Choices
    reading: Reading
    about: dict[str, Any] = field(default_factory=dict)

    def collection(self, key: Documents, systems: Sequence[tuple[str, Documents]]) -> Collection:
        """The key, and a run for each system and kind of mentions."""
        seen = self.key(key)
        docs = seen if "sentences" in self.reading.options else [validated_part(doc) for doc in seen]
        topics = None
        if self.choices.predict is not None:
            predicted = self.choices.predict(docs)
            topics = {doc.id or "": topic for doc, topic in zip(docs, predicted, strict=True)}
        collection = Collection(
            key=docs, whole=seen if docs is not seen else (), levels=self.choices.levels, topics=topics
        )
        runs = [run for name, response in systems for run in self.runs(name, response, collection)]
        _check_runs(runs)
        self.about |= {
            "documents": len(docs),
            "topics": sorted({doc.topic or "" for doc in docs}, key=lambda topic: (len(topic), topic)),
            "topics_seen": "given" if topics is None else "predicted",
        }
        return replace(collection, runs=runs)

    def key(self, key: Documents) -> list[Document]:
        """The documents of the chosen topics; an error where there are none, or nothing to score by."""
        name = os.fspath(key) if isinstance(key, str | os.PathLike) else "key"
        docs = self.choices.take(self.documents(key, whole=True))
        without = next((doc for doc in docs if doc.topic is None), None)
        if without is not None and (self.choices.levels != ("corpus",) or self.choices.topics is not None):
            raise CoindexError(
                f"{name}: document {quote(without.id or '')} has no topic; expected a collection with topics, such as "
                "ECB+; name another folder, or take all documents as one with --split all --levels corpus "
                '(split="all", levels=["corpus"] in Python)'
            )
        if not docs:
            topics = " ".join(sorted(self.choices.topics or (), key=lambda topic: (len(topic), topic)))
            raise CoindexError(
                f"{name}: no document of the topics {topics}; expected an ECB+ collection with some of them; choose "
                "others with --split train, --split all or --split 1,3,4 (split=… in Python)"
            )
        if not any(doc.entities for doc in docs):
            raise CoindexError(f"{name}: no entities in it; expected a collection with coreference to score by")
        repeated = _repeated([doc.id for doc in docs])
        if repeated is not None:
            raise CoindexError(f"{name}: two documents {quote(repeated)}; expected an id of its own for each")
        return docs

    def documents(self, side: Documents, *, whole: bool = False) -> Iterator[Document]:
        """The documents of a path, or those given; files that a chosen topic cannot be in are not even opened.

        `whole` documents of ECB+ have all their sentences, if nothing else is said of how they are read.
        """
        if isinstance(side, Document):
            yield side
        elif not isinstance(side, str | os.PathLike):
            yield from side
        else:
            for source, format in sources(os.fspath(side), self.reading.format, annotated=True):
                if self._may_hold(source.path):
                    context = WHOLE if whole and format.name == ECBPLUS else {}
                    yield from read_source(source, format, {**context, **self.reading.options})
                else:
                    source.close()

    def _may_hold(self, path: Path | None) -> bool:
        """Whether a file can have a chosen topic: ECB+ says it twice, by the name of the file and of its folder."""
        if path is None or self.choices.topics is None:
            return True
        topic, _ = topic_of(path.name.removesuffix(".gz").removesuffix(".xml"))
        return topic is None or topic != path.parent.name or topic in self.choices.topics

    def runs(self, text: str, response: Documents, collection: Collection) -> Iterator[Run]:
        """A response that was made before, or a resolver run on gold and on predicted mentions."""
        name = SystemName.parse(text)
        if not name.name.strip():
            raise CoindexError(f"{quote(text)}: a system without a name; expected NAME=RESPONSE; give it a name")
        if name.level is not None and name.level not in self.choices.levels:
            raise CoindexError(
                f"{quote(text)}: made for the level {name.level}, which is not asked for; expected one of "
                f"{', '.join(self.choices.levels)}; leave the system out, or ask for the level with --levels (levels=…)"
            )
        levels = LEVELS if name.level is None else (name.level,)
        if isinstance(response, str | os.PathLike) and _is_resolver(os.fspath(response)):
            chain_text = os.fspath(response)
            for mentions in _possible(name, chain_text):
                chain = load(chain_text, mentions=MODES[mentions])
                self.about.setdefault("resolvers", {})[name.name] = chain.name
                respond = chain_responses(chain, collection)
                yield Run(system=name.name, mentions=mentions, respond=respond, levels=levels)
            return
        docs = _in_order(name.name, self.choices.take(self.documents(response)), collection.key)
        if collection.whole:  # a response may have kept the sentences that are context
            docs = [validated_part(doc) for doc in docs]
        mentions = name.mentions or ("gold" if _spans(docs) == _spans(collection.key) else "predicted")
        yield Run(system=name.name, mentions=mentions, respond=lambda level: docs, levels=levels)


def _is_resolver(text: str) -> bool:
    """Whether it is a chain of resolvers: not a path that is there, unless to a model folder."""
    return text != STDIN and (not os.path.exists(text) or os.path.isfile(os.path.join(text, DESCRIPTION)))


def _possible(name: SystemName, text: str) -> list[MentionSource]:
    """The kinds of mentions that a chain can work on, or the one that was asked for."""
    try:
        resolvers = [find_resolver(step) for step, _ in parse_chain(text)]
    except CoindexError as error:
        raise CoindexError(
            f"{quote(name.name)}: {quote(text)} is neither a file or folder that is there nor a resolver ({error}); "
            "expected one of them; name a response, or a resolver that `coindex resolvers` lists"
        ) from error
    if name.mentions is not None:
        return [name.mentions]
    known = [resolver.mentions for resolver in resolvers if resolver.kind in ("rules", "learned")]
    return [source for source in MENTION_SOURCES if all(MODES[source] in mentions for mentions in known)]


def _in_order(name: str, docs: Sequence[Document], key: Sequence[Document]) -> list[Document]:
    """The documents in the key's order, which means nothing in a collection; all of them must be there."""
    by_id = {doc.id: doc for doc in docs}
    repeated = _repeated([doc.id for doc in docs])
    missing = [doc.id for doc in key if doc.id not in by_id]
    extra = sorted(str(id) for id in by_id.keys() - {doc.id for doc in key})
    for ids, found, remedy in (
        (missing, "no document", "give a response to every document of the key"),
        (extra, "a document that is not in the key,", "remove it, or choose its topic with --split (split=…)"),
        ([repeated] if repeated is not None else [], "two documents", "give each once"),
    ):
        if ids:
            more = f" ({len(ids)} such documents)" if len(ids) > 1 else ""
            raise CoindexError(
                f"{quote(name)}: {found} {quote(str(ids[0]))}{more}; expected the {len(key)} documents of the key; "
                f"{remedy}"
            )
    return [by_id[doc.id] for doc in key]


def _repeated(ids: Sequence[str | None]) -> str | None:
    seen: set[str | None] = set()
    for id in ids:
        if id in seen:
            return str(id)
        seen.add(id)
    return None


def _spans(docs: Iterable[Document]) -> set[tuple[str | None, tuple[int, ...], str]]:
    """All mentions, by document, place and kind."""
    return {(doc.id, mention.positions, entity.kind) for doc in docs for mention, entity in doc.mentions()}


def _check_runs(runs: Sequence[Run]) -> None:
    seen: set[tuple[str, str, str]] = set()
    for run in runs:
        for level in run.levels:
            place = (run.system, run.mentions, level)
            if place in seen:
                raise CoindexError(
                    f"system {quote(run.system)}: two responses with {run.mentions} mentions at the level {level}; "
                    "expected one; rename one of them, or say what each is, as in "
                    f"{run.system}:gold=FIRST {run.system}:predicted=SECOND"
                )
            seen.add(place)


def score_tracks(report: TrackReport, key: Documents, pairs: Pairs, reading: Reading) -> dict[str, dict[str, Result]]:
    """Results by track and system."""
    check_systems(report, pairs)
    keys = _by_track(again(key), report.tracks)
    results: dict[str, dict[str, Result]] = {track: {} for track in report.tracks}
    for text, response in pairs:
        name, track = split_name(text, report.tracks)
        with telling(name):
            responses = _responses(report, again(response), track, keys, reading)
            for own, side in responses.items():
                if name in results[own]:
                    raise CoindexError(f"two responses in {own}; expected one; rename one of them")
                results[own][name] = _score(report, own, keys.get(own, keys.get("")), side, reading)
    return results


def split_name(text: str, tracks: Iterable[str]) -> tuple[str, str | None]:
    """The name of a system, and the track that it names at its end.

    >>> split_name("mine:task1", ["task1", "task2"]), split_name("mine:x", ["task1"])
    (('mine', 'task1'), ('mine:x', None))
    """
    name, _, last = text.rpartition(":")
    if last not in tracks or not name:
        return text, None
    if not name.strip():
        raise CoindexError(f"{quote(text)}: a system without a name; expected NAME=RESPONSE; give it a name")
    return name, last


def _by_track(side: Documents, tracks: Iterable[str]) -> dict[str, Documents]:
    """The files or folders in a folder that have the names of tracks; all under "" where there are none."""
    if isinstance(side, str | os.PathLike) and os.path.isdir(side):
        paths = [os.path.join(side, name) for name in sorted(os.listdir(side)) if not name.startswith(".")]
        by_name = {dataset_name(path): path for path in paths}
        found: dict[str, Documents] = {track: by_name[track] for track in tracks if track in by_name}
        if found:
            return found
    return {"": side}


def _responses(
    report: TrackReport, response: Documents, track: str | None, keys: Mapping[str, Documents], reading: Reading
) -> dict[str, Documents]:
    """What is scored in which track: as the name says, as the folder says, as the file says, else in all."""
    if isinstance(response, str | os.PathLike):
        check_path(response)
    known = list(report.tracks) if "" in keys else list(keys)
    found = {track: response} if track is not None else _by_track(response, report.tracks)
    if "" in found:
        said = _said_by(report, response, reading)
        if said is None and len(keys) > 1:
            raise CoindexError(
                f"one response, though the key has one part for each of {', '.join(known)}; expected a folder with "
                f"some of these names, or a name that says the track, as in NAME:{known[0]}=RESPONSE; give one of them"
            )
        found = {said: response} if said is not None else dict.fromkeys(known, response)
    for own in found:
        if own not in known:
            raise CoindexError(
                f"a response for {own}; expected one for {', '.join(known)}, as in the key; leave it out"
            )
    return found


def _said_by(report: TrackReport, response: Documents, reading: Reading) -> str | None:
    """The track that the first document of a response names."""
    first = _first(response, reading)
    return None if first is None else report.said_by(first)


def _first(side: Documents, reading: Reading) -> Document | None:
    if isinstance(side, Document):
        return side
    if isinstance(side, str | os.PathLike):
        if os.fspath(side) == STDIN:
            return None
        for source, format in sources(os.fspath(side), reading.format, annotated=True):
            return next(iter(read_source(source, format, reading.options)), None)
        return None
    return next(iter(side), None)  # no iterator any more


def _score(report: TrackReport, track: str, key: Documents | None, response: Documents, reading: Reading) -> Result:
    assert key is not None, "the track is one of the key's"
    settings = report.tracks[track]
    count = partial(count_unit, settings=settings, locate=locate)
    units = count_all(count, key, response, settings, reading.counting)
    warn((note for unit in units for note in unit.notes), stacklevel=5)
    return Result.of(settings, units)


Systems = Mapping[str, Documents] | Sequence[tuple[str, Documents]]
"""Responses by the names of their systems; pairs where a name may come twice by mistake."""
OPTIONS = {
    "ecb-realistic": ("split", "levels", "topics"),
    "documents": ("profile", "metric", "top"),
}
"""The options that only one report has."""


def report(
    name: str,
    key: Documents,
    systems: Systems = (),
    *,
    tables: Sequence[str] | None = None,
    split: str | None = None,
    levels: Sequence[str] | None = None,
    topics: str | Predict | None = None,
    profile: str | None = None,
    metric: str | None = None,
    top: int | None = None,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    jobs: int = 1,
) -> Report:
    """Tables over any systems, by their name: `crac22`, `rueval14`, `are07`, `ecb-realistic`, `documents`.

    `key` and each response is a file, a folder, or documents. `tables` are those to make, by their names or by their
    numbers in the paper; all where None.

    `crac22` takes folders of datasets; the name of a system in `rueval14` and `are07` may say the track that the
    response is of, as in "mine:task1". Options of `documents` are the `profile` and `metric` to score by, and how many
    of the hardest documents are shown (`top`). Options of `ecb-realistic` are which topics are scored (`split`: "dev",
    "train", "all" or "1,3,4"), what counts as one collection (`levels`: "subtopic", "topic", "corpus"), and whether
    resolvers are given the topics or predict them (`topics`: "given", "predicted"). There a response may also be a
    resolver or chain, which is then run, and the name of a system may say what the response was made from and for:
    "mine:gold", "mine:predicted:topic".

    >>> print(report("crac22", "key", {"mine": "out"}, tables=["4", "6"]))  # doctest: +SKIP
    """
    from ..analysis.reports.base import DatasetReport, Report, TrackReport, choose_tables

    check_text(name, "name", "the name of a report, such as 'crac22'")
    check_side(key, "key")
    own = {"split": split, "levels": levels, "topics": topics, "profile": profile, "metric": metric, "top": top}
    found = _find(name, own)
    chosen = choose_tables(found, tables)
    pairs = list(systems.items()) if isinstance(systems, Mapping) else list(systems)
    reading = Reading(format=format, options=read_options or {}, jobs=jobs)
    about = _about(key, pairs)
    charts: list[Chart] = []
    if isinstance(found, DatasetReport):
        findings = score_datasets(found, found.want(chosen), key, pairs, reading)
        made, charts = found.make(findings, chosen), found.draw(findings)
    elif isinstance(found, TrackReport):
        made = found.make(score_tracks(found, key, pairs, reading))
    else:
        inputs = Inputs(Choices.parse(split, levels, _predictor(topics)), reading)
        made = found.make(inputs.collection(key, pairs))
        about |= inputs.about
    kept = [table for table in made if table.name in chosen]
    return Report(name=name, source=found.source, tables=kept, about=about, charts=charts)


def _find(name: str, own: Mapping[str, Any]) -> AnyReport:
    """The report of that name with its options; an option of another is an error."""
    from ..analysis.reports import get_report

    found = get_report(name)
    for owner, options in OPTIONS.items():
        for option in options:
            if owner != name and own[option] is not None:
                raise CoindexError(f"{name} has no option {option}; it is one of {owner}; leave it out")
    if name == "documents":
        from ..analysis.reports.documents import document_report

        return document_report(own["profile"], own["metric"], own["top"])
    return found


def _predictor(topics: str | Predict | None) -> Predict | None:
    """How topics are predicted; None where resolvers see those of the key."""
    if topics is None or topics == "given":
        return None
    if callable(topics):
        return topics
    if topics != "predicted":
        raise UnknownNameError("choice of topics", topics, ("given", "predicted"))
    from ..resolvers.cross.topics import find_topics

    return lambda docs: [str(number) for number in find_topics(docs, "predicted")]


def _about(key: Documents, pairs: Sequence[tuple[str, Documents]]) -> dict[str, Any]:
    """What was compared, for the record: paths, or that documents were given."""
    names = [_path(side) for _, side in pairs]
    return {"key": _path(key), "systems": dict(zip([name for name, _ in pairs], names, strict=True))}


def _path(side: Documents) -> str:
    return os.fspath(side) if isinstance(side, str | os.PathLike) else "documents"
