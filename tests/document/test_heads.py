"""Heads from dependency trees, and spans reduced to them."""

from __future__ import annotations

import pytest

from coindex.document import Bridge, Document, Entity, Sentence, SplitAntecedent, Token, Tokens
from coindex.document.heads import REDUCTIONS, Reduction, Trees, find_head, find_heads, reduce_to_heads


def tree(*words: str) -> Document:
    """A sentence of words "ID HEAD" or "ID HEAD DEPS"."""
    tokens = []
    for word in words:
        id, head, *deps = word.split()
        tokens.append(Token(id, f"w{id}", head=head, deprel="dep", deps=deps[0] if deps else "_"))
    return Document.from_sentences(Tokens(tokens), [len(tokens)], id="d")


def head(doc: Document, *positions: int, given: int | None = None) -> int:
    return find_head(doc.mention(positions, head=given), Trees(doc))


# --- trees


def test_parents_children_and_paths() -> None:
    doc = tree("1 2", "2 0", "2.1 _ 2:obj", "3 2", "4 3")
    trees = Trees(doc)
    assert trees.parents == [1, None, None, 1, 3]
    assert trees.children == [[], [0, 3], [], [4], []]
    assert trees.path_to_root(4) == [4, 3, 1]
    assert trees.enhanced(2) == [(1, "obj")]
    assert trees.enhanced(0) == [(1, "dep")]
    assert trees.enhanced(1) == [(None, "dep")]


def test_trees_of_several_sentences_do_not_meet() -> None:
    tokens = Tokens([Token("1", "a", head="0"), Token("2", "b", head="1"), Token("1", "c", head="0")])
    trees = Trees(Document.from_sentences(tokens, [2, 1]))
    assert trees.parents == [None, 0, None]


def test_parents_that_are_not_there() -> None:
    trees = Trees(tree("1 9", "2 x", "3 _"))
    assert trees.parents == [None, None, None]
    assert trees.enhanced(2) == []


@pytest.mark.parametrize(("words", "expected"), [(["1 0"], True), (["1 0", "2 1"], True), (["1 _", "2 _"], False)])
def test_whether_there_are_trees(words: list[str], expected: bool) -> None:
    assert Trees(tree(*words)).has_trees is expected


def test_a_cycle_ends_the_path() -> None:
    assert Trees(tree("1 2", "2 1")).path_to_root(0) == [0, 1]


# --- heads


def test_one_word_is_its_head() -> None:
    assert head(tree("1 2", "2 0"), 0) == 0


def test_the_highest_word() -> None:
    doc = tree("1 3", "2 3", "3 0", "4 3", "5 4")
    assert head(doc, 0, 1, 2) == 2
    assert head(doc, 3, 4) == 3


def test_of_several_tops_the_first_if_none_is_above_the_others() -> None:
    """Their common ancestor is outside the mention."""
    doc = tree("1 3", "2 3", "3 0", "4 3")
    assert head(doc, 0, 1) == 0
    assert head(doc, 1, 3) == 1


def test_of_several_tops_the_given_head_if_it_is_one_of_them() -> None:
    doc = tree("1 3", "2 3", "3 0", "4 2")
    assert head(doc, 0, 1, given=1) == 1
    assert head(doc, 0, 1, 3, given=3) == 0  # 3 depends on 1 and is no top


def test_a_top_that_is_above_the_others_by_words_outside() -> None:
    doc = tree("1 2", "2 4", "3 0", "4 3")  # 4 <- 3 is outside, 2 <- 4
    assert head(doc, 0, 3) == 3
    assert head(doc, 1, 2) == 2


def test_enhanced_dependencies_decide_between_tops() -> None:
    doc = tree("1 3 3:nsubj", "2 3 1:conj|3:nsubj", "3 0")
    assert head(doc, 0, 1) == 0
    doc = tree("1 3 2:conj|3:nsubj", "2 3 3:nsubj", "3 0")
    assert head(doc, 0, 1) == 1


def test_empty_nodes_hang_in_the_enhanced_graph() -> None:
    doc = tree("1 2", "1.1 _ 2:nsubj", "2 0", "3 2")
    assert head(doc, 1, 2) == 2
    assert head(doc, 0, 1) == 0
    assert head(tree("1 2", "2 0", "2.1 _ 1:x"), 0, 2) == 0


def test_a_cycle_has_the_given_head_or_the_first_word() -> None:
    doc = tree("1 2", "2 1")
    assert head(doc, 0, 1) == 0
    assert head(doc, 0, 1, given=1) == 1


def test_heads_are_found_where_none_are_given() -> None:
    doc = tree("1 2", "2 0", "3 2")
    mentions = (doc.mention([0, 1]), doc.mention([1, 2], head=2))
    doc = doc.replace(entities=(Entity("e1", mentions),))
    assert [m.head for m in find_heads(doc).entities[0].mentions] == [1, 2]
    assert [m.head for m in find_heads(doc, overwrite=True).entities[0].mentions] == [1, 1]


def test_a_document_with_all_its_heads_stays_as_it_is() -> None:
    doc = tree("1 2", "2 0")
    doc = doc.replace(entities=(Entity("e1", (doc.mention([0, 1], head=1),)),))
    assert find_heads(doc) is doc
    assert find_heads(doc, overwrite=True) is doc


