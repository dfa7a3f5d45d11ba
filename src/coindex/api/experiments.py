"""Run experiments: train or run a resolver under several conditions, and score each on one key.

Finished parts are stored and not repeated. Training needs `coindex[train]`; running a resolver on gold mentions does
not.
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
    from ..engines import Engine
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
    """The options of all experiments.

    `data`, `changes`, `report` and `tick` are as in `train`; `profile`, `match`, `singletons` and `zeros` as in
    `score`; `columns` and `language` as in `evaluate`.
    """

    data: PathLike | None
    changes: Mapping[str, Any]
    corpus: str | None
    """The training corpus that is varied, if the configuration has several."""
    profile: str | None
    match: str | None
    singletons: bool | None
    zeros: str | None
    columns: Columns
    language: str | None
    seeds: int
    """How many models are trained for each condition, with consecutive seeds; the table then has means."""
    keep_models: bool
    """Whether to keep models after they are scored."""
    jobs: int
    engine: Engine
    address: str | None
    """The workers that resolve the key, as in `score`."""
    restart: bool
    """Whether to delete earlier results in the folder."""
    tell: Callable[[str], None]
    """Called with messages about the progress."""
    report: Report
    tick: Tick


class TrainingSetting:
    """An experiment that trains a model for each condition."""

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
        """Read and return the documents of the corpus that is varied."""
        from dataclasses import replace

        from ..training.run import hash_data

        located = self.source.locate(self.config)
        hash_data(located, located)  # reports a missing corpus before anything is read
        path = located.corpora[self.source.corpus].train
        assert path is not None, "the varied corpus is one to train on"
        self.source = replace(self.source, docs=list(read_annotated(path)))
        return self.source.docs

    def run(self, kind: Kind, plan: Callable[[Config], list[Cell]]) -> ExperimentResult:
        """Run the cells that are planned for the configuration, for each seed."""
        from ..training.experiments.plans import over_seeds

        cells = over_seeds(self.config, self.options.get("seeds", 1), plan)
        about = {"config": self.config.name, "corpus": self.corpus, "seed": self.config.train.seed}
        return run_cells(kind, cells, self.folder, self.options, self.key, about, source=self.source)


class ResolverSetting:
    """An experiment that runs an existing resolver."""

    def __init__(self, resolver: str, key: PathLike, folder: PathLike, options: ExperimentOptions) -> None:
        for name, path in {"key": key, "folder": folder}.items():
            check_path(path, name)
        trained = {name: options.get(name) for name in ("data", "changes", "corpus")}
        for name, value in {**trained, "seeds": options.get("seeds", 1) > 1}.items():
            if value:
                raise CoindexError(
                    f"{resolver} is not trained here, so {name} has no effect; remove the option, or use the TOML file "
                    "of a training run",
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
        """Run the cells, after loading the resolver for all of them, since some cannot use given mentions."""
        from ..training.experiments.running import Resolver

        cells = plan(None)
        chains = {cell.mentions: self._load(cell.mentions) for cell in cells}
        first = next(iter(chains.values()))
        resolver = Resolver(name=first.name, models=model_hashes(first), load=chains.__getitem__)
        return run_cells(kind, cells, self.folder, self.options, self.key, {"resolver": first.name}, resolver=resolver)


def read_key(path: PathLike, options: ExperimentOptions, **defaults: Any) -> Key:
    """Read the key, scored according to the options, then to the profile, then to `defaults`."""
    from ..resolvers.neural.folder import file_hash
    from ..training.experiments.running import Key

    name = os.fspath(path)
    if name == STDIN:
        raise CoindexError(
            "the key cannot be standard input, since it is read several times; name a file or folder",
            code="unsupported-standard-input",
        )
    docs = list(read_annotated(name))
    if not any(doc.entities for doc in docs):
        raise CoindexError(
            "the key has no entities; use a corpus with coreference annotation", code="no-entities", path=name
        )
    return Key(
        name=name,
        hash=file_hash(Path(name)),
        docs=docs,
        settings=_make_settings(options, defaults),
        keep_columns=options.get("columns", "raw") == "keep",
        language=options.get("language"),
    )


def _make_settings(options: ExperimentOptions, defaults: Mapping[str, Any]) -> Settings:
    from ..scoring import make_settings
    from ..training.loop import METRICS

    default = defaults if options.get("profile") is None else {}
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
    """Run all cells with a `source` or a `resolver`, and extend the table in the folder after each."""
    from ..engines import Workers
    from ..training.experiments.cells import ExperimentFolder
    from ..training.experiments.results import ExperimentResult
    from ..training.experiments.running import Runner

    kept = ExperimentFolder(Path(folder))
    if options.get("restart", False):
        kept.clear()
    keep_models = options.get("keep_models", False)
    workers = Workers(options.get("jobs", 1), options.get("engine", "local"), options.get("address"))
    runner = Runner(folder=kept, key=key, keep_models=keep_models, watch=_watch(options), workers=workers, **what)
    result = ExperimentResult(kind=kind, key=key.name, outcomes=(), about=about)
    for outcome in runner.run(cells):
        result = ExperimentResult(kind=kind, key=key.name, outcomes=(*result.outcomes, outcome), about=about)
        kept.write_results(result.render("csv"))
    return result


def _watch(options: ExperimentOptions) -> Watch:
    from ..training.experiments.running import Watch

    default = Watch()
    return Watch(
        show=options.get("tell", default.show),
        report=options.get("report", default.report),
        tick=options.get("tick", default.tick),
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
    """Train on subsets of several sizes, and score each model on the key (PreCo, Figure 5 a).

    Parameters:

    - `config`: the TOML file of a training run.
    - `key`: the corpus to score on.
    - `folder`: the folder of the experiment; finished parts in it are not trained again.
    - `sizes`: numbers of documents (default: all, a half, a quarter, …).
    - `picks`: which documents a subset contains: "random" ones, or those that share the fewest ("low") or the most
      ("high") words with the key.
    - `options`: see `ExperimentOptions`.

    Returns an `ExperimentResult`.

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
    """Train on groups of documents of the same size, ordered by their overlap with the key (PreCo, Figure 5 c).

    Parameters:

    - `config`, `key`, `folder`, `options`: as in `size_experiment`.
    - `groups`: the number of groups.
    - `size`: the number of documents in each group (default: all documents are distributed).

    Returns an `ExperimentResult`.
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
    """Train a model on each of several annotations of the training corpus (PreCo, Table 3).

    Parameters:

    - `config`, `key`, `folder`, `options`: as in `size_experiment`.
    - `versions`: a dict from names to paths of annotations, or pairs of name and path.

    Returns an `ExperimentResult`.
    """
    from ..training.experiments.plans import annotation_cells

    setting = TrainingSetting(config, key, folder, options)
    named = versions.items() if isinstance(versions, Mapping) else versions
    pairs = [(name, os.fspath(path)) for name, path in named]
    result = setting.run("annotation", partial(annotation_cells, versions=pairs))
    trainings = [outcome.training for outcome in result.outcomes if outcome.training is not None]
    if len({(training.documents, training.words) for training in trainings}) > 1:
        message = (
            "the annotations are of different texts: their numbers of documents or words differ; differences of scores "
            "may come from the texts"
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
    """Resolve with detected, with all gold, and with gold non-singleton mentions (PreCo, Table 6).

    Parameters:

    - `resolver`: a resolver, a chain or a model folder; or the TOML file of a training run, to train a model for each
      kind of mentions.
    - `key`, `folder`, `options`: as in `size_experiment`.
    - `mentions`: the kinds to compare: "detected", "given" and "given-nonsingleton" (default: all).

    Returns an `ExperimentResult`.

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
            f"{setting.key.name}: the key has no singletons, so given and given-nonsingleton mentions are the same; "
            "use a key with singletons to compare them"
        )
        warnings.warn(DataWarning(message, code="no-singletons"), stacklevel=2)
    return setting.run("mentions", plan)
