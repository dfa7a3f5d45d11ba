"""Experiments: resolvers trained or run under several conditions, scored on one key; nothing is done twice.

Training needs `coindex[train]`; running a resolver on gold mentions does not.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Unpack

from ..errors import DataWarning
from .arguments import check_path
from .experiment_setting import ExperimentOptions, PathLike, ResolverSetting, TrainingSetting

if TYPE_CHECKING:
    from ..resolvers.resolver import Mentions
    from ..training.experiments.plans import Pick
    from ..training.experiments.results import ExperimentResult


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
        warnings.warn(
            "the versions of the annotation are not of the same texts: their numbers of documents or words differ; "
            "the scores tell of both, texts and annotation",
            DataWarning,
            stacklevel=2,
        )
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
        warnings.warn(
            f"{setting.key.name}: no singletons in it, so all gold mentions are those of entities with several; "
            "expected a key with singletons to tell them apart",
            DataWarning,
            stacklevel=2,
        )
    return setting.run("mentions", plan)
