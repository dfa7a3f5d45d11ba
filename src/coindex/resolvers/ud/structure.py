"""How two candidates of one sentence hang together in its tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..neural.words import Ints
from ..sieves.words import NONE, Words

RELATIONS = (
    "none", "apposition", "member", "below", "above", "same-parent", "predicate", "relative", "conj", "advcl", "ccomp",
    "xcomp", "acl", "clause-below", "clause-above", "cousins",
)  # fmt: skip
NUMBER = {name: number for number, name in enumerate(RELATIONS)}
CLAUSES = ("conj", "advcl", "ccomp", "xcomp", "acl")


def relations(words: Words, head: Ints, i: Ints, j: Ints, near: NDArray[np.bool_]) -> Ints:
    """A place in `RELATIONS` for each pair; those of two sentences have none."""
    found = np.zeros(len(i), dtype=np.int64)
    rows = np.flatnonzero(near)
    if not len(rows):
        return found
    parent = np.array(words.parents, dtype=np.int64)
    bases = np.array([NUMBER.get(base, 0) if base in CLAUSES else 0 for base in words.bases], dtype=np.int64)
    of_base = {name: np.array([base == name for base in words.bases]) for name in ("appos", "conj", "nsubj", "acl")}
    has_copula = np.zeros(words.size, dtype=bool)
    has_copula[[parent[at] for at, base in enumerate(words.bases) if base == "cop" and parent[at] != NONE]] = True
    one, other = head[i[rows]], head[j[rows]]
    up, other_up = parent[one], parent[other]
    above, other_above = _up(parent, up), _up(parent, other_up)
    known, other_known = up != NONE, other_up != NONE
    # from the least telling to the most: what comes later overwrites what came before
    steps = (
        ((above == other_above) & (above != NONE), NUMBER["cousins"]),
        ((other_above == up) & known & (other_above != NONE), NUMBER["clause-above"]),
        ((above == other_up) & other_known & (above != NONE), np.maximum(bases[up], 0)),
        (known & (up == other_up), NUMBER["same-parent"]),
        (up == other, NUMBER["below"]),
        (other_up == one, NUMBER["above"]),
        ((above == other) & of_base["acl"][up], NUMBER["relative"]),
        ((up == other) & of_base["conj"][one], NUMBER["member"]),
        ((other_up == one) & has_copula[one] & of_base["nsubj"][other], NUMBER["predicate"]),
        ((up == other) & of_base["appos"][one], NUMBER["apposition"]),
    )
    values = np.zeros(len(rows), dtype=np.int64)
    for where, value in steps:
        values = np.where(where, np.where(np.asarray(value) == 0, NUMBER["clause-below"], value), values)
    found[rows] = values
    return found


def _up(parent: Ints, positions: Ints) -> Ints:
    """The parents of positions, NONE of none."""
    return np.where(positions == NONE, NONE, parent[positions])
