"""Read the inputs of reports on collections: the documents of chosen topics, and the responses of systems."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...corpora.files import read_source, sources
from ...corpora.key_and_response import STDIN, Documents
from ...corpora.resolving import load
from ...document import Document
from ...document.documents import keep_validated
from ...errors import CoindexError, UnknownNameError, quote
from ...formats.ecbplus import topic_of
from ...resolvers.chain import parse_chain
from ...resolvers.neural.folder import DESCRIPTION
from ...resolvers.registry import get_resolver
from ...resolvers.resolver import Mentions
from .base import LEVELS, MENTION_SOURCES, DocumentCollection, Level, MentionSource, Predict, Run, chain_responses
from .ecb_realistic import DEV, TRAIN
from .scoring import Reading

SPLITS = {"dev": DEV, "train": TRAIN, "all": None}
ECBPLUS, WHOLE = "ecbplus", {"sentences": "context"}
MODES: dict[MentionSource, Mentions] = {"gold": "given", "predicted": "detected"}
"""The names of these mentions as options of resolvers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The chosen topics of a collection, the levels, and the function that predicts topics, if any."""

    topics: frozenset[str] | None = frozenset(DEV)
    levels: tuple[Level, ...] = LEVELS
    predict: Predict | None = None

    @classmethod
    def parse(cls, split: str | None, levels: Sequence[str] | None, predict: Predict | None) -> Choices:
        """Return the choices by their names; `split` may also be a list of topics separated by commas."""
        for level in levels or ():
            if level not in LEVELS:
                raise UnknownNameError("level", level, LEVELS)
        split = "dev" if split is None else split
        topics = SPLITS[split] if split in SPLITS else [topic.strip() for topic in split.split(",") if topic.strip()]
        if topics is not None and not topics:
            raise CoindexError(
                f"the split {quote(split)} has no topics; expected dev, train, all, or topics such as 1,3,4",
                code="invalid-option",
            )
        return cls(
            topics=None if topics is None else frozenset(topics),
            levels=tuple(level for level in LEVELS if not levels or level in levels),
            predict=predict,
        )

    def take(self, docs: Iterable[Document]) -> list[Document]:
        """Return the documents of the chosen topics, and those without a topic."""
        return [doc for doc in docs if self.topics is None or doc.topic is None or doc.topic in self.topics]


@dataclass(frozen=True, slots=True)
class SystemName:
    """The parts of the name of a system: "mine:gold:topic" is the system mine on gold mentions at the topic level."""

    name: str
    mentions: MentionSource | None = None
    level: Level | None = None

    @classmethod
    def parse(cls, text: str) -> SystemName:
        """Split a name into its parts."""
        parsed = cls(text)
        while ":" in parsed.name:
            name, _, last = parsed.name.rpartition(":")
            if last in MENTION_SOURCES and parsed.mentions is None:
                parsed = replace(parsed, name=name, mentions=last)
            elif last in LEVELS and parsed.level is None:
                parsed = replace(parsed, name=name, level=last)
            else:
                break
        return parsed


@dataclass(slots=True)
class Inputs:
    """Reads the documents of a collection and the responses of systems."""

    choices: Choices
    reading: Reading
    about: dict[str, Any] = field(default_factory=dict)

    def collection(self, key: Documents, systems: Sequence[tuple[str, Documents]]) -> DocumentCollection:
        """Return the key with a run for each system and kind of mentions."""
        seen = self.key(key)
        docs = seen if "sentences" in self.reading.options else [keep_validated(doc) for doc in seen]
        topics = None
        if self.choices.predict is not None:
            predicted = self.choices.predict(docs)
            topics = {doc.id or "": topic for doc, topic in zip(docs, predicted, strict=True)}
        collection = DocumentCollection(
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
        """Return the key documents of the chosen topics; raise an error if there are none, or no entities."""
        name = os.fspath(key) if isinstance(key, str | os.PathLike) else "key"
        docs = self.choices.take(self.documents(key, whole=True))
        without = next((doc for doc in docs if doc.topic is None), None)
        if without is not None and (self.choices.levels != ("corpus",) or self.choices.topics is not None):
            raise CoindexError(
                f"document {quote(without.id or '')} has no topic; use a collection with topics, such as ECB+, "
                "or treat all documents as one collection with --split all --levels corpus "
                '(split="all", levels=["corpus"] in Python)',
                code="missing-topic",
                path=name,
            )
        if not docs:
            topics = " ".join(sorted(self.choices.topics or (), key=lambda topic: (len(topic), topic)))
            raise CoindexError(
                f"no documents of the topics {topics}; choose other topics with --split train, --split all or "
                "--split 1,3,4 (split=… in Python)",
                code="missing-topic",
                path=name,
            )
        if not any(doc.entities for doc in docs):
            raise CoindexError(
                "no entities; expected a collection with coreference annotation", code="no-entities", path=name
            )
        repeated = _find_repeated([doc.id for doc in docs])
        if repeated is not None:
            raise CoindexError(
                f"several documents have the id {quote(repeated)}; ids must be unique",
                code="duplicate-document-id",
                path=name,
            )
        return docs

    def documents(self, side: Documents, *, whole: bool = False) -> Iterator[Document]:
        """Yield the documents of a path, or those given; files that cannot contain a chosen topic are not opened.

        With `whole`, documents of ECB+ have all their sentences, unless the options for reading specify otherwise.
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
        """Return whether a file can contain a chosen topic: ECB+ has it in the names of the file and of its folder."""
        if path is None or self.choices.topics is None:
            return True
        topic, _ = topic_of(path.name.removesuffix(".gz").removesuffix(".xml"))
        return topic is None or topic != path.parent.name or topic in self.choices.topics

    def runs(self, text: str, response: Documents, collection: DocumentCollection) -> Iterator[Run]:
        """Yield the runs of a system: an existing response, or a resolver run on gold and predicted mentions."""
        name = SystemName.parse(text)
        if not name.name.strip():
            raise CoindexError(f"{quote(text)}: the system has no name; use NAME=RESPONSE", code="invalid-input")
        if name.level is not None and name.level not in self.choices.levels:
            raise CoindexError(
                f"{quote(text)} is for the level {name.level}, which is not among the reported levels "
                f"({', '.join(self.choices.levels)}); omit the system, or add the level with --levels (levels=…)",
                code="invalid-input",
            )
        levels = LEVELS if name.level is None else (name.level,)
        if isinstance(response, str | os.PathLike) and _is_resolver(os.fspath(response)):
            chain_text = os.fspath(response)
            for mentions in _find_mention_sources(name, chain_text):
                # mention detection is scored on all predicted mentions, those without a link included
                singletons = None if _names_singletons(chain_text) else True
                chain = load(chain_text, mentions=MODES[mentions], singletons=singletons)
                self.about.setdefault("resolvers", {})[name.name] = chain.name
                respond = chain_responses(chain, collection)
                yield Run(system=name.name, mentions=mentions, respond=respond, levels=levels)
            return
        docs = _sort_like_key(name.name, self.choices.take(self.documents(response)), collection.key)
        if collection.whole:  # a response may include the context sentences
            docs = [keep_validated(doc) for doc in docs]
        mentions = name.mentions or ("gold" if _spans(docs) == _spans(collection.key) else "predicted")
        yield Run(system=name.name, mentions=mentions, respond=lambda level: docs, levels=levels)


