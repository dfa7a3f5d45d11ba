"""Run the cells of an experiment: train, score on the key, store. Finished cells are not run again."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain as joined
from pathlib import Path
from typing import Any

from ...corpora.resolving import pipe_documents
from ...document import Document
from ...engines import Workers
from ...errors import DataWarning
from ...resolvers.chain import Chain, Recipe
from ...resolvers.neural.folder import folder_resolver
from ...resolvers.resolver import NO_SCHEME, Mentions
from ...scoring import Result, Settings, score_documents
from ...scoring.profiles import signature
from ...scoring.result import package_version
from ..loop import resolve_key
from ..neural.config import Config
from ..run import Progress, Reader, Report, Tick, hash_data, ignore_progress, limit_threads
from .cells import DOCUMENTS, Cell, ExperimentFolder, Outcome, Training, lfw_rate, measure_training

Write = Callable[[Sequence[Document], Path], None]
"""Writes documents; the file appears only when it is complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """The key that all cells are scored on, and the settings of the scorer."""

    name: str
    hash: str
    docs: Sequence[Document]
    settings: Settings
    keep_columns: bool = False
    """Whether resolvers see its tags and trees."""
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where training documents come from."""

    read: Reader
    write: Write
    locate: Callable[[Config], Config]
    """Returns a configuration with the paths of its files."""
    corpus: int
    """The number of the corpus that is varied."""
    docs: Sequence[Document] = ()
    """Its documents, if cells use subsets of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """A resolver that is run without training: its name, the checksums of its models, and a function to load it."""

    name: str
    models: Mapping[str, str]
    load: Callable[[Mentions], Chain]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Callbacks for messages, rows of training logs, and steps."""

    show: Callable[[str], None] = lambda text: None
    report: Report = lambda row: None
    tick: Tick = ignore_progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs the cells of an experiment in its folder; `source` is for trained cells, `resolver` for the others."""

    folder: ExperimentFolder
    key: Key
    source: Source | None = None
    resolver: Resolver | None = None
    keep_models: bool = False
    watch: Watch = field(default_factory=Watch)
    workers: Workers = field(default_factory=Workers)

    def run(self, cells: Sequence[Cell]) -> Iterator[Outcome]:
        """Yield the outcomes in the order of the cells; cells with the same name are run once."""
        hashes: dict[Config, list[str]] = {}
        abouts = [self._about(cell, hashes) for cell in cells]
        for cell, about in zip(cells, abouts, strict=True):
            self.folder.read_outcome(cell, about)  # reports a wrong folder before anything is trained
        warned: set[str] = set()
        for number, (cell, about) in enumerate(zip(cells, abouts, strict=True), 1):
            place = f"{cell.name} ({number} of {len(cells)})"
            outcome = self.folder.read_outcome(cell, about)
            if outcome is None:
                self.watch.show(f"{place}: {cell.work}")
                with warnings.catch_warnings():
                    if "key" in warned:  # warnings about the key are shown for the first cell only
                        warnings.simplefilter("ignore", DataWarning)
                    outcome = self._run_cell(cell, about)
                warned.add("key")
            else:
                self.watch.show(f"{place}: already done")
            if outcome.training is not None and outcome.training.repeated and "repeated" not in warned:
                self._warn_repeated(outcome.training.repeated)
                warned.add("repeated")
            yield replace(outcome, label=cell.label, factors=cell.factors, section=cell.section)

    def _warn_repeated(self, number: int) -> None:
        message = (
            f"{self.key.name}: {number} of {len(self.key.docs)} documents also occur in the training data, word for "
            "word; the scores say little about unseen text; remove these documents from one of them"
        )
        warnings.warn(DataWarning(message, code="repeated-documents"), stacklevel=3)

    def _run_cell(self, cell: Cell, about: Mapping[str, Any]) -> Outcome:
        training = None
        if cell.config is None:
            assert self.resolver is not None, "a cell without a configuration runs a resolver"
            result = self._score(self._respond(self.resolver.load(cell.mentions), cell))
        else:
            result, training = self._train_cell(cell, cell.config, about)
        outcome = Outcome.of(cell, result, training, about)
        self.folder.finish(cell, outcome)
        if not self.keep_models:
            self.folder.remove_models(cell, about)
        return outcome

    def _train_cell(self, cell: Cell, config: Config, about: Mapping[str, Any]) -> tuple[Result, Training]:
        from ..neural.folder import load_trained
        from ..neural.run import NeuralRun

        source = self._source
        run = self.folder.run(cell, about)
        shown, located = self._configs(cell, config, run)
        if cell.documents is not None and not (run / DOCUMENTS).exists():
            source.write([source.docs[number] for number in cell.documents], run / DOCUMENTS)
        training, frequent = measure_training(self._training_documents(located), self.key.docs)
        model = NeuralRun.train(located, run, source.read, self.watch.report, shown=shown, tick=self.watch.tick)
        scheme = config.corpora[source.corpus].name if config.model.corpus_id else NO_SCHEME
        step = (str(model), (f"scheme={scheme}",), str(model))
        find = partial(folder_resolver, load=load_trained)
        chain = Chain(Recipe(steps=(step,), mentions=cell.mentions, language=self.key.language, find=find))
        with limit_threads(config.train.threads):
            response = self._respond(chain, cell, config.train.epochs)
        lfw = lfw_rate(self.key.docs, response, self.key.settings, frequent)
        return self._score(response), replace(training, lfw=lfw)

    def _respond(self, chain: Chain, cell: Cell, epochs: int = 0) -> list[Document]:
        total = len(self.key.docs)
        resolved = resolve_key(
            self.key.docs,
            partial(pipe_documents, chain=chain, workers=self.workers),
            keep_columns=self.key.keep_columns,
            keep_entities=cell.mentions != "detected",
            tick=lambda done: self.watch.tick(Progress(epochs, epochs, done, total, dev=f"{cell.name}, scoring")),
        )
        return resolved.response

    def _score(self, response: Sequence[Document]) -> Result:
        return score_documents(self.key.docs, response, self.key.settings)

    @property
    def _source(self) -> Source:
        assert self.source is not None, "a cell with a configuration has documents to train on"
        return self.source

    def _configs(self, cell: Cell, config: Config, run: Path) -> tuple[Config, Config]:
        """Return the configuration of a cell as it is stored in the model folder, and with the paths of its files."""
        located = self._source.locate(config)
        if cell.documents is not None:
            return self._replace_corpus(config, DOCUMENTS), self._replace_corpus(located, str(run / DOCUMENTS))
        if cell.version is not None:
            return self._replace_corpus(config, cell.version), self._replace_corpus(located, cell.version)
        return config, located

    def _replace_corpus(self, config: Config, path: str) -> Config:
        corpora = list(config.corpora)
        corpora[self._source.corpus] = replace(corpora[self._source.corpus], train=path)
        return replace(config, corpora=tuple(corpora))

    def _training_documents(self, located: Config) -> Iterable[Document]:
        paths = [corpus.train for corpus in located.corpora if corpus.train and not corpus.unlabelled]
        return joined.from_iterable(map(self._source.read, paths))

    def _about(self, cell: Cell, hashes: dict[Config, list[str]]) -> dict[str, Any]:
        """Return everything that the outcome of a cell depends on; `hashes` caches those of data and models."""
        version = package_version()
        about: dict[str, Any] = {
            "version": version,
            "key": self.key.hash,
            "scoring": signature(self.key.settings, version),
            "input": "all columns" if self.key.keep_columns else "raw tokens",
            "mentions": cell.mentions,
            "language": self.key.language or "",
        }
        if cell.config is None:
            assert self.resolver is not None, "a cell without a configuration runs a resolver"
            return {**about, "resolver": self.resolver.name, "models": dict(self.resolver.models)}
        return {**about, **self._about_training(cell, cell.config, hashes)}

    def _about_training(self, cell: Cell, config: Config, hashes: dict[Config, list[str]]) -> dict[str, Any]:
        from ..neural.run import hash_models

        settings = config.relevant_settings()
        settings["corpora"] = [
            {name: value for name, value in corpus.items() if name not in ("train", "dev")}
            for corpus in settings["corpora"]
        ]
        located = self._source.locate(config)
        if cell.version is not None:
            located = self._replace_corpus(located, cell.version)
        if located not in hashes:
            hashes[located] = [*sorted(hash_data(located, located).values()), *hash_models(located)]
        chosen = "all" if cell.documents is None else ",".join(map(str, cell.documents))
        return {
            "settings": settings,
            "data": hashes[located],
            "documents": hashlib.sha256(chosen.encode()).hexdigest(),
        }
