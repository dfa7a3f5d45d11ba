"""A tagger in the pipeline: its mentions, batches, chains of a resolver among them, folders that cannot be used."""

import json
from dataclasses import replace

import numpy as np
import pytest

import coindex
from coindex.document import Document
from coindex.document.documents import CONTEXT
from coindex.errors import CoindexError
from coindex.resolvers.cross.model import KindTags, group_by_length, read_text, text_windows
from coindex.resolvers.cross.resolver import CrossOptions, CrossResolver
from coindex.resolvers.cross.scorer import lexical_scorers
from coindex.resolvers.cross.within import Tagger, add_entities
from coindex.resolvers.neural.words import Pieces
from news import over_documents
from parsed_text import chains

EVENTS, NAMES = ("struck", "sank", "storm"), ("alder", "brandt", "she", "boat")
ANY = {"event": KindTags(("any",)), "entity": KindTags(("any",))}


class Letters:
    """One piece for every two letters of a word; the first piece identifies the word."""

    def __init__(self):
        self.known = {}

    def encode(self, sequence, *, add_special_tokens):
        number = self.known.setdefault(sequence.lower(), 100 + len(self.known))

        class Encoding:
            ids = [number] + [4] * ((len(sequence) - 1) // 2)

        return Encoding()

    def token_to_id(self, token):
        return None


class ByWord:
    """Knows each word by its first piece: some are events, some are names."""

    def __init__(self, letters):
        self.letters = letters
        self.make_inputs = []

    def __call__(self, batch):
        words = {number: word for word, number in self.letters.known.items()}
        self.make_inputs.append(batch.ids.shape)
        table = np.zeros((len(batch.piece_index), 6), dtype=np.float32)
        for row, number in enumerate(batch.ids.reshape(-1)[batch.piece_index[:, 0]]):
            table[row, 1 if words[number] in EVENTS else 0] = 5
            table[row, 4 if words[number] in NAMES else 3] = 5
        return table


@pytest.fixture
def tagger():
    letters = Letters()
    pieces = Pieces(letters, begin=1, end=2, pad=0, unknown=3)
    return Tagger(ByWord(letters), pieces, ANY, windows="document", limit=40)


def texts(doc):
    return [(mention.text, entity.kind) for mention, entity in doc.mentions()]


ONE = "The storm struck Alder. Brandt wept, and she left."
TWO = "Alder is quiet. The storm sank nothing."


def test_mentions_of_both_kinds(tagger):
    found = tagger(Document.from_text(ONE))
    assert texts(found) == [
        ("storm", "event"),
        ("struck", "event"),
        ("Alder", "entity"),
        ("Brandt", "entity"),
        ("she", "entity"),
    ]
    assert all(0.9 < float(mention.attributes["mention"]) < 1 for mention, _ in found.mentions())
    assert all(entity.is_singleton for entity in found.entities)


def test_many_at_once_as_one_by_one(tagger):
    docs = [Document.from_text(text) for text in (ONE, "", TWO, ONE * 9)]
    assert list(tagger.pipe(docs)) == [tagger(doc) for doc in docs]
    tagger.scorer.make_inputs.clear()
    list(tagger.pipe(docs))
    assert len(tagger.scorer.make_inputs) == 1  # the windows of all are one batch


def test_windows_are_whole_sentences_that_fit(tagger):
    text = read_text(Document.from_text(ONE * 9), tagger.pieces, "document", 40)
    assert all(window.size <= 40 for window in text_windows([text]))
    starts = {start for start, _ in text.words.sentences}
    assert all(start in starts for start, _ in text.windows)
    alone = read_text(Document.from_text(ONE * 9), tagger.pieces, "sentence", 40)
    assert alone.windows == alone.words.sentences


def with_context(doc, *numbers):
    """The document with these sentences marked as context."""
    marked = (
        replace(sentence, comments=(*sentence.comments, CONTEXT)) if number in numbers else sentence
        for number, sentence in enumerate(doc.sentences)
    )
    return doc.replace(sentences=tuple(marked))


def test_nothing_is_found_in_sentences_that_are_context(tagger):
    doc = with_context(Document.from_text(f"{TWO} {ONE}"), 0, 2)
    assert texts(tagger(doc)) == [("storm", "event"), ("sank", "event"), *texts(tagger(Document.from_text(ONE)))[3:]]
    everything = with_context(doc, 1, 3)
    assert tagger(everything).entities == ()


def test_context_can_be_left_out(tagger):
    doc = with_context(Document.from_text(f"{TWO} {ONE}"), 0, 2)
    text = read_text(doc, tagger.pieces, "validated", 40, validated=True)
    first, second = (doc.sentences[number] for number in (1, 3))
    assert text.words.positions == [*range(first.start, first.end), *range(second.start, second.end)]
    assert text.sentences == [(0, len(first)), (len(first), len(first) + len(second))]
    without = Tagger(tagger.scorer, tagger.pieces, ANY, windows="validated", limit=40)
    assert without(doc) == tagger(doc)
    plain = Document.from_text(ONE)
    assert read_text(plain, tagger.pieces, "validated", 40) == read_text(plain, tagger.pieces, "document", 40)


def test_windows_without_anything_to_find_are_left_out(tagger):
    doc = with_context(Document.from_text(" ".join([TWO, ONE] * 5)), *range(1, 20))
    text = read_text(doc, tagger.pieces, "document", 40, validated=True)
    assert text.sentences == text.words.sentences[:1]
    assert len(text.windows) == 1
    assert text.windows[0][1] > text.sentences[0][1], "the text behind is seen"
    assert len(read_text(doc, tagger.pieces, "document", 40).windows) > 1


def test_batches_have_windows_of_about_one_length(tagger):
    read = [read_text(Document.from_text(text), tagger.pieces, "sentence", 40) for text in (ONE, TWO, "Yes.")]
    windows = text_windows(read)
    groups = list(group_by_length(windows, most=30))
    assert sorted((one.text, one.span) for group in groups for one in group) == [
        (one.text, one.span) for one in windows
    ]
    assert all(len(group) == 1 or len(group) * max(one.size for one in group) <= 30 for group in groups)
    sizes = [one.size for group in groups for one in group]
    assert sizes == sorted(sizes)


def test_a_resolver_of_single_documents_joins_what_was_found(tagger):
    text = "Anna saw the boat. Boris sold the boat. Storm sank it."
    (doc,) = add_entities([Document.from_text(text, language="en")], "are-baseline", given=False, tagger=tagger)
    assert chains(doc) == [["boat", "boat"], ["Storm"], ["sank"]]
    (alone,) = add_entities([Document.from_text(text)], "auto", given=False, tagger=tagger)
    assert all(entity.is_singleton for entity in alone.entities)


def test_given_mentions_are_not_detected_again(tagger):
    doc = Document.from_text(ONE)
    given = doc.replace(entities=tagger(Document.from_text(ONE)).entities[:1])
    assert list(add_entities([given], "auto", given=True, tagger=tagger)) == [given]


def test_a_collection(tagger):
    options = CrossOptions(topics="none")
    resolver = CrossResolver(lexical_scorers(), name="mine", tagger=tagger, options=options)
    docs = [Document.from_text(text).replace(id=id) for id, text in (("a", ONE), ("b", TWO))]
    shared = list(over_documents(list(resolver.pipe(docs))).values())
    assert ["a:Alder", "b:Alder"] in shared
    assert ["a:storm", "b:storm"] in shared


@pytest.mark.parametrize(
    ("description", "said"),
    [
        ({}, "version None"),
        ({"version": 1}, "lacks config and tags and weights"),
        ({"version": 1, "config": {}, "tags": {}, "weights": {}}, "this model resolves single documents"),
        ({"version": 1, "kind": "cross", "config": {}, "tags": {}, "weights": {}}, "the model has no lower.onnx"),
        (
            {"version": 1, "kind": "cross", "config": {}, "tags": {}, "weights": {"lower.onnx": "00"}},
            "lower.onnx is missing",
        ),
    ],
)
def test_a_folder_that_cannot_be_used(tmp_path, description, said):
    (tmp_path / "model.json").write_text(json.dumps(description), encoding="utf-8")
    with pytest.raises(CoindexError, match=said):
        coindex.load(f"cross(model={tmp_path})")
