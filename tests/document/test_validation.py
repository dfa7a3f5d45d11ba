"""Each thing that validation finds, and nothing in documents that are sound."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex.document import (
    Bridge,
    Document,
    Entity,
    Mention,
    Multiword,
    Sentence,
    SplitAntecedent,
    Token,
    Tokens,
)
from coindex.document.edits import add_mention
from coindex.document.validation import Finding, check
from strategies import documents


def plain(words: str = "Ann saw Bob . He left .", lengths: tuple[int, ...] = (4, 3)) -> Document:
    ids = [str(number) for length in lengths for number in range(1, length + 1)]
    tokens = Tokens([Token(id, word) for id, word in zip(ids, words.split(), strict=True)])
    return Document.from_sentences(tokens, lengths, id="d")


def with_entities(doc: Document, **entities: list[list[int]]) -> Document:
    for id, mentions in entities.items():
        for positions in mentions:
            doc = add_mention(doc, positions, entity=id)
    return doc


def parsed(*rows: tuple[str, str, str]) -> Document:
    """One sentence of (id, head, deps)."""
    tokens = Tokens([Token(id, "w", head=head, deps=deps) for id, head, deps in rows])
    return Document.from_sentences(tokens, [len(rows)])


def only(doc: Document) -> Finding:
    findings = list(check(doc))
    assert len(findings) == 1, [finding.message for finding in findings]
    return findings[0]


@settings(max_examples=60, deadline=None)
@given(documents())
def test_sound_documents_have_no_findings(doc: Document) -> None:
    assert list(check(doc)) == []


def test_an_empty_document_is_sound() -> None:
    assert list(check(Document())) == []


class TestStructure:
    def test_sentences_must_follow_each_other(self) -> None:
        doc = plain()
        first, second = doc.sentences
        finding = only(doc.replace(sentences=(first, replace(second, start=5))))
        assert (finding.severity, finding.sentence) == ("error", 1)
        assert finding.message == (
            "sentence 2 from position 5 to 7; expected one that begins at 4 and has tokens; "
            "let each sentence begin where the one before it ends"
        )
        assert "sentences that end at position 4; expected 7" in only(doc.replace(sentences=(first,))).message

    def test_a_sentence_without_tokens(self) -> None:
        doc = plain()
        empty = Sentence(doc.tokens, 4, 4)
        finding = only(doc.replace(sentences=(doc.sentences[0], empty, doc.sentences[1])))
        assert (finding.sentence, finding.found) == (1, "sentence 2 from position 4 to 4")

    def test_tokens_of_another_document(self) -> None:
        doc, other = plain(), plain()
        assert (
            "sentence 1 points to the tokens of another document"
            in only(doc.replace(sentences=(other.sentences[0], doc.sentences[1]))).message
        )
        finding = only(doc.replace(entities=(Entity("e1", (other.mention([2]),)),)))
        assert (finding.severity, finding.entity, finding.sentence) == ("error", "e1", 0)
        assert finding.found == "a mention of 'e1' points to the tokens of another document"

    @pytest.mark.parametrize(
        ("multiwords", "found"),
        [
            ([(5, 8)], "outside the document"),
            ([(2, 2)], "outside the document or empty"),
            ([(1, 2)], "has one word"),
            ([(3, 5)], "crosses a sentence boundary"),
            ([(0, 2), (1, 3)], "overlaps the one before it"),
            ([(4, 6), (0, 2)], "comes too late"),
        ],
    )
    def test_multiword_ranges(self, multiwords: list[tuple[int, int]], found: str) -> None:
        words = plain().tokens
        tokens = Tokens(words, multiwords=[Multiword(start, end, "x") for start, end in multiwords])
        finding = only(Document.from_sentences(tokens, [4, 3]))
        assert finding.severity == "error"
        assert found in finding.found

    def test_a_multiword_token_that_ends_in_an_empty_node(self) -> None:
        words = [Token("1", "a"), Token("2", "b"), Token("2.1", "_")]
        doc = Document.from_sentences(Tokens(words, multiwords=[Multiword(0, 3, "ab")]), [3])
        assert "begins or ends with an empty node" in only(doc).found

    def test_two_entities_of_one_id(self) -> None:
        doc = with_entities(plain(), a=[[0]], b=[[2]])
        finding = only(doc.replace(entities=(doc.entities[0], replace(doc.entities[1], id="a"))))
        assert finding.message == (
            "2 entities with the id 'a'; expected a unique id for each entity; rename or merge them"
        )
        assert finding.entity == "a"

    def test_an_entity_without_mentions(self) -> None:
        finding = only(plain().replace(entities=(Entity("e1", ()),)))
        assert (finding.found, finding.entity) == ("an entity has no mentions", "e1")

    @pytest.mark.parametrize(
        ("positions", "head", "message"),
        [
            ((), None, "at the positions (none); expected some, from 0 to 6"),
            ((6, 7), None, "at the positions 6, 7; expected some, from 0 to 6"),
            ((-1, 0), None, "at the positions -1, 0; expected some, from 0 to 6"),
            ((2, 1), None, "at the positions 2, 1; expected positions in ascending order"),
            ((1, 1), None, "at the positions 1, 1; expected positions in ascending order"),
            ((1, 2), 3, "head 3 of the mention at 1, 2; expected one of the mention's positions"),
        ],
    )
    def test_positions_and_heads(self, positions: tuple[int, ...], head: int | None, message: str) -> None:
        doc = plain()
        finding = only(doc.replace(entities=(Entity("e1", (Mention(doc.tokens, positions, head),)),)))
        assert message in finding.message
        assert (finding.severity, finding.entity) == ("error", "e1")


class TestAnnotation:
    def test_a_mention_twice_in_an_entity(self) -> None:
        doc = with_entities(plain(), a=[[0, 1]])
        twice = replace(doc.entities[0], mentions=doc.entities[0].mentions * 2)
        finding = only(doc.replace(entities=(twice,)))
        assert (finding.severity, finding.position, finding.sentence, finding.entity) == ("error", 0, 0, "a")
        assert finding.found == "two mentions of 'a' at the same positions, 'Ann saw'"

    def test_a_mention_in_two_entities(self) -> None:
        finding = only(with_entities(plain(), a=[[4]], b=[[4]]))
        assert (finding.severity, finding.position, finding.sentence) == ("warning", 4, 1)
        assert finding.found == "'a' and 'b' both have a mention at 4"

    def test_a_mention_over_a_sentence_border(self) -> None:
        finding = only(with_entities(plain(), a=[[2, 3, 4]]))
        assert (finding.severity, finding.position, finding.sentence) == ("warning", 2, 0)
        assert finding.found == "the mention 'Bob . He' of 'a' across a sentence boundary"

    def test_crossing_mentions_of_one_entity(self) -> None:
        finding = only(with_entities(plain(), a=[[0, 1], [1, 2]]))
        assert (finding.severity, finding.position) == ("warning", 1)
        assert finding.found == "mentions of 'a' that cross: 'Ann saw', 'saw Bob'"
        assert "cross" in only(with_entities(plain(), a=[[0, 2], [1, 2]])).found

    def test_nested_ones_and_those_of_different_entities_are_fine(self) -> None:
        assert list(check(with_entities(plain(), a=[[0, 1, 2], [0, 2], [1], [2, 0, 1, 3]]))) == []
        assert list(check(with_entities(plain(), a=[[0, 1]], b=[[1, 2]]))) == []
        assert list(check(with_entities(plain(), a=[[0, 2], [1]]))) == []  # one in the other's gap


class TestRelations:
    def doc(self) -> Document:
        return with_entities(plain(), a=[[0]], b=[[2]], c=[[4]])

    def bridged(self, *bridges: tuple[str, str]) -> Document:
        doc = self.doc()
        made = tuple(Bridge(doc.entity(entity).mentions[0], entity, antecedent) for entity, antecedent in bridges)
        return doc.replace(bridges=made)

    def with_split(self, *antecedents: str) -> Document:
        doc = self.doc()
        return doc.replace(split_antecedents=(SplitAntecedent(doc.entity("c").mentions[0], "c", antecedents),))

    def test_bridges(self) -> None:
        assert list(check(self.bridged(("b", "a"), ("c", "a"), ("c", "b")))) == []
        unknown = only(self.bridged(("b", "x")))
        assert unknown.message == (
            "a bridge from 'b' to 'x', which does not exist; expected an entity; correct its antecedent"
        )
        assert (unknown.severity, unknown.position, unknown.sentence, unknown.entity) == ("error", 2, 0, "b")
        assert only(self.bridged(("b", "b"))).expected == "another entity as antecedent"
        assert "given twice" in only(self.bridged(("b", "a"), ("b", "a"))).found

    def test_split_antecedents(self) -> None:
        assert list(check(self.with_split("a", "b"))) == []
        assert "of which 'x' does not exist" in only(self.with_split("a", "x")).found
        assert only(self.with_split("a")).expected == "two or more antecedents, each once"
        assert only(self.with_split("a", "b", "a")).expected == "two or more antecedents, each once"
        assert only(self.with_split("a", "c")).expected == "other entities as antecedents"
        doc = self.with_split("a", "b")
        assert "the second one of its mention" in only(doc.replace(split_antecedents=doc.split_antecedents * 2)).found

    def test_an_anaphor_that_is_not_the_mention_of_its_entity(self) -> None:
        doc = self.bridged(("b", "a"))
        for wrong in (doc.mention([1]), doc.mention([2], head=2)):
            stale = doc.replace(bridges=(replace(doc.bridges[0], anaphor=wrong),))
            assert "which does not match a mention of 'b'" in only(stale).found
        split = self.with_split("a", "b").split_antecedents[0]
        moved = self.doc().replace(split_antecedents=(replace(split, entity="x"),))
        assert "which does not match a mention of 'x'" in only(moved).found


class TestTrees:
    def test_a_tree_with_empty_nodes_is_sound(self) -> None:
        rows = [
            ("0.1", "_", "2:nsubj"),
            ("1", "2", "2:det|2.1:dep"),
            ("2", "0", "0:root"),
            ("2.1", "_", "2:obj"),
        ]
        assert list(check(parsed(*rows))) == []

    @pytest.mark.parametrize(
        ("ids", "position", "found", "expected"),
        [
            (["1", "3"], 1, "token id '3'", "2"),
            (["0", "1"], 0, "token id '0'", "1"),
            (["1", "1"], 1, "token id '1'", "2"),
            (["1", "1.2"], 1, "token id '1.2'", "1.1"),
            (["1", "1.2", "1.1", "2"], 1, "token id '1.2'", "1.1"),
            (["1.1", "1"], 0, "token id '1.1'", "0.1"),
        ],
    )
    def test_ids(self, ids: list[str], position: int, found: str, expected: str) -> None:
        finding = only(parsed(*((id, "_", "_") for id in ids)))
        assert (finding.severity, finding.position, finding.sentence) == ("error", position, 0)
        assert (finding.found, finding.expected) == (found, expected)

    @pytest.mark.parametrize("head", ["3", "-1", "x", "1.1", "²"])
    def test_a_head_out_of_range(self, head: str) -> None:
        finding = only(parsed(("1", "0", "_"), ("2", head, "_")))
        assert (finding.severity, finding.position) == ("error", 1)
        assert finding.message == f"HEAD {head!r}; expected 0 to 2; correct it"

    def test_words_without_a_head_among_others(self) -> None:
        finding = only(parsed(("1", "0", "_"), ("2", "_", "_")))
        assert (finding.severity, finding.found) == ("warning", "word 2 without HEAD")

    def test_several_roots(self) -> None:
        finding = only(parsed(("1", "0", "_"), ("2", "1", "_"), ("3", "0", "_")))
        assert (finding.severity, finding.position, finding.found) == ("warning", 2, "2 roots, '1, 3'")

    def test_a_cycle(self) -> None:
        finding = only(parsed(("1", "0", "_"), ("2", "4", "_"), ("3", "2", "_"), ("4", "3", "_"), ("5", "4", "_")))
        assert (finding.severity, finding.position) == ("error", 1)
        assert finding.found == "words that depend on each other in a cycle, '2 → 4 → 3 → 2'"
        itself = only(parsed(("1", "0", "_"), ("2", "2", "_")))
        assert "cycle, '2 → 2'" in itself.found

    def test_no_root(self) -> None:
        cycle, root = check(parsed(("1", "2", "_"), ("2", "1", "_")))
        assert "cycle" in cycle.found
        assert (root.severity, root.found) == ("warning", "no root")

    @pytest.mark.parametrize(
        ("deps", "expected"),
        [
            ("7:obj", "a parent in the same sentence"),
            ("1.1:obj", "a parent in the same sentence"),
            ("2:obj", "another parent than the word itself"),
            ("1", "PARENT:RELATION, joined by |"),
            ("1:obj|", "PARENT:RELATION, joined by |"),
            (":obj", "PARENT:RELATION, joined by |"),
        ],
    )
    def test_enhanced_dependencies(self, deps: str, expected: str) -> None:
        finding = only(parsed(("1", "0", "_"), ("2", "1", deps)))
        assert (finding.severity, finding.position, finding.expected) == ("error", 1, expected)

    def test_places_are_those_of_the_document(self) -> None:
        words = [Token("1", "a", head="0"), Token("1", "b", head="0"), Token("2", "c", head="9")]
        finding = only(Document.from_sentences(Tokens(words), [1, 2]))
        assert (finding.position, finding.sentence) == (2, 1)


@settings(max_examples=60, deadline=None)
@given(documents(max_sentences=2, max_words=3), st.data())
def test_a_broken_document_is_found_out_not_fallen_over(doc: Document, data: st.DataObject) -> None:
    """Whatever positions a mention has, check ends, and says so when they are not in the document."""
    wild = st.lists(st.integers(-3, 20), max_size=3).map(tuple)
    mention = Mention(doc.tokens, data.draw(wild), data.draw(st.none() | st.integers(-3, 20)))
    entities = (*doc.entities, Entity("wild", (mention,)))
    bridges = (*doc.bridges, Bridge(mention, "wild", "wild"))
    findings = list(check(doc.replace(entities=entities, bridges=bridges)))
    size = len(doc.tokens)
    is_inside = bool(mention.positions) and all(0 <= position < size for position in mention.positions)
    is_sorted = list(mention.positions) == sorted(set(mention.positions))
    said = any(finding.found.startswith("a mention at the positions") for finding in findings)
    assert said == (not (is_inside and is_sorted))
