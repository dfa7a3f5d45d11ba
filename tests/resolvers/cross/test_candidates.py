"""Candidates: all pairs where there are few, the likely ones where there are many."""

import numpy as np
import pytest

from coindex.resolvers.cross import neighbours
from coindex.resolvers.cross.mentions import CandidateIndex, CandidateOptions, near_codes, vector_searches
from coindex.resolvers.cross.neighbours import all_pairs, distinct_pairs, near_rows, near_vectors, ranges, unit_rows
from coindex.resolvers.cross.terms import tf_idf

NOBODY = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


def index_of(blocks, keys, document, near, *, vectors=None, new=None, options=None):
    codes = None
    if vectors is not None:
        wanted = np.ones(len(blocks), dtype=bool) if new is None else new
        parts = [
            near_codes(search, blocks, vectors, np.arange(len(blocks)), wanted, options.near)
            for search in vector_searches(blocks, wanted, options)
        ]
        codes = np.unique(np.concatenate(parts))
    return CandidateIndex(blocks, keys, document, near, near_codes=codes, new=new, options=options)


def pairs_of(blocks, *arguments, **options):
    """All candidate pairs, which are also those of ranges."""
    index = index_of(blocks, *arguments, **options)
    left, right = index.pairs(0, len(blocks))
    found = list(zip(left.tolist(), right.tolist(), strict=True))
    parts = [index.pairs(start, min(start + 2, len(blocks))) for start in range(0, len(blocks), 2)]
    assert found == [pair for part in parts for pair in zip(*(side.tolist() for side in part), strict=True)]
    assert found == sorted(set(found))
    assert all(one < other for one, other in found)
    return found


def test_ranges_and_pairs():
    places, owner = ranges(np.array([5, 0, 9]), np.array([2, 0, 3]))
    assert places.tolist() == [5, 6, 9, 10, 11]
    assert owner.tolist() == [0, 0, 2, 2, 2]
    left, right = all_pairs(np.array([1, -1, 0, 1, 0, 1]))
    assert sorted(zip(left.tolist(), right.tolist(), strict=True)) == [(0, 3), (0, 5), (2, 4), (3, 5)]
    left, right = distinct_pairs(np.array([3, 1, 2, 2]), np.array([1, 3, 2, 0]), 4)
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == [(0, 2), (1, 3)]


def test_small_blocks_have_all_pairs_and_blocks_never_meet():
    blocks = np.array([0, 1, 0, 1, 0])
    keys = [np.arange(5)]
    assert pairs_of(blocks, keys, np.zeros(5, dtype=np.int64), NOBODY) == [(0, 2), (0, 4), (1, 3), (2, 4)]


def test_large_blocks_have_pairs_with_a_key():
    options = CandidateOptions(all_up_to=2)
    keys = [np.array([7, -1, 7, -1, 3]), np.array([0, 1, 2, 1, 2])]
    assert pairs_of(np.zeros(5, dtype=np.int64), keys, np.arange(5), NOBODY, options=options) == [
        (0, 2),
        (1, 3),
        (2, 4),
    ]


def test_of_frequent_keys_only_near_documents():
    document = np.array([0, 0, 0, 1, 2, 2])
    keys = [np.zeros(6, dtype=np.int64)]
    options = CandidateOptions(all_up_to=2, list_up_to=2, each=1)
    near = np.array([0, 1, 2]), np.array([2, 0, 0])
    found = pairs_of(np.zeros(6, dtype=np.int64), keys, document, near, options=options)
    # the next of the same document; of documents that are near the first
    assert found == [(0, 1), (0, 3), (0, 4), (0, 5), (1, 2), (1, 4), (2, 4), (4, 5)]


def test_near_vectors_are_candidates_and_only_new_pairs_if_asked():
    vectors = unit_rows(np.array([[1, 0], [0, 1], [1, 0.1], [0, 1.0]], dtype=np.float32))
    options = CandidateOptions(all_up_to=2, near=1)
    keys = [np.full(4, -1)]
    blocks = np.zeros(4, dtype=np.int64)
    document = np.arange(4)
    assert pairs_of(blocks, keys, document, NOBODY, vectors=vectors, options=options) == [(0, 2), (1, 3)]
    new = np.array([False, False, False, True])
    assert pairs_of(blocks, keys, document, NOBODY, vectors=vectors, options=options, new=new) == [(1, 3)]
    assert pairs_of(blocks, keys, document, NOBODY, new=new) == [(0, 3), (1, 3), (2, 3)]


def test_nothing_new_and_nothing_at_all():
    none = np.zeros(0, dtype=np.int64)
    assert pairs_of(none, [none], none, NOBODY) == []
    four = np.zeros(4, dtype=np.int64)
    assert pairs_of(four, [four], four, NOBODY, new=np.zeros(4, dtype=bool)) == []


def test_candidates_grow_with_the_mentions_and_not_with_their_square():
    def count(number):
        random = np.random.default_rng(0)
        key = np.minimum(random.zipf(1.2, size=number), number)
        document = np.arange(number) // 10
        documents = number // 10
        near = np.repeat(np.arange(documents), 5), random.integers(documents, size=5 * documents)
        left, _ = index_of(np.zeros(number, dtype=np.int64), [key], document, near).pairs(0, number)
        return len(left) / number

    assert count(20_000) < 1.6 * count(5_000)


def test_the_forest_finds_nearly_all_neighbours(monkeypatch):
    random = np.random.default_rng(1)
    centres = random.standard_normal((200, 32))
    vectors = unit_rows((centres[np.arange(2000) % 200] + 0.3 * random.standard_normal((2000, 32))).astype(np.float32))
    exact = set(zip(*(side.tolist() for side in near_vectors(vectors, 5, 0)), strict=True))
    monkeypatch.setattr(neighbours, "EXACT", 100)
    trees = [near_vectors(vectors, 5, tree) for tree in range(neighbours.TREES)]
    assert all(np.array_equal(*sides) for sides in zip(trees[0], near_vectors(vectors, 5, 0), strict=True))
    found = {pair for tree in trees for pair in zip(*(side.tolist() for side in tree), strict=True)}
    assert len(exact & found) > 0.9 * len(exact)
    assert len(found) <= 4 * len(exact)


@pytest.mark.parametrize("most", [1, 2, 10])
def test_near_rows(most):
    rows = tf_idf([["a", "b", "c"], ["a", "b", "d"], ["x"], ["a", "y", "z"], []])
    source, target = near_rows(rows, most)
    found = {one: [b for a, b in zip(source.tolist(), target.tolist(), strict=True) if a == one] for one in range(5)}
    assert found == {0: [1, 3][:most], 1: [0, 3][:most], 2: [], 3: found[3], 4: []}
    assert sorted(found[3]) == sorted([0, 1][:most])
