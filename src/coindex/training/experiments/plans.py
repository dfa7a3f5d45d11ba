"""The cells of each experiment.

No cell looks at a dev set while it is trained: the model of the last epoch is scored, so that nothing is chosen by the
key, and all cells are treated alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...analysis.vocabulary import Vocabulary
from ...document import Document
from ...errors import CoindexError, UnknownNameError, quote
from ...resolvers.resolver import Mentions
from ...settings import ConfigError
from ..config import Config
from .cells import Cell, check_cells
from .subsets import PICKS, Pick, check_sizes, default_sizes, groups, ordered, ranked

MENTION_LABELS: dict[Mentions, str] = {
    "detected": "detected",
    "given": "all gold",
    "given-nonsingleton": "gold non-singleton",
}
"""The rows of PreCo's Table 6."""
PICK_TITLES: dict[Pick, str] = {
    "random": "documents at random",
    "low": "lowest overlap first",
    "high": "highest overlap first",
}
NAME = re.compile(r"[\w.-]+")


def without_dev(config: Config) -> Config:
    """The configuration of a run that scores nothing while it trains."""
    return replace(config, corpora=tuple(replace(corpus, dev=None) for corpus in config.corpora))


def varied_corpus(config: Config, name: str | None) -> int:
    """The number of the corpus whose training documents are varied: the only annotated one, or the one of the name."""
    own = {corpus.name: n for n, corpus in enumerate(config.corpora) if corpus.train and not corpus.unlabelled}
    if not own:
        raise ConfigError("corpora: none to train on; expected one with the key train; add it")
    if name is None and len(own) > 1:
        raise CoindexError(
            f"several corpora to train on: {', '.join(own)}; expected to know which is varied while the others stay; "
            "name it with --corpus (corpus=… in Python)"
        )
    if name is not None and name not in own:
        raise UnknownNameError("corpus to train on", name, own)
    return next(iter(own.values())) if name is None else own[name]


def over_seeds(config: Config, seeds: int, plan: Callable[[Config], list[Cell]]) -> list[Cell]:
    """The cells of a plan with so many seeds, counted up from that of the configuration, one seed after another.

    Those of the first seed have the names that they would have without others, so that seeds can be added later.
    """
    if seeds < 1:
        raise CoindexError(f"{seeds} seeds; expected at least 1; choose more")
    cells = []
    for number in range(seeds):
        seed = config.train.seed + number
        found = plan(replace(config, train=replace(config.train, seed=seed)))
        if seeds > 1:
            ending = f"-seed{seed}" if number else ""
            factors = {"seed": str(seed)}
            found = [replace(one, name=one.name + ending, factors={**one.factors, **factors}) for one in found]
        cells += found
    return cells


def size_cells(
    config: Config,
    docs: Sequence[Document],
    key: Vocabulary,
    *,
    sizes: Sequence[int] | None,
    picks: Sequence[Pick],
    corpus: str,
) -> list[Cell]:
    """PreCo's Figure 5 (a): subsets of several sizes, by each pick; the whole corpus is one cell, whatever the pick."""
    total = len(docs)
    known = check_sizes(default_sizes(total) if sizes is None else sizes, total, corpus)
    cells = []
    for pick in dict.fromkeys(picks):
        if pick not in PICKS:
            raise UnknownNameError("pick", pick, PICKS)
        order = ordered(pick, docs, key, config.train.seed)
        for size in known:
            factors = {"pick": pick, "size": str(size)}
            cells.append(
                Cell(
                    name="all" if size == total else f"{pick}-{size}",
                    label=f"{size:,} documents",
                    factors=factors,
                    section=PICK_TITLES[pick],
                    config=without_dev(config),
                    documents=sorted(order[:size]),
                )
            )
    if not cells:
        raise CoindexError(f"no picks; expected some of {', '.join(PICKS)}; give at least one")
    return cells


def overlap_cells(
    config: Config, docs: Sequence[Document], key: Vocabulary, *, number: int, size: int | None, corpus: str
) -> list[Cell]:
    """PreCo's Figure 5 (c): groups of one size, from the lowest overlap with the key to the highest: s1, s2, …"""
    order = ranked(docs, key, config.train.seed)
    return [
        Cell(
            name=f"s{place}",
            label=f"s{place}",
            factors={"subset": f"s{place}"},
            config=without_dev(config),
            documents=sorted(chosen),
        )
        for place, chosen in enumerate(groups(order, number, size, corpus), 1)
    ]


def annotation_cells(config: Config, versions: Sequence[tuple[str, str]]) -> list[Cell]:
    """PreCo's Table 3: one model for each version of the training annotation, by its name and path."""
    if not versions:
        raise CoindexError("no version of the annotation; expected NAME=TRAIN; give at least one")
    for name, _ in versions:
        if not NAME.fullmatch(name):
            raise CoindexError(
                f"version {quote(name)}: no name for a file; expected letters, digits and . _ - alone; rename it"
            )
    cells = [
        Cell(name=name, label=name, factors={"annotation": name}, config=without_dev(config), version=path)
        for name, path in versions
    ]
    check_cells(cells)
    return cells


def mention_cells(config: Config | None, mentions: Sequence[Mentions]) -> list[Cell]:
    """PreCo's Table 6: mentions that the resolver finds, all of the key, or those of entities with several."""
    if not mentions:
        raise CoindexError(f"no mentions; expected some of {', '.join(MENTION_LABELS)}; give at least one")
    cells = []
    for how in dict.fromkeys(mentions):
        if how not in MENTION_LABELS:
            raise UnknownNameError("mentions", how, MENTION_LABELS)
        cells.append(
            Cell(
                name=how,
                label=MENTION_LABELS[how],
                factors={"mentions": how},
                mentions=how,
                config=None if config is None else _trained_on(without_dev(config), how),
            )
        )
    return cells


def _trained_on(config: Config, mentions: Mentions) -> Config:
    """A run whose links are learned on such mentions; with gold ones nothing is learned about finding them."""
    if mentions == "detected":
        return config
    if config.distil.teachers:
        raise ConfigError(
            "distil.teachers: links would be learned on the mentions that teachers found; expected gold mentions "
            "alone; leave the teachers out"
        )
    return replace(
        config,
        model=replace(config.model, singletons=mentions == "given"),
        train=replace(config.train, predicted=0.0, tag_weight=0.0),
    )
