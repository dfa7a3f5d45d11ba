"""Plan the cells of each experiment and their training documents.

Documents of a training corpus are drawn at random or ranked by their overlap with the key: the share of their words
that are in the vocabulary of the key (PreCo, section 4.2: documents "ranked by their overlaps with the development set
vocabulary").

No cell uses a dev set in training. The model of the last epoch is scored, so that nothing is selected on the key, and
all cells are treated the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from ...analysis.overlap import Vocabulary, words_of
from ...document import Document
from ...errors import CoindexError, UnknownNameError, quote
from ...resolvers.resolver import Mentions
from ...settings import ConfigError
from ..neural.config import Config
from .cells import Cell, check_cells

Pick = Literal["random", "low", "high"]
PICKS: tuple[Pick, ...] = ("random", "low", "high")
"""How the documents of a subset are picked: at random, or those with the lowest or highest overlap."""
HALVINGS = 4
"""The number of default sizes below the whole corpus, each half of the next."""


def key_overlap(doc: Document, key: Vocabulary) -> float:
    """Return the share of the words of a document that occur in the key; 0 for a document without words."""
    words = words_of(doc)
    return sum(word in key.counts for word in words) / len(words) if words else 0.0


def shuffle_documents(total: int, seed: int) -> list[int]:
    """Return the numbers of all documents in an order that depends only on the seed."""
    return [int(number) for number in np.random.default_rng((seed, 5)).permutation(total)]


def rank_documents(docs: Sequence[Document], key: Vocabulary, seed: int) -> list[int]:
    """Return the numbers of documents by overlap, lowest first; the seed decides ties."""
    overlaps = [key_overlap(doc, key) for doc in docs]
    return sorted(shuffle_documents(len(docs), seed), key=lambda number: overlaps[number])


def order_documents(pick: Pick, docs: Sequence[Document], key: Vocabulary, seed: int) -> list[int]:
    """Return the order in which documents are picked; each subset contains all smaller ones."""
    if pick == "random":
        return shuffle_documents(len(docs), seed)
    order = rank_documents(docs, key, seed)
    return order if pick == "low" else order[::-1]


def default_sizes(total: int) -> tuple[int, ...]:
    """Return the size of the corpus, a half, a quarter and so on, smallest first."""
    return tuple(sorted({max(1, total >> halvings) for halvings in range(HALVINGS + 1)}))


def check_sizes(sizes: Sequence[int], total: int, corpus: str) -> tuple[int, ...]:
    """Return the sizes in order without repetitions; a size above that of the corpus is an error."""
    if not sizes:
        raise CoindexError("no sizes given; name at least one number of documents", code="nothing-given")
    for size in sizes:
        if not 1 <= size <= total:
            raise CoindexError(
                f"a subset cannot have {size} documents, since {corpus} has {total}; choose sizes from 1 to {total}",
                code="invalid-option",
            )
    return tuple(sorted(set(sizes)))


def groups(order: Sequence[int], number: int, size: int | None, corpus: str) -> list[list[int]]:
    """Return disjoint groups of the same size, from the start of the order to its end."""
    total = len(order)
    if number < 2:
        raise CoindexError(f"cannot compare {number} groups; choose at least 2", code="invalid-option")
    most = total // number
    if size is None and most:
        size = most
    if size is None or not 1 <= size <= most:
        raise CoindexError(
            f"{number} groups of {size or 1} documents are more than the {total} documents of {corpus}; choose fewer "
            "or smaller groups",
            code="invalid-option",
        )
    starts = [round(place * (total - size) / (number - 1)) for place in range(number)]
    return [list(order[start : start + size]) for start in starts]


MENTION_LABELS: dict[Mentions, str] = {
    "detected": "detected",
    "given": "all gold",
    "given-nonsingleton": "gold non-singleton",
}
"""The rows of PreCo, Table 6."""
PICK_TITLES: dict[Pick, str] = {
    "random": "documents at random",
    "low": "lowest overlap first",
    "high": "highest overlap first",
}
NAME = re.compile(r"[\w.-]+")


def remove_dev(config: Config) -> Config:
    """Return the configuration without dev sets."""
    return replace(config, corpora=tuple(replace(corpus, dev=None) for corpus in config.corpora))


def find_varied_corpus(config: Config, name: str | None) -> int:
    """Return the number of the corpus that is varied: the only annotated one, or the one with this name."""
    own = {corpus.name: n for n, corpus in enumerate(config.corpora) if corpus.train and not corpus.unlabelled}
    if not own:
        raise ConfigError("corpora: no corpus to train on; add a corpus with the key train")
    if name is None and len(own) > 1:
        raise CoindexError(
            f"there are several training corpora ({', '.join(own)}); name the one to vary with --corpus "
            "(corpus=… in Python)",
            code="ambiguous-corpus",
        )
    if name is not None and name not in own:
        raise UnknownNameError("corpus to train on", name, own)
    return next(iter(own.values())) if name is None else own[name]


def over_seeds(config: Config, seeds: int, plan: Callable[[Config], list[Cell]]) -> list[Cell]:
    """Return the cells of a plan for consecutive seeds, starting with that of the configuration.

    The names of cells with the first seed do not contain it, so that seeds can be added later.
    """
    if seeds < 1:
        raise CoindexError(f"the number of seeds cannot be {seeds}; choose at least 1", code="invalid-option")
    cells = []
    for number in range(seeds):
        seed = config.train.seed + number
        planned = plan(replace(config, train=replace(config.train, seed=seed)))
        if seeds > 1:
            ending = f"-seed{seed}" if number else ""
            factors = {"seed": str(seed)}
            planned = [replace(cell, name=cell.name + ending, factors={**cell.factors, **factors}) for cell in planned]
        cells += planned
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
    """Return subsets of several sizes for each pick (PreCo, Figure 5 a); the whole corpus is one cell."""
    total = len(docs)
    known = check_sizes(default_sizes(total) if sizes is None else sizes, total, corpus)
    cells = []
    for pick in dict.fromkeys(picks):
        if pick not in PICKS:
            raise UnknownNameError("pick", pick, PICKS)
        order = order_documents(pick, docs, key, config.train.seed)
        for size in known:
            factors = {"pick": pick, "size": str(size)}
            cells.append(
                Cell(
                    name="all" if size == total else f"{pick}-{size}",
                    label=f"{size:,} documents",
                    factors=factors,
                    section=PICK_TITLES[pick],
                    config=remove_dev(config),
                    documents=sorted(order[:size]),
                )
            )
    if not cells:
        raise CoindexError(f"no picks given; name at least one of {', '.join(PICKS)}", code="nothing-given")
    return cells


def overlap_cells(
    config: Config, docs: Sequence[Document], key: Vocabulary, *, number: int, size: int | None, corpus: str
) -> list[Cell]:
    """Return groups of the same size, ordered by their overlap with the key: s1, s2, … (PreCo, Figure 5 c)."""
    order = rank_documents(docs, key, config.train.seed)
    return [
        Cell(
            name=f"s{place}",
            label=f"s{place}",
            factors={"subset": f"s{place}"},
            config=remove_dev(config),
            documents=sorted(chosen),
        )
        for place, chosen in enumerate(groups(order, number, size, corpus), 1)
    ]


def annotation_cells(config: Config, versions: Sequence[tuple[str, str]]) -> list[Cell]:
    """Return a cell for each version of the training annotation, given by name and path (PreCo, Table 3)."""
    if not versions:
        raise CoindexError("no annotations given; name at least one as NAME=TRAIN", code="nothing-given")
    for name, _ in versions:
        if not NAME.fullmatch(name):
            raise CoindexError(
                f"version {quote(name)}: the name cannot be a file name; use letters, digits and . _ - only",
                code="unsafe-file-name",
            )
    cells = [
        Cell(name=name, label=name, factors={"annotation": name}, config=remove_dev(config), version=path)
        for name, path in versions
    ]
    check_cells(cells)
    return cells


def mention_cells(config: Config | None, mentions: Sequence[Mentions]) -> list[Cell]:
    """Return a cell for each kind of mentions: detected, all gold, gold non-singleton (PreCo, Table 6)."""
    if not mentions:
        raise CoindexError(
            f"no kinds of mentions given; name at least one of {', '.join(MENTION_LABELS)}", code="nothing-given"
        )
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
                config=None if config is None else _train_on(remove_dev(config), how),
            )
        )
    return cells


def _train_on(config: Config, mentions: Mentions) -> Config:
    """Return a configuration that learns links on such mentions; with gold ones, detection is not learned."""
    if mentions == "detected":
        return config
    if config.distil.teachers:
        raise ConfigError(
            "distil.teachers: with teachers, links are learned on the mentions that teachers find, not on gold "
            "mentions; remove the teachers"
        )
    return replace(
        config,
        model=replace(config.model, singletons=mentions == "given"),
        train=replace(config.train, predicted=0.0, tag_weight=0.0),
    )
