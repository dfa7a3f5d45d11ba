"""Votes: mentions, links, ties, details; against every partition there is."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotated import annotated, annotations, chains, text
from coindex.annotation.voting import vote, vote_together
from coindex.document import Document, Entity
from coindex.document.edits import add_bridge, canonical, set_split_antecedent
from coindex.document.validation import check
from coindex.errors import CoindexError
from partitions import partitions

Place = tuple[int, ...]
A, B, C, D, E = (0,), (1,), (2,), (3,), (4,)


def verdict(groups: list[list[Place]], docs: list[Document], trust: list[int]) -> tuple[int, int, int]:
    """How good a clustering is: votes won less votes lost, the same with trust, and few links."""
    votes = trusted = links = 0
    for group in groups:
        for one, other in combinations(group, 2):
            links += 1
            for doc, weight in zip(docs, trust, strict=True):
                marked = {m.positions for m, _ in doc.mentions()}
                if one in marked and other in marked:
                    same = any({one, other} <= chain for chain in chains(doc))
                    votes += 1 if same else -1
                    trusted += weight if same else -weight
    return votes, trusted, -links


@settings(max_examples=40)
@given(annotations(most=4, details=False), st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_no_clustering_agrees_better(docs: list[Document], trust: list[int]) -> None:
    trust = trust[: len(docs)]
    voted = vote(docs, trust=trust)
    found = [[m.positions for m in entity.mentions] for entity in voted.entities]
    marked = [{m.positions for m, _ in doc.mentions()} for doc in docs]
    kept = sorted(p for p in set().union(*marked) if 2 * sum(p in each for each in marked) > len(docs))
    assert sorted(place for group in found for place in group) == kept
    best = max(verdict(groups, docs, trust) for groups in partitions(kept))
    assert verdict(found, docs, trust) == best


@settings(max_examples=40)
@given(annotations())
def test_votes_give_a_valid_document_and_always_the_same(docs: list[Document]) -> None:
    voted = vote(docs)
    assert [finding for finding in check(voted) if finding.severity == "error"] == []
    assert voted == vote(docs)


@settings(max_examples=40)
@given(annotations())
def test_who_agrees_with_themselves_is_confirmed(docs: list[Document]) -> None:
    assert vote([docs[0]] * 3) == docs[0]


def test_a_majority_keeps_mentions() -> None:
    base = text(6)
    docs = [annotated(base, {"x": [A, B]}), annotated(base, {"x": [A, C]}), annotated(base, {"x": [A, B, C], "y": [D]})]
    assert chains(vote(docs)) == {frozenset({A, B, C})}
    assert chains(vote(docs, least=3)) == {frozenset({A})}
    assert chains(vote(docs, least=1)) == {frozenset({A, B, C}), frozenset({D})}
    assert chains(vote(docs[:2])) == {frozenset({A})}  # of two, both


def test_a_link_of_most_wins() -> None:
    base = text(6)
    together, apart = annotated(base, {"x": [A, B]}), annotated(base, {"x": [A], "y": [B]})
    assert chains(vote([together, together, apart])) == {frozenset({A, B})}
    assert chains(vote([apart, together, apart])) == {frozenset({A}), frozenset({B})}


def test_ties_go_to_the_better_agreeing_and_then_to_none() -> None:
    base = text(6)
    together, apart = annotated(base, {"x": [A, B]}), annotated(base, {"x": [A], "y": [B]})
    assert chains(vote([together, apart], trust=[0.6, 0.5])) == {frozenset({A, B})}
    assert chains(vote([together, apart], trust=[0.5, 0.6])) == {frozenset({A}), frozenset({B})}
    assert chains(vote([together, apart], trust=[0.5, 0.5])) == {frozenset({A}), frozenset({B})}
    assert chains(vote([together, apart])) == {frozenset({A}), frozenset({B})}


def test_who_did_not_mark_a_mention_has_no_vote_on_it() -> None:
    base = text(6)
    with_all = annotated(base, {"x": [A, B, C]})
    without = annotated(base, {"x": [A, C]})
    apart = annotated(base, {"x": [A, C], "y": [B]})
    assert chains(vote([with_all, with_all, without, apart, without], least=3)) == {frozenset({A, B, C})}


def test_votes_weigh_more_than_transitivity() -> None:
    """A-B and B-C have two votes each, A-C none and three against it: one of the two links has to go."""
    base = text(6)
    docs = [
        annotated(base, {"x": [A, B], "y": [C]}),
        annotated(base, {"x": [A, B], "y": [C]}),
        annotated(base, {"x": [B, C], "y": [A]}),
    ]
    assert chains(vote(docs)) == {frozenset({A, B}), frozenset({C})}


def test_heads_attributes_types_and_kinds_are_voted_on() -> None:
    base = text(6)

    def by(head: int | None, role: str | None, type: str | None, kind: str, id: str) -> Document:
        attributes = {} if role is None else {"role": role}
        mention = base.mention((0, 1), head=head, attributes=attributes)
        return base.replace(entities=(Entity(id, (mention,), type, kind, {"note": id}),))  # type: ignore[arg-type]

    voted = vote([by(0, "a", "person", "event", "k"), by(1, "a", None, "entity", "l"), by(1, None, None, "event", "k")])
    (entity,) = voted.entities
    (mention,) = entity.mentions
    assert (mention.head, mention.attributes) == (1, {"role": "a"})
    assert (entity.id, entity.type, entity.kind, entity.attributes) == ("k", None, "event", {"note": "k"})


def test_missing_heads_are_not_votes() -> None:
    base = text(6)
    silent = base.replace(entities=(Entity("x", (base.mention((0, 1)),)),))
    telling = base.replace(entities=(Entity("x", (base.mention((0, 1), head=1),)),))
    assert vote([silent, silent, telling]).entities[0].mentions[0].head == 1


def test_relations_are_voted_on() -> None:
    base = annotated(text(6), {"x": [A, B], "y": [C], "z": [D]})
    bridged = add_bridge(base, "y", C, "x", relation="part")
    named = add_bridge(base, "y", C, "x", relation="whole")
    other = canonical(base.replace(entities=tuple(Entity(f"{e.id}2", e.mentions) for e in base.entities)))
    other = add_bridge(other, "y2", C, "x2", relation="part")
    (bridge,) = vote([bridged, named, other]).bridges
    assert (bridge.entity, bridge.antecedent, bridge.relation, bridge.anaphor.positions) == ("y", "x", "part", C)
    assert vote([bridged, base, base]).bridges == ()
    split = set_split_antecedent(base, "z", D, ["x", "y"])
    (found,) = vote([split, split, base]).split_antecedents
    assert (found.entity, found.antecedents) == ("z", ("x", "y"))
    assert vote([split, base, base]).split_antecedents == ()


def test_entities_over_documents() -> None:
    """Ids are shared, so that a vote on documents together links mentions of different documents."""

    def annotator(*by_document: dict[str, list[Place]]) -> list[Document]:
        docs = [annotated(text(6, id=str(number)), each) for number, each in enumerate(by_document)]
        return [doc.replace(shared_ids=True) for doc in docs]

    one = annotator({"x": [A]}, {"x": [B], "y": [C]})
    two = annotator({"p": [A]}, {"p": [B], "q": [C]})
    three = annotator({"x": [A]}, {"y": [B], "x": [C]})
    first, second = vote_together([one, two, three])
    assert [(e.id, [m.positions for m in e.mentions]) for e in first.entities] == [("x", [A])]
    assert [[m.positions for m in e.mentions] for e in second.entities if e.id == "x"] == [[B]]
    assert len(second.entities) == 2


def test_many_mentions_of_one_kind_are_quick() -> None:
    """What is clustered are the ways in which mentions were treated: three here, however many mentions there are."""
    base = text(3000)
    whole = annotated(base, {"x": [(n,) for n in range(3000)]})
    halves = annotated(base, {"x": [(n,) for n in range(1500)], "y": [(n,) for n in range(1500, 3000)]})
    assert len(vote([whole, halves, halves]).entities) == 2


def test_bad_calls() -> None:
    with pytest.raises(CoindexError, match="1 annotation to vote on; give at least two"):
        vote([text(3)])
    with pytest.raises(CoindexError, match="cannot require 3 votes from 2 annotators; choose 1 to 2"):
        vote([text(3)] * 2, least=3)
