"""What holds for all documents."""

from __future__ import annotations

import random
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex.document import Document, Entity
from coindex.scoring import Counts, Result, make_settings, score_documents
from strategies import documents

PROFILES = st.sampled_from(
    [
        ("crac24", "head", "dependent"),
        ("crac24", "partial", "dependent"),
        ("crac24", "exact", "linear"),
        ("crac23", "head", "linear"),
        ("crac23", "exact", "linear"),
        ("crac22", "partial", "linear"),
        ("crac22", "head", "linear"),
        ("conll12", "exact", "linear"),
    ]
)
METRICS = ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mor", "zero", "mentions")


def run(key: list[Document], response: list[Document], profile: str, match: str, zeros: str, **options: bool) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = make_settings(profile, match=match, zeros=zeros, metrics=METRICS, **options)
        return score_documents(key, response, chosen)


def reassigned(doc: Document, draw: random.Random, *, share: float = 0.7) -> Document:
    """The same text with some of the mentions, put into other entities; none is repeated."""
    mentions = {m.positions: m for e in doc.entities for m in e.mentions if draw.random() < share}
    groups: dict[int, list] = {}
    for mention in mentions.values():
        groups.setdefault(draw.randrange(4), []).append(mention)
    return doc.replace(entities=tuple(Entity(f"r{n}", tuple(found)) for n, found in groups.items()), bridges=())


def unrepeated(doc: Document) -> Document:
    """Each span once, in its first entity."""
    seen: set[tuple[int, ...]] = set()
    entities = []
    for entity in doc.entities:
        kept = [m for m in entity.mentions if not (m.positions in seen or seen.add(m.positions))]
        if kept:
            entities.append(Entity(entity.id, tuple(kept)))
    return doc.replace(entities=tuple(entities))


def numbers(result: Result) -> dict[str, float]:
    return {f"{name}.{part}": value for name, s in result.scores.items() for part, value in s.to_dict().items()}


@settings(max_examples=60, deadline=None)
@given(documents(relations=False), PROFILES, st.booleans())
def test_a_document_against_itself_scores_one(doc: Document, how: tuple[str, str, str], singletons: bool) -> None:
    """The score is 1 if there is something to find, otherwise 0."""
    doc = unrepeated(doc)
    result = run([doc], [doc], *how, singletons=singletons)
    for name, found in result.scores.items():
        there = any(result.counts[name].values)
        assert (found.recall, found.precision, found.f1) == pytest.approx((1, 1, 1) if there else (0, 0, 0)), name


@settings(max_examples=60, deadline=None)
@given(documents(relations=False, zeros=False), st.booleans(), st.randoms(use_true_random=False))
def test_swapping_sides_swaps_recall_and_precision(doc: Document, singletons: bool, draw: random.Random) -> None:
    key, response = unrepeated(doc), reassigned(doc, draw)
    for how in (("crac24", "exact", "linear"), ("crac23", "exact", "linear")):
        one, other = (
            run([key], [response], *how, singletons=singletons),
            run([response], [key], *how, singletons=singletons),
        )
        for name, found in one.scores.items():
            turned = other[name]
            assert (turned.precision, turned.recall, turned.f1) == pytest.approx(
                (found.recall, found.precision, found.f1)
            )


@settings(max_examples=60, deadline=None)
@given(documents(relations=False), PROFILES, st.randoms(use_true_random=False))
def test_names_of_entities_do_not_matter(doc: Document, how: tuple[str, str, str], draw: random.Random) -> None:
    key, response = unrepeated(doc), reassigned(doc, draw)
    names = [f"n{number}" for number in range(len(response.entities))]
    draw.shuffle(names)
    renamed = [Entity(name, entity.mentions) for name, entity in zip(names, response.entities, strict=True)]
    draw.shuffle(renamed)
    other = response.replace(entities=tuple(renamed))
    assert numbers(run([key], [response], *how)) == pytest.approx(numbers(run([key], [other], *how)))


@settings(max_examples=40, deadline=None)
@given(st.lists(documents(relations=False), min_size=2, max_size=4), PROFILES, st.randoms(use_true_random=False))
def test_counts_add_and_order_does_not_matter(
    docs: list[Document], how: tuple[str, str, str], draw: random.Random
) -> None:
    """The counts of a corpus are those of its documents, in any order and to the last bit."""
    key = [doc.replace(id=f"d{number}") for number, doc in enumerate(docs)]
    response = [reassigned(doc, draw) for doc in key]
    whole = run(key, response, *how)
    alone = [run([one], [other], *how) for one, other in zip(key, response, strict=True)]
    for name in METRICS:
        assert Counts.total(found.counts[name] for found in alone) == whole.counts[name]
    assert run(key[::-1], response[::-1], *how).counts == whole.counts


@settings(max_examples=60, deadline=None)
@given(documents(relations=False, zeros=False), st.randoms(use_true_random=False))
def test_exact_matching_is_one_thing(doc: Document, draw: random.Random) -> None:
    """All CorefUD scorers agree on exact matching without zeros and repeated mentions."""
    key, response = unrepeated(doc), reassigned(doc, draw)
    results = [
        numbers(run([key], [response], profile, "exact", "linear")) for profile in ("crac22", "crac23", "crac24")
    ]
    assert results[0] == pytest.approx(results[1])
    assert results[0] == pytest.approx(results[2])
