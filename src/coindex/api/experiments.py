"""Experiments: resolvers trained or run under several conditions, scored on one key; nothing is done twice.

Training needs `coindex[train]`; running a resolver on gold mentions does not.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from ..arguments import check_path
from ..corpora.files import read_annotated, write
from ..corpora.key_and_response import STDIN
from ..corpora.resolving import load
from ..document import Document
from ..errors import CoindexError, DataWarning
from .evaluation import Columns, check_raw, model_hashes
from .training import change_config, need_training

if TYPE_CHECKING:
    from ..resolvers.chain import Chain
    from ..resolvers.resolver import Mentions
    from ..scoring import Settings
    from ..training.experiments.cells import Cell
    from ..training.experiments.plans import Pick
    from ..training.experiments.results import ExperimentResult, Kind
    from ..training.experiments.running import Key, Source, Watch
    from ..training.neural.config import Config
    from ..training.run import Report, Tick


PathLike = str | os.PathLike[str]


class ExperimentOptions(TypedDict, total=False):
    """What all experiments can be told: how to train, how to score, what to keep, and who looks on.

    `data` and `changes` are as in `train`; `corpus` names the training corpus that is varied, where there are several.
    `profile` to `zeros` are as in `score`, `columns` and `language` as in `evaluate`. With `seeds` each cell is trained
    so many times, with seeds counted up from that of the configuration, and the table has means. Models are removed
    when they are scored unless `keep_models` is true; `restart` removes what is in the folder. `tell` gets sentences,
    `report` and `tick` are as in `train`.
    """

    data: PathLike | None
    changes: Mapping[str, Any]
    corpus: str | None
    profile: str | None
    match: str | None
    singletons: bool | None
    zeros: str | None
    columns: Columns
    language: str | None
    seeds: int
    keep_models: bool
    restart: bool
    tell: Callable[[str], None]
    report: Report
    tick: Tick


class TrainingSetting:
    """An experiment that trains a model for each cell."""

    def __init__(self, config: PathLike, key: PathLike, folder: PathLike, options: ExperimentOptions) -> None:
        for name, path in {"config": config, "key": key, "folder": folder}.items():
            check_path(path, name)
        from ..training.experiments.plans import find_varied_corpus
        from ..training.experiments.running import Source
        from ..training.neural.config import Config, read_config

        self.config: Config = change_config(read_config(os.fspath(config)), options.get("changes", {}))
        need_training()
        self.folder = folder
        self.options = options
        data = options.get("data")
        find = partial(Config.locate, base=Path(config).parent, data=None if data is None else Path(data))
        number = find_varied_corpus(self.config, options.get("corpus"))
        self.source: Source = Source(read=read_annotated, write=_write_json, locate=find, corpus=number)
        varied = self.config.corpora[number]
        self.corpus = varied.name
        self.key = read_key(key, options, match=varied.match, singletons=varied.singletons)

    def read_documents(self) -> Sequence[Document]:
        """The documents of the corpus that is varied, to be picked from."""
        from dataclasses import replace

        from ..training.run import hash_data

        located = self.source.locate(self.config)
        hash_data(located, located)  # a missing corpus is told of before anything is read
        path = located.corpora[self.source.corpus].train
        assert path is not None, "the varied corpus is one to train on"
        self.source = replace(self.source, docs=list(read_annotated(path)))
        return self.source.docs

    def run(self, kind: Kind, plan: Callable[[Config], list[Cell]]) -> ExperimentResult:
        """The experiment with the cells that are planned for a configuration, for each seed."""
        from ..training.experiments.plans import over_seeds

        cells = over_seeds(self.config, self.options.get("seeds", 1), plan)
        about = {"config": self.config.name, "corpus": self.corpus, "seed": self.config.train.seed}
        return run_cells(kind, cells, self.folder, self.options, self.key, about, source=self.source)


class ResolverSetting:
    """An experiment that runs a resolver as it is."""

    def __init__(self, resolver: str, key: PathLike, folder: PathLike, options: ExperimentOptions) -> None:
        for name, path in {"key": key, "folder": folder}.items():
            check_path(path, name)
        trained = {name: options.get(name) for name in ("data", "changes", "corpus")}
        for name, value in {**trained, "seeds": options.get("seeds", 1) > 1}.items():
            if value:
                raise CoindexError(
                    f"{resolver} is not trained, so {name} means nothing to it; expected the TOML file of a training "
                    "run; leave the option out",
                    code="invalid-option",
                )
        self.resolver = resolver
        self.folder = folder
        self.options = options
        self.key = read_key(key, options)

    def _load(self, mentions: Mentions) -> Chain:
        chain = load(self.resolver, mentions=mentions, language=self.options.get("language"))
        if not self.key.keep_columns:
            check_raw(chain)
        return chain

    def run(self, kind: Kind, plan: Callable[[None], list[Cell]]) -> ExperimentResult:
        """The experiment; the resolver is loaded for all cells first, as some know no such mentions."""
        from ..training.experiments.running import Resolver

        cells = plan(None)
        chains = {cell.mentions: self._load(cell.mentions) for cell in cells}
        first = next(iter(chains.values()))
        resolver = Resolver(name=first.name, models=model_hashes(first), load=chains.__getitem__)
        return run_cells(kind, cells, self.folder, self.options, self.key, {"resolver": first.name}, resolver=resolver)


def read_key(path: PathLike, options: ExperimentOptions, **scored: Any) -> Key:
    """The key with how it is scored: as the options say, else by the profile, else by `scored`."""
    from ..resolvers.neural.folder import file_hash
    from ..training.experiments.running import Key

    name = os.fspath(path)
    if name == STDIN:
        raise CoindexError(
            "the key is standard input; expected a file or folder, which can be read again; name it",
            code="unsupported-standard-input",
        )
    docs = list(read_annotated(name))
    if not any(doc.entities for doc in docs):
        raise CoindexError(
            "no entities in it; expected a key to score by; give an annotated corpus", code="no-entities", path=name
        )
    return Key(
        name=name,
        hash=file_hash(Path(name)),
        docs=docs,
        settings=_scoring(options, scored),
        keep_columns=options.get("columns", "raw") == "keep",
        language=options.get("language"),
    )


def _scoring(options: ExperimentOptions, scored: Mapping[str, Any]) -> Settings:
    from ..scoring import make_settings
    from ..training.loop import METRICS

    default = scored if options.get("profile") is None else {}
    match, singletons = options.get("match"), options.get("singletons")
    return make_settings(
        options.get("profile"),
        match=default.get("match") if match is None else match,
        singletons=default.get("singletons") if singletons is None else singletons,
        zeros=options.get("zeros"),
        metrics=METRICS,
    )


def run_cells(
    kind: Kind,
    cells: Sequence[Cell],
    folder: PathLike,
    options: ExperimentOptions,
    key: Key,
    about: Mapping[str, Any],
    **what: Any,
) -> ExperimentResult:
    """All cells with a `source` or a `resolver`; the table in the folder grows with each."""
    from ..training.experiments.cells import ExperimentFolder
    from ..training.experiments.results import ExperimentResult
    from ..training.experiments.running import Runner

    kept = ExperimentFolder(Path(folder))
    if options.get("restart", False):
        kept.clear()
    keep_models = options.get("keep_models", False)
    runner = Runner(folder=kept, key=key, keep_models=keep_models, watch=_watch(options), **what)
    result = ExperimentResult(kind=kind, key=key.name, outcomes=(), about=about)
    for outcome in runner.run(cells):
        result = ExperimentResult(kind=kind, key=key.name, outcomes=(*result.outcomes, outcome), about=about)
        kept.write_results(result.render("csv"))
    return result


def _watch(options: ExperimentOptions) -> Watch:
    from ..training.experiments.running import Watch

    nobody = Watch()
    return Watch(
        tell=options.get("tell", nobody.tell),
        report=options.get("report", nobody.report),
        tick=options.get("tick", nobody.tick),
    )


def _write_json(docs: Sequence[Document], path: Path) -> None:
    write(docs, path, "json")


def size_experiment(
    config: PathLike,
    key: PathLike,
    folder: PathLike,
    *,
    sizes: Sequence[int] | None = None,
    picks: Sequence[Pick] = ("random",),
    **options: Unpack[ExperimentOptions],
) -> ExperimentResult:
    """Train on subsets of several sizes and score each on the key (PreCo, Figure 5 a).

    `sizes` are numbers of documents: all, half, a quarter and so on if left out. `picks` say which documents they are:
    "random", or those with the "low" or "high" overlap with the key. A finished cell in `folder` is not trained again.

    >>> size_experiment("mine.toml", "dev.conllu", "runs/size", sizes=[10, 100])  # doctest: +SKIP
    """
    from ..analysis.overlap import Vocabulary
    from ..training.experiments.plans import size_cells

    setting = TrainingSetting(config, key, folder, options)
    docs, known = setting.read_documents(), Vocabulary.of(setting.key.docs)
    plan = partial(size_cells, docs=docs, key=known, sizes=sizes, picks=picks, corpus=setting.corpus)
    return setting.run("size", plan)


def overlap_experiment(
    config: PathLike,
    key: PathLike,
    folder: PathLike,
    *,
    groups: int = 8,
    size: int | None = None,
    **options: Unpack[ExperimentOptions],
) -> ExperimentResult:
    """Train on groups of documents of one size, from the lowest overlap with the key to the highest (Figure 5 c).

    `size` is that of a group; all documents are shared out if it is left out.
    """
    from ..analysis.overlap import Vocabulary
    from ..training.experiments.plans import overlap_cells

    setting = TrainingSetting(config, key, folder, options)
    docs, known = setting.read_documents(), Vocabulary.of(setting.key.docs)
    plan = partial(overlap_cells, docs=docs, key=known, number=groups, size=size, corpus=setting.corpus)
    return setting.run("overlap", plan)


def annotation_experiment(
    config: PathLike,
    key: PathLike,
    folder: PathLike,
    versions: Mapping[str, PathLike] | Sequence[tuple[str, PathLike]],
    **options: Unpack[ExperimentOptions],
) -> ExperimentResult:
    """Train a model on each version of the training annotation, given by its name and path (PreCo, Table 3)."""
    from ..training.experiments.plans import annotation_cells

    setting = TrainingSetting(config, key, folder, options)
    named = versions.items() if isinstance(versions, Mapping) else versions
    pairs = [(name, os.fspath(path)) for name, path in named]
    result = setting.run("annotation", partial(annotation_cells, versions=pairs))
    sizes = {(one.training.documents, one.training.words) for one in result.outcomes if one.training is not None}
    if len(sizes) > 1:
        message = (
            "the versions of the annotation are not of the same texts: their numbers of documents or words differ; "
            "the scores tell of both, texts and annotation"
        )
        warnings.warn(DataWarning(message, code="different-text"), stacklevel=2)
    return result


def mention_experiment(
    resolver: PathLike,
    key: PathLike,
    folder: PathLike,
    *,
    mentions: Sequence[Mentions] | None = None,
    **options: Unpack[ExperimentOptions],
) -> ExperimentResult:
    """Resolve with detected, all gold, and gold non-singleton mentions, or some of these (PreCo, Table 6).

    `resolver` is the TOML file of a training run, and a model is trained for each; or it is a resolver, a chain or a
    model folder, which is run as it is.

    >>> print(mention_experiment("are-baseline", "dev.conllu", "runs/oracle", language="en"))  # doctest: +SKIP
    """
    from ..resolvers.resolver import MENTIONS
    from ..training.experiments.plans import mention_cells

    check_path(resolver, "resolver")
    text = os.fspath(resolver)
    plan = partial(mention_cells, mentions=MENTIONS if mentions is None else mentions)
    setting: TrainingSetting | ResolverSetting
    setting = (TrainingSetting if text.endswith(".toml") else ResolverSetting)(text, key, folder, options)
    kinds = {cell.mentions for cell in plan(None)}
    if len(kinds) > 1 and not any(entity.is_singleton for doc in setting.key.docs for entity in doc.entities):
        message = (
            f"{setting.key.name}: no singletons in it, so all gold mentions are those of entities with several; "
            "expected a key with singletons to tell them apart"
        )
        warnings.warn(DataWarning(message, code="no-singletons"), stacklevel=2)
    return setting.run("mentions", plan)