def _is_resolver(text: str) -> bool:
    """Return whether a text is a chain of resolvers: not an existing path, except a model folder."""
    return text != STDIN and (not os.path.exists(text) or os.path.isfile(os.path.join(text, DESCRIPTION)))


def _names_singletons(text: str) -> bool:
    """Return whether a chain says itself what happens to singletons."""
    return any(argument.startswith("singletons") for _, arguments in parse_chain(text) for argument in arguments)


def _find_mention_sources(name: SystemName, text: str) -> list[MentionSource]:
    """Return the kinds of mentions that a chain supports, or the requested one."""
    try:
        resolvers = [get_resolver(step) for step, _ in parse_chain(text)]
    except CoindexError as error:
        raise CoindexError(
            f"{quote(name.name)}: {quote(text)} is neither an existing file or folder nor a resolver ({error}); "
            "use a response, or a resolver listed by `coindex resolvers`",
            code="invalid-input",
        ) from error
    if name.mentions is not None:
        return [name.mentions]
    known = [resolver.mentions for resolver in resolvers if resolver.kind in ("rules", "learned")]
    return [source for source in MENTION_SOURCES if all(MODES[source] in mentions for mentions in known)]


def _sort_like_key(name: str, docs: Sequence[Document], key: Sequence[Document]) -> list[Document]:
    """Return the documents in the order of the key; raise an error unless they are the same documents."""
    by_id = {doc.id: doc for doc in docs}
    repeated = _find_repeated([doc.id for doc in docs])
    missing = [doc.id for doc in key if doc.id not in by_id]
    extra = sorted(str(id) for id in by_id.keys() - {doc.id for doc in key})
    for ids, problem, remedy in (
        (missing, "no document", "the response must contain every document of the key"),
        (extra, "a document that is not in the key,", "remove it, or choose its topic with --split (split=…)"),
        ([repeated] if repeated is not None else [], "several documents", "include each document once"),
    ):
        if ids:
            more = f" ({len(ids)} such documents)" if len(ids) > 1 else ""
            raise CoindexError(
                f"{quote(name)}: {problem} {quote(str(ids[0]))}{more}; expected the {len(key)} documents of the key; "
                f"{remedy}",
                code="different-documents",
            )
    return [by_id[doc.id] for doc in key]


def _find_repeated(ids: Sequence[str | None]) -> str | None:
    seen: set[str | None] = set()
    for id in ids:
        if id in seen:
            return str(id)
        seen.add(id)
    return None


def _spans(docs: Iterable[Document]) -> set[tuple[str | None, tuple[int, ...], str]]:
    """Return all mentions by document, positions and kind."""
    return {(doc.id, mention.positions, entity.kind) for doc in docs for mention, entity in doc.mentions()}


def _check_runs(runs: Sequence[Run]) -> None:
    seen: set[tuple[str, str, str]] = set()
    for run in runs:
        for level in run.levels:
            place = (run.system, run.mentions, level)
            if place in seen:
                raise CoindexError(
                    f"system {quote(run.system)}: two responses with {run.mentions} mentions at the level {level}; "
                    "rename one of them, or specify their mentions, as in "
                    f"{run.system}:gold=FIRST {run.system}:predicted=SECOND",
                    code="duplicate-input",
                )
            seen.add(place)