def test_relations_follow_their_mentions() -> None:
    """Also where the anaphor is an equal mention and not the same object, as after some edits."""
    doc = tree("1 2", "2 0", "3 2", "4 3")
    entities = tuple(Entity(f"e{n}", (doc.mention(span),)) for n, span in enumerate([(0, 1), (2, 3), (3,)], 1))
    doc = doc.replace(
        entities=entities,
        bridges=(Bridge(doc.mention((2, 3)), "e2", "e1"),),
        split_antecedents=(SplitAntecedent(doc.mention((2, 3)), "e2", ("e1", "e3")),),
    )
    found = find_heads(doc)
    assert found.bridges[0].anaphor == found.split_antecedents[0].anaphor == found.entity("e2").mentions[0]
    assert found.bridges[0].anaphor.head == 2
    reduced = reduce_to_heads(found, "all")
    assert reduced.bridges[0].anaphor.positions == reduced.split_antecedents[0].anaphor.positions == (2,)


# --- spans reduced to heads


def nested() -> Document:
    """Two entities with one head, one of them twice, and another."""
    doc = tree("1 2", "2 0", "3 2", "4 3")
    return doc.replace(
        entities=(
            Entity("a", (doc.mention([0, 1, 2, 3], head=1, attributes={"x": "y"}), doc.mention([3], head=3)), "t"),
            Entity("b", (doc.mention([0, 1], head=1),)),
            Entity("c", (doc.mention([2, 3]),)),
        ),
        bridges=(Bridge(doc.mention([2, 3]), "c", "b"),),
        split_antecedents=(SplitAntecedent(doc.mention([2, 3]), "c", ("a", "b")),),
    )


def spans(doc: Document) -> dict[str, list[tuple[int, ...]]]:
    return {entity.id: [mention.positions for mention in entity.mentions] for entity in doc.entities}


def test_the_three_ways_have_names() -> None:
    assert list(REDUCTIONS) == ["all", "merge", "smaller"]


def test_every_span_becomes_its_head() -> None:
    reduced = reduce_to_heads(nested(), "all")
    assert spans(reduced) == {"a": [(1,), (3,)], "b": [(1,)], "c": [(2,)]}
    assert all(mention.head == mention.start for mention, _ in reduced.mentions())
    assert dict(reduced.entity("a").mentions[0].attributes) == {"x": "y"}


@pytest.mark.parametrize("how", ["all", "merge"])
def test_a_word_occurs_once_in_an_entity(how: Reduction) -> None:
    doc = tree("1 2", "2 0", "3 2")
    mentions = (doc.mention([0, 1, 2], head=1, attributes={"x": "outer"}), doc.mention([1, 2], head=1))
    reduced = reduce_to_heads(doc.replace(entities=(Entity("e", mentions),)), how)
    assert spans(reduced) == {"e": [(1,)]}
    assert dict(reduced.entity("e").mentions[0].attributes) == {"x": "outer"}


def test_entities_that_share_a_word_are_merged() -> None:
    reduced = reduce_to_heads(nested(), "merge")
    assert spans(reduced) == {"a": [(1,), (3,)], "c": [(2,)]}
    assert reduced.entity("a").type == "t"
    assert [(bridge.entity, bridge.antecedent) for bridge in reduced.bridges] == [("c", "a")]
    assert reduced.split_antecedents == ()  # both members are one entity now


def test_no_relation_of_an_entity_to_itself_is_left_by_merging() -> None:
    doc = nested()
    anaphor = doc.entity("b").mentions[0]
    bridges = (Bridge(anaphor, "b", "a"), Bridge(anaphor, "b", "c", "x"), Bridge(anaphor, "b", "c", "y"))
    split = SplitAntecedent(anaphor, "b", ("a", "c"))
    reduced = reduce_to_heads(doc.replace(bridges=bridges, split_antecedents=(split,)), "merge")
    assert [(b.entity, b.antecedent, b.relation) for b in reduced.bridges] == [("a", "c", "x")]
    assert reduced.split_antecedents == ()


def test_merging_goes_through_chains_of_entities() -> None:
    doc = tree("1 0", "2 1", "3 2")
    doc = doc.replace(
        entities=(
            Entity("a", (doc.mention([0], head=0), doc.mention([1], head=1))),
            Entity("b", (doc.mention([1, 2], head=1), doc.mention([2], head=2))),
            Entity("c", (doc.mention([2], head=2),)),
        )
    )
    assert spans(reduce_to_heads(doc, "merge")) == {"a": [(0,), (1,), (2,)]}


def test_of_spans_with_one_head_the_smallest_is_reduced() -> None:
    reduced = reduce_to_heads(nested(), "smaller")
    assert spans(reduced) == {"a": [(0, 1, 2, 3), (3,)], "b": [(1,)], "c": [(2,)]}


def test_a_mention_without_a_head_becomes_its_first_word() -> None:
    doc = tree("1 2", "2 0")
    doc = doc.replace(entities=(Entity("e", (doc.mention([0, 1]),)),))
    assert spans(reduce_to_heads(doc, "all")) == {"e": [(0,)]}


@pytest.mark.parametrize("how", REDUCTIONS)
def test_words_alone_stay_as_they_are(how: str) -> None:
    doc = tree("1 2", "2 0")
    doc = doc.replace(entities=(Entity("e", (doc.mention([0], head=0),)), Entity("f", (doc.mention([1], head=1),))))
    assert reduce_to_heads(doc, how).entities == doc.entities  # type: ignore[arg-type]


def test_sentences_stay() -> None:
    doc = nested()
    assert reduce_to_heads(doc, "all").sentences == (Sentence(doc.tokens, 0, 4),)
