"""Which pairs of mentions are worth a score: in a large collection only those that share a word or lie near each other.

Only mentions of one block are ever paired: one topic, one kind. In a block of at most `all_up_to` mentions all pairs
are candidates. In larger ones a pair is, if

- both have a key in common, such as the lemma of the head or the whole string, and no more than `list_up_to` mentions
  of the block have it; of more frequent keys, if they are in the same document or in documents whose words are near,
  and there only the next `each` mentions of a document; or
- one is among the `near` nearest of the other by its vector, if there are vectors.

So each mention has a bounded number of candidates, and what there is to do besides is sorting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .collection import Flags, Ints
from .neighbours import Vectors, all_pairs, distinct_pairs, near_among, near_vectors, ranges

Near = tuple[Ints, Ints]
"""Documents and others that are near them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateOptions:
    """How many candidates there may be."""

    all_up_to: int = 400
    list_up_to: int = 64
    each: int = 4
    near_documents: int = 20
    near: int = 10


def candidate_pairs(
    blocks: Ints,
    keys: Sequence[Ints],
    document: Ints,
    near: Near,
    *,
    vectors: Vectors | None = None,
    new: Flags | None = None,
    options: CandidateOptions | None = None,
) -> tuple[Ints, Ints]:
    """The pairs, each once, the earlier mention first, in reading order.

    `keys` hold a number for each mention, -1 for none. With `new`, only pairs with a mention that is new.
    """
    options = options or CandidateOptions()
    number = len(blocks)
    if not number:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    wanted = np.ones(number, dtype=bool) if new is None else new
    blocks = _keep_wanted(blocks, wanted)
    sizes = np.bincount(blocks[blocks >= 0], minlength=1)
    is_small = (blocks >= 0) & (sizes[blocks] <= options.all_up_to)
    pairs = [all_pairs(np.where(is_small, blocks, -1))]
    rest = np.where(is_small, -1, blocks)
    if (rest >= 0).any():
        for key in keys:
            pairs.append(_pair_by_key(_combine_keys(rest, key), document, near, options))
        if vectors is not None:
            pairs += _pair_by_vector(rest, vectors, wanted, options.near)
    left, right = distinct_pairs(
        np.concatenate([firsts for firsts, _ in pairs]), np.concatenate([seconds for _, seconds in pairs]), number
    )
    kept = wanted[left] | wanted[right]
    return left[kept], right[kept]


def _keep_wanted(blocks: Ints, wanted: Flags) -> Ints:
    """Blocks that have something new; -1 for the mentions of others."""
    return np.where(np.isin(blocks, np.unique(blocks[wanted])), blocks, -1)


def _combine_keys(blocks: Ints, key: Ints) -> Ints:
    """A number for each key in each block, -1 where there is none."""
    both = np.where((blocks >= 0) & (key >= 0), blocks * (key.max(initial=0) + 1) + key, -1)
    names, numbers = np.unique(both, return_inverse=True)
    return numbers.astype(np.int64) - int(len(names) > 0 and names[0] == -1)


def _pair_by_key(keys: Ints, document: Ints, near: Near, options: CandidateOptions) -> tuple[Ints, Ints]:
    sizes = np.bincount(keys[keys >= 0], minlength=1)
    is_short = (keys >= 0) & (sizes[keys] <= options.list_up_to)
    left, right = all_pairs(np.where(is_short, keys, -1))
    frequent = np.flatnonzero((keys >= 0) & ~is_short)
    if not len(frequent):
        return left, right
    more_left, more_right = _pair_by_document(frequent, keys, document, near, options)
    return np.concatenate([left, more_left]), np.concatenate([right, more_right])


def _pair_by_document(
    members: Ints, keys: Ints, document: Ints, near: Near, options: CandidateOptions
) -> tuple[Ints, Ints]:
    """Mentions with a frequent key: the next ones of the document, the first ones of documents that are near."""
    documents = int(document.max()) + 1
    places = keys[members] * documents + document[members]
    order = np.argsort(places, kind="stable")
    members, places = members[order], places[order]
    at = np.arange(len(members))
    ends = np.searchsorted(places, places, side="right")
    following, owner = ranges(at + 1, np.minimum(ends - at - 1, options.each))
    # a mention with each document near its own, then the mentions of the key there
    sources, targets = near
    starts = np.searchsorted(sources, np.arange(documents))
    counts = np.searchsorted(sources, np.arange(documents), side="right") - starts
    own = document[members]
    rows, mention = ranges(starts[own], counts[own])
    wanted = keys[members][mention] * documents + targets[rows]
    begin = np.searchsorted(places, wanted)
    length = np.minimum(np.searchsorted(places, wanted, side="right") - begin, options.each)
    there, of = ranges(begin, length)
    left = np.concatenate([members[owner], members[mention[of]]])
    return left, np.concatenate([members[following], members[there]])


def _pair_by_vector(blocks: Ints, vectors: Vectors, wanted: Flags, most: int) -> list[tuple[Ints, Ints]]:
    pairs = []
    for block in np.unique(blocks[blocks >= 0]):
        members = np.flatnonzero(blocks == block)
        if wanted[members].all():
            left, right = near_vectors(vectors[members], most)
            pairs.append((members[left], members[right]))
        else:
            new = members[wanted[members]]
            pairs.append(near_among(vectors[new], new, vectors[members], members, most))
    return pairs
