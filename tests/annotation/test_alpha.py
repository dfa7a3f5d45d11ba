"""Krippendorff's alpha for coreference: by hand, and against the definition written out."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotated import annotated, annotations, text
from coindex.annotation.agreement import DISTANCES, Disagreement, Unmarked, disagreement, masi, passonneau
from coindex.document import Document

A, B, C, D = (0,), (1,), (2,), (3,)


@pytest.mark.parametrize(
    ("one", "other", "by_steps", "by_overlap"),
    [
        ("ab", "ab", 0, 0),
        ("ab", "abc", 1 / 3, 1 - 2 / 3 * 2 / 3),
        ("ab", "bc", 2 / 3, 1 - 1 / 3 * 1 / 3),
        ("ab", "cd", 1, 1),
        ("", "ab", 1, 1),
        ("", "", 0, 0),
    ],
)
def test_distances(one: str, other: str, by_steps: float, by_overlap: float) -> None:
    sizes = len(set(one) & set(other)), len(one), len(other)
    assert passonneau(*sizes) == pytest.approx(by_steps)
    assert masi(*sizes) == pytest.approx(by_overlap)


def test_two_annotators_by_hand() -> None:
    """One has {a b} {c}, the other {a} {b c}.

    Observed: a 1/3, b 2/3, c 1/3. Expected: the values are ab twice, bc twice, a and c, which are 15 pairs: ab-c 2·1,
    ab-a 2·1/3, ab-bc 4·2/3, c-a 1, c-bc 2·1/3, a-bc 2·1, and the pairs of the same 0.
    """
    base = text(3)
    docs = [annotated(base, {"x": [A, B], "y": [C]}), annotated(base, {"x": [A], "y": [B, C]})]
    observed = (1 / 3 + 2 / 3 + 1 / 3) / 3
    expected = (2 + 2 / 3 + 8 / 3 + 1 + 2 / 3 + 2) / 15
    assert disagreement(docs).alpha == pytest.approx(1 - observed / expected)
    assert 1 - observed / expected == pytest.approx(7 / 27)


def test_a_mention_of_one_annotator_by_hand() -> None:
    """As above, and the first has d alone: as null a unit more, at 1, whose two values are at 1 from all others."""
    base = text(4)
    docs = [annotated(base, {"x": [A, B], "y": [C], "z": [D]}), annotated(base, {"x": [A], "y": [B, C]})]
    observed = (1 / 3 + 2 / 3 + 1 / 3 + 1) / 4
    expected = (9 + 6 + 7) / 28
    assert disagreement(docs).alpha == pytest.approx(1 - observed / expected)
    assert disagreement(docs, unmarked="missing").alpha == pytest.approx(7 / 27)


@settings(max_examples=40)
@given(annotations(details=False), st.sampled_from(sorted(DISTANCES)), st.sampled_from(["null", "missing"]))
def test_any_annotators_by_the_definition(docs: list[Document], name: str, unmarked: Unmarked) -> None:
    def value(doc: Document, place: tuple[int, ...]) -> frozenset[tuple[int, ...]]:
        chains = [{m.positions for m in entity.mentions} for entity in doc.entities]
        return frozenset().union(*(chain for chain in chains if place in chain))

    def apart(one: frozenset[tuple[int, ...]], other: frozenset[tuple[int, ...]]) -> float:
        return DISTANCES[name](len(one & other), len(one), len(other))

    places = {mention.positions for doc in docs for mention, _ in doc.mentions()}
    units = [[value(doc, place) for doc in docs] for place in places]
    if unmarked == "missing":
        units = [found for unit in units if len(found := [each for each in unit if each]) > 1]
    values = [each for unit in units for each in unit]
    pairs = [apart(*pair) for pair in permutations(values, 2)]
    expected = sum(pairs) / len(pairs) if pairs else 0
    found = disagreement(docs, DISTANCES[name], unmarked).alpha
    if not expected:
        assert found is None
        return
    observed = sum(2 * apart(*pair) / (len(unit) - 1) for unit in units for pair in combinations(unit, 2)) / len(values)
    assert found == pytest.approx(1 - observed / expected)


def test_perfect_agreement_and_none() -> None:
    doc = annotated(text(3), {"x": [A, B], "y": [C]})
    assert disagreement([doc, doc, doc]).alpha == 1
    assert disagreement([text(3), text(3)]).alpha is None


def test_documents_add() -> None:
    """Distances are expected within documents: the same document twice has the same alpha."""
    base = text(3)
    found = disagreement([annotated(base, {"x": [A, B], "y": [C]}), annotated(base, {"x": [A], "y": [B, C]})])
    assert (found + found).alpha == pytest.approx(7 / 27)
    assert (found + Disagreement()).alpha == found.alpha
