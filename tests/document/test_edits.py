"""Each named edit on a document of our own, where what should happen can be read off."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from coindex.document import Document, Entity, Mention, Multiword, Sentence, Token, Tokens, edits
from coindex.document.edits import (
    add_bridge,
    add_mention,
    insert_zero,
    link,
    merge,
    remove_bridge,
    remove_mention,
    remove_split_antecedent,
    remove_zero,
    rename_entity,
    resize_mention,
    set_attributes,
    set_entity,
    set_head,
    set_split_antecedent,
    split,
    unlink,
)
from coindex.document.validation import check
from coindex.errors import EditError

ANN, BOB, HOUSE, THEY, DOOR = [0], [2], [4, 5], [7], [9, 10]


def story() -> Document:
    """Ann and Bob saw the house. They liked the door."""
    words = ["Ann", "and", "Bob", "saw", "the", "house", ".", "They", "liked", "the", "door", "."]
    ids = [*range(1, 8), *range(1, 6)]
    tokens = Tokens([Token(str(id), word) for id, word in zip(ids, words, strict=True)])
    doc = Document(tokens, (Sentence(tokens, 0, 7, "s1"), Sentence(tokens, 7, 12, "s2")), id="d", origin=object())
    doc = add_mention(doc, ANN, entity="ann")
    doc = add_mention(doc, BOB, entity="bob")
    doc = add_mention(doc, HOUSE, entity="house", head=5, attributes={"def": "yes"})
    doc = add_mention(doc, THEY, entity="they")
    doc = add_mention(doc, DOOR, entity="door", head=10)
    doc = add_bridge(doc, "door", DOOR, "house", relation="part")
    return set_split_antecedent(doc, "they", THEY, ["ann", "bob"])


def shape(doc: Document) -> dict[str, list[tuple[int, ...]]]:
    return {entity.id: [mention.positions for mention in entity.mentions] for entity in doc.entities}


def bridges(doc: Document) -> list[tuple[str, tuple[int, ...], str, str | None]]:
    return [(b.entity, b.anaphor.positions, b.antecedent, b.relation) for b in doc.bridges]


def splits(doc: Document) -> list[tuple[str, tuple[int, ...], tuple[str, ...]]]:
    return [(s.entity, s.anaphor.positions, s.antecedents) for s in doc.split_antecedents]


def refused(edit: Callable[[], Document], *parts: str) -> None:
    with pytest.raises(EditError) as raised:
        edit()
    for part in parts:
        assert part in str(raised.value)


def test_the_story_is_sound() -> None:
    doc = story()
    assert list(check(doc)) == []
    assert shape(doc) == {"ann": [(0,)], "bob": [(2,)], "house": [(4, 5)], "they": [(7,)], "door": [(9, 10)]}
    assert bridges(doc) == [("door", (9, 10), "house", "part")]
    assert splits(doc) == [("they", (7,), ("ann", "bob"))]


class TestMentions:
    def test_a_mention_without_an_entity_makes_one_with_the_first_free_id(self) -> None:
        doc = add_mention(add_mention(story(), [1]), [3, 1, 3])
        assert shape(doc)["e1"] == [(1,)]
        assert shape(doc)["e2"] == [(1, 3)]
        assert [entity.id for entity in doc.entities] == ["ann", "e2", "e1", "bob", "house", "they", "door"]

    def test_an_id_that_is_free_again_is_used_again(self) -> None:
        doc = add_mention(add_mention(story(), [1]), [3])
        assert shape(add_mention(remove_mention(doc, "e1", [1]), [6]))["e1"] == [(6,)]

    def test_where_documents_share_ids_a_new_one_is_not_another_documents(self) -> None:
        doc = story().replace(shared_ids=True)
        assert "d_e1" in shape(add_mention(doc, [1]))
        assert "e1" in shape(add_mention(doc.replace(id=None), [1]))

    def test_an_entity_that_does_not_exist_is_made_under_its_id(self) -> None:
        assert shape(add_mention(story(), [6], entity="dot"))["dot"] == [(6,)]

    def test_the_new_mention_is_in_text_order(self) -> None:
        doc = add_mention(story(), [0, 1, 2], entity="bob")
        assert shape(doc)["bob"] == [(0, 1, 2), (2,)]
        assert [entity.id for entity in doc.entities][:2] == ["bob", "ann"]

    def test_head_and_attributes_are_set(self) -> None:
        mention = add_mention(story(), [3, 4], entity="x", head=4, attributes={"a": "b"}).entity("x").mentions[0]
        assert (mention.head, mention.attributes) == (4, {"a": "b"})

    def test_what_does_not_fit_is_refused(self) -> None:
        doc = story()
        refused(lambda: add_mention(doc, []), "without positions")
        refused(lambda: add_mention(doc, [12]), "position 12 is not in the document", "0 to 11")
        refused(lambda: add_mention(doc, [-1, 3]), "position -1 is not in the document")
        refused(lambda: add_mention(doc, ["1"]), "whole numbers")  # type: ignore[list-item]
        refused(lambda: add_mention(doc, [1], head=2), "head 2 is not a position of the mention at 1")
        refused(lambda: add_mention(doc, [0], entity="ann"), "'ann' already has a mention at 0")
        refused(lambda: add_mention(doc, [1], entity=""), "empty entity id")

    def test_the_last_mention_takes_its_entity_and_all_that_points_to_it_along(self) -> None:
        doc = remove_mention(story(), "house", HOUSE)
        assert "house" not in shape(doc)
        assert bridges(doc) == []
        assert splits(remove_mention(doc, "bob", BOB)) == []

    def test_a_split_antecedent_of_three_lives_on_with_two(self) -> None:
        doc = set_split_antecedent(story(), "they", THEY, ["ann", "house", "bob"])
        assert splits(remove_mention(doc, "house", HOUSE)) == [("they", (7,), ("ann", "bob"))]

    def test_an_anaphor_takes_its_relations_along(self) -> None:
        doc = add_mention(add_mention(story(), [8], entity="door"), [8, 9], entity="they")
        doc = remove_mention(remove_mention(doc, "door", DOOR), "they", THEY)
        assert (bridges(doc), splits(doc)) == ([], [])

    def test_one_mention_of_several_leaves_the_rest_alone(self) -> None:
        doc = remove_mention(add_mention(story(), [3], entity="house"), "house", [3])
        assert doc == story()

    def test_a_mention_that_is_not_there_is_refused(self) -> None:
        refused(lambda: remove_mention(story(), "ann", [2]), "'ann' has no mention at 2")
        refused(lambda: remove_mention(story(), "hause", HOUSE), "no entity 'hause'", "did you mean 'house'")
        refused(lambda: remove_mention(story(), "42", HOUSE), "no entity '42'", "it has 5 entities")

    def test_a_resized_mention_keeps_its_head_if_it_can_and_its_relations(self) -> None:
        doc = resize_mention(story(), "door", DOOR, [8, 9, 10])
        assert doc.entity("door").mentions[0].head == 10
        assert bridges(doc) == [("door", (8, 9, 10), "house", "part")]
        assert doc.bridges[0].anaphor is doc.entity("door").mentions[0]
        assert resize_mention(doc, "door", [8, 9, 10], [8]).entity("door").mentions[0].head is None

    def test_a_resized_mention_changes_the_order(self) -> None:
        assert next(iter(shape(resize_mention(story(), "they", THEY, [0, 1, 2])))) == "they"

    def test_a_mention_cannot_be_resized_onto_another(self) -> None:
        doc = add_mention(story(), [3], entity="ann")
        refused(lambda: resize_mention(doc, "ann", [3], [0]), "'ann' already has a mention at 0")
        assert resize_mention(doc, "ann", [3], [3]) == doc

    def test_head_and_attributes_change_in_the_relations_too(self) -> None:
        doc = set_attributes(set_head(story(), "door", DOOR, 9), "door", DOOR, {"x": "y"})
        mention = doc.entity("door").mentions[0]
        assert (mention.head, mention.attributes) == (9, {"x": "y"})
        assert doc.bridges[0].anaphor == mention
        assert set_head(doc, "door", DOOR, None).entity("door").mentions[0].head is None
        refused(lambda: set_head(doc, "door", DOOR, 8), "head 8 is not a position")


class TestEntities:
    def test_what_is_not_given_stays(self) -> None:
        doc = set_entity(story(), "ann", type="person", attributes={"sex": "f"})
        doc = set_entity(doc, "ann", kind="event")
        assert doc.entity("ann") == Entity("ann", doc.entity("ann").mentions, "person", "event", {"sex": "f"})
        assert set_entity(doc, "ann", type=None).entity("ann").type is None
        refused(lambda: set_entity(doc, "ann", kind="thing"), "'thing' is not a kind")  # type: ignore[arg-type]

    def test_a_linked_mention_takes_its_relations_along(self) -> None:
        doc = link(add_mention(story(), [8], entity="door"), "door", DOOR, "they")
        assert shape(doc)["door"] == [(8,)]
        assert shape(doc)["they"] == [(7,), (9, 10)]
        assert bridges(doc) == [("they", (9, 10), "house", "part")]

    def test_when_the_last_mention_is_linked_what_pointed_to_its_entity_follows(self) -> None:
        doc = link(story(), "house", HOUSE, "ann")
        assert "house" not in shape(doc)
        assert bridges(doc) == [("door", (9, 10), "ann", "part")]

    def test_a_bridge_to_itself_goes(self) -> None:
        assert bridges(link(story(), "door", DOOR, "house")) == []
        assert bridges(merge(story(), "door", "house")) == []

    def test_links_that_do_not_fit(self) -> None:
        refused(lambda: link(story(), "ann", ANN, "ann"), "already belongs to 'ann'")
        refused(lambda: link(story(), "ann", ANN, "nobody"), "no entity 'nobody'")
        doc = add_mention(story(), ANN, entity="bob")
        refused(lambda: link(doc, "ann", ANN, "bob"), "'bob' already has a mention at 0")

    def test_an_unlinked_mention_is_alone_with_type_and_kind(self) -> None:
        doc = set_entity(add_mention(story(), [6], entity="ann"), "ann", type="person", attributes={"a": "b"})
        doc = unlink(doc, "ann", [6])
        assert shape(doc)["e1"] == [(6,)]
        assert (doc.entity("e1").type, doc.entity("e1").attributes) == ("person", {})
        assert doc.entity("ann").attributes == {"a": "b"}
        refused(lambda: unlink(doc, "e1", [6]), "nothing would be left of 'e1'")
        refused(
            lambda: unlink(add_mention(doc, [3], entity="e1"), "e1", [3], new_id="bob"),
            "already has an entity",
        )

    def test_merging_keeps_the_values_of_the_first_and_adds_the_rest(self) -> None:
        doc = set_entity(story(), "bob", type="person", kind="event", attributes={"a": "2", "b": "2"})
        doc = set_entity(doc, "ann", attributes={"a": "1"})
        doc = merge(doc, "ann", "bob")
        ann = doc.entity("ann")
        assert (ann.type, ann.kind, ann.attributes) == ("person", "entity", {"a": "1", "b": "2"})
        assert shape(doc)["ann"] == [(0,), (2,)]
        assert splits(doc) == []  # one antecedent is none

    def test_relations_of_both_become_those_of_one(self) -> None:
        doc = add_bridge(story(), "door", DOOR, "ann", relation="poss")
        doc = add_bridge(doc, "house", HOUSE, "ann")
        doc = merge(doc, "house", "bob")
        assert splits(doc) == [("they", (7,), ("ann", "house"))]
        doc = merge(doc, "ann", "they")
        assert splits(doc) == []
        doc = merge(doc, "ann", "house")
        assert bridges(doc) == [("door", (9, 10), "ann", "poss")]

    def test_merges_that_do_not_fit(self) -> None:
        refused(lambda: merge(story(), "ann", "ann"), "'ann' cannot be merged with itself")
        doc = add_mention(story(), ANN, entity="bob")
        refused(lambda: merge(doc, "ann", "bob"), "'ann' and 'bob' both have a mention at 0", "remove one")

    def test_a_split_moves_mentions_and_their_relations(self) -> None:
        doc = merge(merge(story(), "ann", "door"), "ann", "they")
        doc = split(doc, "ann", [THEY, DOOR], new_id="rest")
        assert shape(doc) == {"ann": [(0,)], "bob": [(2,)], "house": [(4, 5)], "rest": [(7,), (9, 10)]}
        assert bridges(doc) == [("rest", (9, 10), "house", "part")]
        refused(lambda: split(doc, "rest", [THEY, DOOR]), "nothing would be left")
        refused(lambda: split(doc, "rest", []), "no mentions to split off")
        refused(lambda: split(doc, "rest", [THEY, [8]]), "'rest' has no mention at 8")

    def test_a_renamed_entity_has_its_name_everywhere(self) -> None:
        doc = rename_entity(rename_entity(rename_entity(story(), "house", "h"), "door", "d"), "ann", "a")
        assert list(shape(doc)) == ["a", "bob", "h", "they", "d"]
        assert bridges(doc) == [("d", (9, 10), "h", "part")]
        assert splits(doc) == [("they", (7,), ("a", "bob"))]
        refused(lambda: rename_entity(doc, "a", "bob"), "already has an entity 'bob'", "merge")


class TestRelations:
    def test_a_second_bridge_to_the_same_entity_is_refused(self) -> None:
        refused(lambda: add_bridge(story(), "door", DOOR, "house"), "exists; remove it first")
        refused(lambda: add_bridge(story(), "door", DOOR, "door"), "to itself")
        refused(lambda: add_bridge(story(), "door", DOOR, "nix"), "no entity 'nix'")
        refused(lambda: add_bridge(story(), "door", [9], "ann"), "'door' has no mention at 9")

    def test_bridges_stand_in_the_order_of_their_anaphors(self) -> None:
        doc = add_bridge(add_bridge(story(), "door", DOOR, "ann"), "house", HOUSE, "bob")
        assert [antecedent for _, _, antecedent, _ in bridges(doc)] == ["bob", "ann", "house"]
        assert bridges(remove_bridge(remove_bridge(doc, "door", DOOR, "house"), "house", HOUSE, "bob")) == [
            ("door", (9, 10), "ann", None)
        ]
        refused(lambda: remove_bridge(doc, "door", DOOR, "bob"), "no bridge leads from 'door'")

    def test_a_split_antecedent_is_set_and_removed(self) -> None:
        doc = set_split_antecedent(story(), "they", THEY, ["house", "ann", "house"])
        assert splits(doc) == [("they", (7,), ("house", "ann"))]
        assert splits(remove_split_antecedent(doc, "they", THEY)) == []
        refused(lambda: remove_split_antecedent(doc, "ann", ANN), "has no split antecedent")
        refused(lambda: set_split_antecedent(doc, "they", THEY, ["ann", "ann"]), "fewer than two")
        refused(lambda: set_split_antecedent(doc, "they", THEY, ["ann", "they"]), "among its own")
        refused(lambda: set_split_antecedent(doc, "they", THEY, ["ann", "nix"]), "no entity 'nix'")


def ids(doc: Document) -> list[str]:
    return [token.id for token in doc.tokens]


class TestZeros:
    def test_everything_after_a_zero_moves(self) -> None:
        doc = insert_zero(story(), after=3, form="it", upos="PRON", deps="4:obj")
        assert ids(doc)[3:6] == ["4", "4.1", "5"]
        assert doc.tokens[4] == Token("4.1", "it", upos="PRON", deps="4:obj")
        assert shape(doc) == {
            "ann": [(0,)],
            "bob": [(2,)],
            "house": [(5, 6)],
            "they": [(8,)],
            "door": [(10, 11)],
        }
        assert [mention.head for mention, _ in doc.mentions()] == [None, None, 6, None, 11]
        assert bridges(doc) == [("door", (10, 11), "house", "part")]
        assert splits(doc) == [("they", (8,), ("ann", "bob"))]
        assert [(sentence.start, sentence.end, sentence.id) for sentence in doc.sentences] == [
            (0, 8, "s1"),
            (8, 13, "s2"),
        ]
        assert doc.text == story().text
        assert list(check(doc)) == []
        assert remove_zero(doc, 4) == story()

    def test_a_zero_at_a_border_belongs_to_the_sentence_of_its_neighbour(self) -> None:
        last, first = insert_zero(story(), after=6), insert_zero(story(), before=7)
        assert [len(sentence) for sentence in last.sentences] == [8, 5]
        assert last.tokens[7].id == "7.1"
        assert [len(sentence) for sentence in first.sentences] == [7, 6]
        assert first.tokens[7].id == "0.1"
        assert shape(first)["they"] == [(8,)]

    def test_before_a_word_inside_a_sentence_is_after_the_one_before_it(self) -> None:
        assert insert_zero(story(), before=4) == insert_zero(story(), after=3)

    def test_zeros_of_one_word_are_numbered_again_in_the_dependencies_too(self) -> None:
        doc = insert_zero(story(), after=3, form="b", deps="4:obj")
        doc = insert_zero(doc, after=4, form="c", deps="4.1:conj")
        doc = insert_zero(doc, after=3, form="a", deps="4.3:dep|4:obj")
        assert [(token.id, token.form, token.deps) for token in doc.tokens[4:7]] == [
            ("4.1", "a", "4.3:dep|4:obj"),
            ("4.2", "b", "4:obj"),
            ("4.3", "c", "4.2:conj"),
        ]
        without = remove_zero(doc, 4)
        assert [(token.id, token.deps) for token in without.tokens[4:6]] == [
            ("4.1", "4:obj"),
            ("4.2", "4.1:conj"),
        ]

    def test_a_zero_inside_a_mention_becomes_part_of_it(self) -> None:
        doc = insert_zero(story(), after=4)
        assert shape(doc)["house"] == [(4, 5, 6)]
        assert doc.entity("house").mentions[0].head == 6
        assert shape(remove_zero(doc, 5))["house"] == [(4, 5)]

    def test_a_mention_that_grows_may_change_its_place(self) -> None:
        doc = add_mention(add_mention(story(), [0, 1, 5, 6], entity="x"), [0, 2, 3, 6], entity="x")
        assert shape(doc)["x"] == [(0, 1, 5, 6), (0, 2, 3, 6)]
        assert shape(insert_zero(doc, after=2))["x"] == [(0, 2, 3, 4, 7), (0, 1, 6, 7)]

    def test_a_gap_stays_a_gap(self) -> None:
        doc = add_mention(story(), [0, 2], entity="both")
        assert shape(insert_zero(doc, after=0))["both"] == [(0, 3)]

    def test_removing_the_head_leaves_the_mention_without_a_head(self) -> None:
        doc = insert_zero(story(), after=3)
        doc = set_head(resize_mention(doc, "house", [5, 6], [4, 5, 6]), "house", [4, 5, 6], 4)
        assert remove_zero(doc, 4).entity("house").mentions[0] == Mention(doc.tokens, (4, 5), None, {"def": "yes"})

    def test_multiword_tokens_move_and_grow(self) -> None:
        words = [Token(str(number), form) for number, form in enumerate(["ir", "de", "el", "mar", "se"], 1)]
        tokens = Tokens(words, multiwords=[Multiword(1, 3, "del"), Multiword(3, 5, "marse", space="")])
        doc = Document.from_sentences(tokens, [5])
        ranges = {
            place: [(multiword.start, multiword.end) for multiword in insert_zero(doc, after=place).tokens.multiwords]
            for place in range(5)
        }
        assert ranges == {
            0: [(2, 4), (4, 6)],
            1: [(1, 4), (4, 6)],
            2: [(1, 3), (4, 6)],
            3: [(1, 3), (3, 6)],
            4: [(1, 3), (3, 5)],
        }
        assert all(remove_zero(insert_zero(doc, after=place), place + 1) == doc for place in range(5))
        assert insert_zero(doc, after=1).text == "ir del marse"

    def test_zeros_that_must_stay(self) -> None:
        doc = insert_zero(story(), after=3)
        refused(lambda: remove_zero(doc, 3), "'saw' at 3 is a word of the text")
        refused(lambda: remove_zero(add_mention(doc, [4]), 4), "is a mention of 'e1'", "remove or resize")
        refused(lambda: remove_zero(insert_zero(doc, after=4, deps="4.1:dep"), 4), "the parent of 4.2")
        both = add_mention(add_mention(doc, [3], entity="x"), [3, 4], entity="x")
        refused(lambda: remove_zero(both, 4), "two mentions of 'x' would be identical")
        alone = Document.from_sentences(Tokens([Token("0.1", "_")]), [1])
        refused(lambda: remove_zero(alone, 0), "the only token of its sentence")

    def test_places_that_are_none(self) -> None:
        refused(lambda: insert_zero(story()), "after or before a position")
        refused(lambda: insert_zero(story(), after=1, before=2), "after or before a position")
        refused(lambda: insert_zero(story(), after=12), "position 12 is not in the document")
        refused(lambda: insert_zero(story().replace(sentences=()), after=1), "in no sentence")
        odd = Document.from_sentences(Tokens([Token("one", "a")]), [1])
        refused(lambda: insert_zero(odd, after=0), "'one' is not a number")


def test_what_an_edit_does_not_touch_stays_the_same_object() -> None:
    doc = story()
    after = resize_mention(doc, "they", THEY, [7, 8])
    assert after.tokens is doc.tokens
    assert after.sentences is doc.sentences
    assert after.origin is doc.origin
    assert after.bridges is doc.bridges
    for id in ("ann", "bob", "house", "door"):
        assert after.entity(id) is doc.entity(id)
    assert doc == story()  # and the old one is as it was


def test_canonical_order_is_by_first_mention_then_id() -> None:
    doc = story()
    mixed = doc.replace(entities=doc.entities[::-1], bridges=doc.bridges[::-1])
    assert edits.canonical(mixed) == doc
    two = add_mention(add_mention(story(), [3], entity="z"), [3], entity="b")
    assert list(shape(two)) == ["ann", "bob", "b", "z", "house", "they", "door"]


def test_an_edit_of_a_novel_is_fast() -> None:
    """200,000 tokens and 30,000 mentions: an edit must not look at all of them."""
    tokens = Tokens([Token(str(number % 20 + 1), "w") for number in range(200_000)])
    doc = Document.from_sentences(tokens, [20] * 10_000)
    entities = [
        Entity(f"x{first}", tuple(Mention(tokens, (first + 6000 * n,)) for n in range(5))) for first in range(6000)
    ]
    doc = doc.replace(entities=tuple(entities))
    times, looks = [], []
    for number in range(5):  # the best of five, since the machine may be busy
        start = time.process_time()
        assert sum(token.form == "w" for token in doc.tokens) == 200_000
        looks.append(time.process_time() - start)
        start = time.process_time()
        after = add_mention(doc, [150_000 + number], entity="x300")
        after = link(after, "x300", [150_000 + number], "x5999")
        after = unlink(after, "x5999", [150_000 + number])
        after = merge(after, "x1", "x2")
        times.append(time.process_time() - start)
        assert len(after.entities) == 6000
    assert min(times) / 4 < min(looks)
