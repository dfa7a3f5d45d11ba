"""The document model: offsets both ways, mentions of every kind, documents and corpora."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex.document import (
    Corpus,
    Document,
    Entity,
    Mention,
    Multiword,
    Sentence,
    Token,
    Tokens,
    mention_order,
    runs,
)
from coindex.text.spans import from_inclusive, from_one_based, to_inclusive, to_one_based
from strategies import documents


def spanish() -> Tokens:
    """ "Vino del mar." with de + el in one surface token, and a dropped subject before and after the verb."""
    return Tokens(
        [
            Token("0.1", "él"),
            Token("1", "Vino"),
            Token("1.1", "_"),
            Token("2", "de"),
            Token("3", "el"),
            Token("4", "mar", space=""),
            Token("5", ".", space="\n"),
        ],
        multiwords=[Multiword(3, 5, "del")],
    )


class TestTokens:
    def test_text_has_the_multiword_token_and_no_empty_nodes(self) -> None:
        assert spanish().text == "Vino del mar.\n"

    def test_offsets(self) -> None:
        tokens = spanish()
        starts = [tokens.start_char(position) for position in range(len(tokens))]
        ends = [tokens.end_char(position) for position in range(len(tokens))]
        assert starts == [0, 0, 5, 5, 5, 9, 12]
        assert ends == [0, 4, 5, 8, 8, 12, 13]

    def test_a_prefix_moves_all(self) -> None:
        tokens = Tokens([Token("1", "a"), Token("2", "b", space="")], prefix="\n\n")
        assert tokens.text == "\n\na b"
        assert [tokens.start_char(0), tokens.end_char(1)] == [2, 5]

    def test_offsets_of_an_empty_node_inside_a_multiword_token(self) -> None:
        words = [Token("1", "de"), Token("1.1", "_"), Token("2", "el")]
        tokens = Tokens(words, multiwords=[Multiword(0, 3, "del", space="")])
        assert tokens.text == "del"
        assert [(tokens.start_char(p), tokens.end_char(p)) for p in range(3)] == [(0, 3), (0, 0), (0, 3)]
        assert Mention(tokens, (1,)).text == ""

    @pytest.mark.parametrize(
        ("start", "end", "positions"),
        [
            (0, 4, [1]),
            (0, 1, [1]),
            (3, 5, [1]),
            (4, 5, []),
            (5, 8, [3, 4]),
            (6, 7, [3, 4]),
            (5, 13, [3, 4, 5, 6]),
            (0, 6, [1, 2, 3, 4]),
            (13, 14, []),
            (90, 99, []),
        ],
    )
    def test_positions_of_characters(self, start: int, end: int, positions: list[int]) -> None:
        assert list(spanish().positions_in(start, end)) == positions

    def test_slices_and_length(self) -> None:
        tokens = spanish()
        assert len(tokens) == 7
        assert tokens[-1].form == "."
        assert [token.form for token in tokens[3:5]] == ["de", "el"]
        assert tokens.empty_positions == {0, 2}
        assert tokens.forms == ["él", "Vino", "_", "de", "el", "mar", "."]

    def test_equality_is_of_content(self) -> None:
        assert spanish() == spanish()
        assert spanish() != Tokens(spanish())  # without the multiword token
        assert spanish() != Tokens(spanish(), multiwords=spanish().multiwords, prefix=" ")
        assert Tokens() != ()
        with pytest.raises(TypeError):
            hash(spanish())

    def test_columns_as_dictionaries(self) -> None:
        token = Token("1", "w", feats="Case=Nom|Number=Sing", misc="Flag|Gloss=a=b")
        assert token.features == {"Case": "Nom", "Number": "Sing"}
        assert token.misc_values == {"Flag": "", "Gloss": "a=b"}
        assert Token("1", "w").features == {}
        assert (Token("8.1", "_").is_empty, Token("8", "1.5").is_empty) == (True, False)


@settings(max_examples=80, deadline=None)
@given(documents())
def test_offsets_lead_from_tokens_to_text_and_back(doc: Document) -> None:
    tokens = doc.tokens
    inside = {position for multiword in tokens.multiwords for position in range(multiword.start, multiword.end)}
    for position, token in enumerate(tokens):
        start, end = tokens.start_char(position), tokens.end_char(position)
        if token.is_empty:
            assert start == end
        elif position not in inside:
            assert doc.text[start:end] == token.form
            assert list(tokens.positions_in(start, end)) == [position]
    for multiword in tokens.multiwords:
        start, end = tokens.start_char(multiword.start), tokens.end_char(multiword.end - 1)
        assert doc.text[start:end] == multiword.form
        assert tokens.positions_in(start, end) == range(multiword.start, multiword.end)


@settings(max_examples=80, deadline=None)
@given(documents())
def test_mentions_and_sentences_know_their_characters(doc: Document) -> None:
    for mention, _ in doc.mentions():
        spans = mention.char_spans
        assert (spans[0][0], spans[-1][1]) == (mention.start_char, mention.end_char)
        assert mention.is_zero == (mention.text == "") == (mention.start_char == mention.end_char)
        assert all(a_end < b_start for (_, a_end), (b_start, _) in pairwise(spans))
        visible = [position for position in mention.positions if not doc.tokens[position].is_empty]
        found = {position for span in spans for position in doc.tokens.positions_in(*span)}
        assert set(visible) <= found
    for sentence in doc.sentences:
        assert sentence.text == sentence.text.strip()
        assert doc.text[sentence.start_char : sentence.end_char] == sentence.text


class TestMentions:
    def test_text_of_gaps_and_zeros(self) -> None:
        tokens = spanish()
        assert Mention(tokens, (1, 5)).text == "Vino … mar"
        assert Mention(tokens, (0,)).text == ""
        assert Mention(tokens, (1, 3, 4)).text == "Vino del"  # only an empty node between
        assert Mention(tokens, (0, 2)).text == ""
        assert Mention(tokens, (0, 2)).is_zero
        assert not Mention(tokens, (0, 1)).is_zero

    def test_words_of_one_multiword_token_share_its_surface(self) -> None:
        tokens = spanish()
        assert Mention(tokens, (4,)).text == "del"
        assert Mention(tokens, (4, 5)).text == "del mar"
        assert Mention(tokens, (3, 5)).text == "del mar"  # what is left out has no surface of its own
        assert Mention(tokens, (1, 4)).text == "Vino del"
        three = Tokens([Token(str(n), "x") for n in (1, 2, 3)], multiwords=[Multiword(0, 3, "xyz")])
        assert Mention(three, (0, 2)).text == "xyz"

    def test_empty_nodes_at_the_ends_add_no_spaces(self) -> None:
        mention = Mention(spanish(), (0, 1, 2))
        assert (mention.text, mention.start_char, mention.end_char) == ("Vino", 0, 4)

    def test_spans_are_half_open(self) -> None:
        mention = Mention(spanish(), (1, 3, 4, 6))
        assert mention.spans == [(1, 2), (3, 5), (6, 7)]
        assert (mention.start, mention.end, len(mention)) == (1, 7, 4)
        assert not mention.is_contiguous
        assert Mention(spanish(), (3, 4)).spans == [(3, 5)]
        assert runs([]) == []

    def test_head_and_tokens(self) -> None:
        mention = Mention(spanish(), (4, 5), 5)
        assert mention.head_token is not None
        assert mention.head_token.form == "mar"
        assert [token.form for token in mention.tokens] == ["el", "mar"]
        assert Mention(spanish(), (4, 5)).head_token is None

    def test_equality_ignores_whose_tokens_they_are(self) -> None:
        assert Mention(spanish(), (4, 5), 5, {"a": "b"}) == Mention(Tokens(), (4, 5), 5, {"a": "b"})
        assert Mention(spanish(), (4, 5)) != Mention(spanish(), (4, 5), 5)
        assert Mention(spanish(), (4, 5)) != Mention(spanish(), (4, 5), None, {"a": "b"})
        assert len({Mention(spanish(), (4,), None, {"a": "b"}), Mention(spanish(), (4,), None, {"a": "b"})}) == 1

    def test_reading_order(self) -> None:
        layer = spanish()
        mentions = [Mention(layer, positions) for positions in [(1, 2, 3), (1, 3), (1, 2), (1,), (2, 3, 4), (2,)]]
        mixed = [mentions[index] for index in (3, 5, 0, 4, 2, 1)]
        assert sorted(mixed, key=mention_order) == mentions


class TestDocuments:
    def doc(self) -> Document:
        tokens = Tokens([Token(id, word) for id, word in zip("123123", ["a", "b", "c", "d", "e", "f"], strict=True)])
        doc = Document.from_sentences(tokens, [3, 3], id="d")
        first, second = doc.mention([4, 3, 4], head=4), doc.mention([0], attributes={"x": "y"})
        return doc.replace(entities=(Entity("e2", (first,)), Entity("e1", (second,), "person", "event")))

    def test_mentions_come_in_reading_order_with_their_entities(self) -> None:
        pairs = [(mention.positions, entity.id) for mention, entity in self.doc().mentions()]
        assert pairs == [((0,), "e1"), ((3, 4), "e2")]

    def test_an_entity_by_its_id(self) -> None:
        assert self.doc().entity("e1").type == "person"
        assert self.doc().entity("e1").is_singleton
        with pytest.raises(KeyError):
            self.doc().entity("e3")

    def test_sentences_of_positions(self) -> None:
        doc = self.doc()
        assert [doc.sentence_index(position) for position in range(6)] == [0, 0, 0, 1, 1, 1]
        assert doc.sentence_at(3).text == "d e f"
        assert [len(sentence) for sentence in doc.sentences] == [3, 3]
        assert [token.form for token in doc.sentences[1].tokens] == ["d", "e", "f"]

    def test_a_sentence_ends_with_its_last_word(self) -> None:
        tokens = Tokens([Token("1", "Vino"), Token("1.1", "_"), Token("1", "Sí"), Token("2", ".", space="")])
        first, second = Document.from_sentences(tokens, [2, 2]).sentences
        assert (first.text, second.text) == ("Vino", "Sí .")
        assert Sentence(tokens, 2, 2).text == ""
        assert Sentence(tokens, 1, 2).text == ""

    def test_equality_does_not_ask_where_it_came_from(self) -> None:
        assert self.doc() == self.doc().replace(origin="elsewhere")
        assert self.doc() != self.doc().replace(genre="news")
        assert self.doc() != self.doc().replace(entities=())

    @pytest.mark.parametrize("name", ["tokens", "entities", "id"])
    def test_documents_cannot_be_changed(self, name: str) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(self.doc(), name, None)

    def test_nor_can_their_parts(self) -> None:
        doc = self.doc()
        for part, name in (
            (doc.entities[0], "id"),
            (doc.entities[0].mentions[0], "positions"),
            (doc.sentences[0], "start"),
        ):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(part, name, None)
        with pytest.raises(AttributeError):
            doc.tokens[0].form = "x"  # type: ignore[misc]
        with pytest.raises(TypeError):
            doc.tokens[0] = doc.tokens[1]  # type: ignore[index]

    def test_repr_is_short(self) -> None:
        assert repr(self.doc()) == "<Document 'd': 6 tokens, 2 sentences, 2 entities>"
        assert repr(self.doc().tokens) == "<Tokens: 6>"
        assert "layer" not in repr(self.doc().entities[0])


class TestFromText:
    def test_a_small_text(self) -> None:
        doc = Document.from_text("  Ann left. Bob stayed.\n", id="t")
        assert [token.form for token in doc.tokens] == ["Ann", "left", ".", "Bob", "stayed", "."]
        assert [token.id for token in doc.tokens] == ["1", "2", "3", "1", "2", "3"]
        assert [sentence.text for sentence in doc.sentences] == ["Ann left.", "Bob stayed."]
        assert doc.text == "  Ann left. Bob stayed.\n"
        assert doc.id == "t"

    @pytest.mark.parametrize("text", ["", " \n "])
    def test_nothing_to_see(self, text: str) -> None:
        doc = Document.from_text(text)
        assert (doc.text, len(doc.tokens), doc.sentences) == (text, 0, ())

    @settings(deadline=None)
    @given(st.text() | st.text(alphabet="aB. \n'\u00a0\u200b猫e\u0301\r\t"))
    def test_no_character_is_lost(self, text: str) -> None:
        doc = Document.from_text(text)
        assert doc.text == text
        assert sum(map(len, doc.sentences)) == len(doc.tokens)
        assert all(token.form.strip() for token in doc.tokens)


class TestCorpus:
    def corpus(self) -> Corpus:
        tokens = Tokens([Token("1", "a")])

        def doc(id: str | None, topic: str | None, subtopic: str | None = None, *, shared: bool = False) -> Document:
            made = Document.from_sentences(tokens, [1], id=id, topic=topic, subtopic=subtopic, shared_ids=shared)
            return made.replace(entities=(Entity("e1", (made.mention([0]),)),))

        return Corpus(
            (
                doc("a", "2", "2x"),
                doc("b", "1"),
                doc("c", "2", "2y", shared=True),
                doc("d", None, shared=True),
                doc("b", "1"),
                doc(None, None),
            )
        )

    def test_topics_in_the_order_of_their_first_document(self) -> None:
        topics = {topic: [doc.id for doc in docs] for topic, docs in self.corpus().topics().items()}
        assert topics == {"2": ["a", "c"], "1": ["b", "b"], None: ["d", None]}
        assert list(topics) == ["2", "1", None]
        assert list(self.corpus().subtopics()) == ["2x", "1", "2y", None]

    def test_entities_are_one_only_where_ids_are_shared(self) -> None:
        found = {id: [doc.id for doc, _ in pairs] for id, pairs in self.corpus().entities().items()}
        assert found["e1"] == ["c", "d"]
        assert found["a/e1"] == ["a"]
        assert sorted(len(docs) for docs in found.values()) == [
            1,
            1,
            1,
            1,
            2,
        ]  # two documents named b stay two

    def test_it_is_a_sequence(self) -> None:
        corpus = self.corpus()
        assert len(corpus) == 6
        assert corpus[2].id == "c"
        assert [doc.id for doc in corpus[:2]] == ["a", "b"]
        assert list(corpus) == list(corpus.documents)
        assert corpus == self.corpus()


@pytest.mark.parametrize(("start", "end"), [(0, 1), (3, 6)])
def test_span_conventions(start: int, end: int) -> None:
    assert from_inclusive(*to_inclusive(start, end)) == (start, end)
    assert from_one_based(*to_one_based(start, end)) == (start, end)


def test_span_conventions_by_example() -> None:
    assert from_inclusive(3, 5) == from_one_based(4, 6) == (3, 6)
    assert to_inclusive(3, 6) == (3, 5)
    assert to_one_based(3, 6) == (4, 6)
