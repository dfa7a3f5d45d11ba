"""The cells of each experiment, and the training documents of each cell.

Which documents of a training corpus a cell has: drawn at random, or ranked by their overlap with the key.

The overlap of a document is the share of its words that are in the vocabulary of the key (PreCo, section 4.2: documents
"ranked by their overlaps with the development set vocabulary").

No cell looks at a dev set while it is trained: the model of the last epoch is scored, so that nothing is chosen by the
key, and all cells are treated alike.
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
"""How a subset of some size is picked: at random, or the documents with the lowest or highest overlap."""
HALVINGS = 4
"""Without sizes there are this many before the whole corpus, each half of the next."""


def key_overlap(doc: Document, key: Vocabulary) -> float:
    """The share of the document's words that the key has too; 0 where it has no words."""
    words = words_of(doc)
    return sum(word in key.counts for word in words) / len(words) if words else 0.0


def shuffle_documents(total: int, seed: int) -> list[int]:
    """The numbers of all documents in an order that the seed alone says."""
    return [int(number) for number in np.random.default_rng((seed, 5)).permutation(total)]


def rank_documents(docs: Sequence[Document], key: Vocabulary, seed: int) -> list[int]:
    """The numbers of documents, those with the lowest overlap first; of equal ones as the seed says."""
    overlaps = [key_overlap(doc, key) for doc in docs]
    return sorted(shuffle_documents(len(docs), seed), key=lambda number: overlaps[number])


def order_documents(pick: Pick, docs: Sequence[Document], key: Vocabulary, seed: int) -> list[int]:
    """The order in which documents are picked: a subset is the beginning, so that each holds all smaller ones."""
    if pick == "random":
        return shuffle_documents(len(docs), seed)
    order = rank_documents(docs, key, seed)
    return order if pick == "low" else order[::-1]


def default_sizes(total: int) -> tuple[int, ...]:
    """The whole corpus, half of it, a quarter and so on, the smallest first."""
    return tuple(sorted({max(1, total >> halvings) for halvings in range(HALVINGS + 1)}))


def check_sizes(sizes: Sequence[int], total: int, corpus: str) -> tuple[int, ...]:
    """The sizes in order, each once; none of them may be larger than the corpus."""
    if not sizes:
        raise CoindexError("no sizes; expected numbers of documents; give at least one", code="nothing-given")
    for size in sizes:
        if not 1 <= size <= total:
            raise CoindexError(
                f"a subset of {size} documents; expected 1 to {total}, which is what {corpus} has; choose other sizes",
                code="invalid-option",
            )
    return tuple(sorted(set(sizes)))


def groups(order: Sequence[int], number: int, size: int | None, corpus: str) -> list[list[int]]:
    """So many groups of one size, from the beginning of the order to its end, none with a document of another."""
    total = len(order)
    if number < 2:
        raise CoindexError(f"{number} groups; expected at least 2 to compare; choose more", code="invalid-option")
    most = total // number
    if size is None and most:
        size = most
    if size is None or not 1 <= size <= most:
        raise CoindexError(
            f"{number} groups of {size or 1} documents; expected at most {total} documents in all, which is what "
            f"{corpus} has; choose fewer or smaller groups",
            code="invalid-option",
        )
    starts = [round(place * (total - size) / (number - 1)) for place in range(number)]
    return [list(order[start : start + size]) for start in starts]


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


def remove_dev(config: Config) -> Config:
    """The configuration of a run that scores nothing while it trains."""
    return replace(config, corpora=tuple(replace(corpus, dev=None) for corpus in config.corpora))


def find_varied_corpus(config: Config, name: str | None) -> int:
    """The number of the corpus whose training documents are varied: the only annotated one, or the one of the name."""
    own = {corpus.name: n for n, corpus in enumerate(config.corpora) if corpus.train and not corpus.unlabelled}
    if not own:
        raise ConfigError("corpora: none to train on; expected one with the key train; add it")
    if name is None and len(own) > 1:
        raise CoindexError(
            f"several corpora to train on: {', '.join(own)}; expected to know which is varied while the others stay; "
            "name it with --corpus (corpus=… in Python)",
            code="ambiguous-corpus",
        )
    if name is not None and name not in own:
        raise UnknownNameError("corpus to train on", name, own)
    return next(iter(own.values())) if name is None else own[name]


def over_seeds(config: Config, seeds: int, plan: Callable[[Config], list[Cell]]) -> list[Cell]:
    """The cells of a plan with so many seeds, counted up from that of the configuration, one seed after another.

    Those of the first seed have the names that they would have without others, so that seeds can be added later.
    """
    if seeds < 1:
        raise CoindexError(f"{seeds} seeds; expected at least 1; choose more", code="invalid-option")
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
    """PreCo's Figure 5 (a): subsets of several sizes, by each pick; the whole corpus is one cell, whatever the pick."""
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
        raise CoindexError(f"no picks; expected some of {', '.join(PICKS)}; give at least one", code="nothing-given")
    return cells


def overlap_cells(
    config: Config, docs: Sequence[Document], key: Vocabulary, *, number: int, size: int | None, corpus: str
) -> list[Cell]:
    """PreCo's Figure 5 (c): groups of one size, from the lowest overlap with the key to the highest: s1, s2, …"""
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
    """PreCo's Table 3: one model for each version of the training annotation, by its name and path."""
    if not versions:
        raise CoindexError("no version of the annotation; expected NAME=TRAIN; give at least one", code="nothing-given")
    for name, _ in versions:
        if not NAME.fullmatch(name):
            raise CoindexError(
                f"version {quote(name)}: no name for a file; expected letters, digits and . _ - alone; rename it",
                code="unsafe-file-name",
            )
    cells = [
        Cell(name=name, label=name, factors={"annotation": name}, config=remove_dev(config), version=path)
        for name, path in versions
    ]
    check_cells(cells)
    return cells


def mention_cells(config: Config | None, mentions: Sequence[Mentions]) -> list[Cell]:
    """PreCo's Table 6: mentions that the resolver finds, all of the key, or those of entities with several."""
    if not mentions:
        raise CoindexError(
            f"no mentions; expected some of {', '.join(MENTION_LABELS)}; give at least one", code="nothing-given"
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
