"""Any document, edited or not, is the same after writing and reading."""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import coindex
from coindex.document import Document, Entity, Token, Tokens, mention_order
from coindex.document.edit_log import apply
from coindex.document.edits import canonical
from coindex.errors import DataWarning, EditError, LossWarning
from coindex.formats.corefud.annotation import count_interleaved
from edit_strategies import edits_of
from strategies import documents

SLOW = settings(max_examples=60, deadline=None)


def again(*docs: Document) -> list[Document]:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)  # attributes of entities
        path = Path(folder) / "doc.conllu"
        coindex.write(docs, path)
        return list(coindex.read(path))


def sayable(doc: Document) -> Document:
    """The document without what CorefUD has no place for.

    Attributes of entities; relations of a mention that begins where another of its entity begins, for a
    relation stands at a word and names an entity.
    """
    assume(not count_interleaved(doc))
    starts = [(entity.id, mention.start) for entity in doc.entities for mention in entity.mentions]
    unclear = {start for start in starts if starts.count(start) > 1}
    return doc.replace(
        entities=tuple(replace(entity, attributes={}) for entity in doc.entities),
        bridges=tuple(b for b in doc.bridges if (b.entity, b.anaphor.start) not in unclear),
        split_antecedents=tuple(s for s in doc.split_antecedents if (s.entity, s.anaphor.start) not in unclear),
    )


def assert_same(read: Document, doc: Document) -> None:
    assert read.text == doc.text
    assert read.tokens == doc.tokens
    assert [replace(s, comments=()) for s in read.sentences] == [replace(s, comments=()) for s in doc.sentences]
    assert read.entities == doc.entities
    assert canonical(read).bridges == canonical(doc).bridges
    assert canonical(read).split_antecedents == canonical(doc).split_antecedents


@SLOW
@given(documents())
def test_a_document_is_read_as_it_was_written(doc: Document) -> None:
    doc = sayable(doc)
    (read,) = again(doc)
    assert_same(read, doc)
    assert read.id == doc.id


@SLOW
@given(documents(), st.data())
def test_edits_of_what_was_read_are_read_again(doc: Document, data: st.DataObject) -> None:
    (edited,) = again(sayable(doc))
    for _ in range(data.draw(st.integers(1, 4))):
        try:
            edited = apply(edited, data.draw(edits_of(edited)))
        except EditError:
            continue
    edited = sayable(edited)
    if _is_readable(edited):
        (read,) = again(edited)
        assert_same(read, edited)
        (twice,) = again(read)
        assert_same(twice, edited)


def _is_readable(doc: Document) -> bool:
    """Whether no two torn mentions of an entity reach into each other; their parts could be told apart by nobody."""
    for entity in doc.entities:
        torn = [mention for mention in entity.mentions if not mention.is_contiguous]
        others = [m for m in entity.mentions if len(m) > 1]
        for mention in torn:
            for other in others:
                if mention is not other and mention.start < other.end and other.start < mention.end:
                    return False
    return True


SENTENCE = Tokens(Token(str(number), f"w{number}") for number in range(1, 9))


@SLOW
@given(st.sets(st.tuples(st.integers(0, 7), st.integers(1, 8)).filter(lambda span: span[0] < span[1]), max_size=5))
def test_crossing_mentions_of_one_entity(spans: set[tuple[int, int]]) -> None:
    doc = Document.from_sentences(SENTENCE, [8], id="d")
    mentions = sorted((doc.mention(range(*span), head=span[0]) for span in spans), key=mention_order)
    doc = doc.replace(entities=(Entity("e1", tuple(mentions)),) if spans else ())
    (read,) = again(doc)
    assert read.entities == doc.entities


@SLOW
@given(st.sets(st.frozensets(st.integers(0, 7), min_size=1, max_size=5), min_size=1, max_size=4), st.data())
def test_mentions_of_any_words_with_heads_are_read_or_counted(words: set[frozenset[int]], data: st.DataObject) -> None:
    doc = Document.from_sentences(SENTENCE, [8], id="d")
    heads = [(positions, data.draw(st.sampled_from(sorted(positions)))) for positions in words]
    mentions = sorted((doc.mention(sorted(positions), head=head) for positions, head in heads), key=mention_order)
    doc = doc.replace(entities=(Entity("e1", tuple(mentions)),))
    with warnings.catch_warnings():
        if count_interleaved(doc):  # their parts may be joined to equal mentions
            warnings.simplefilter("ignore", DataWarning)
        (read,) = again(doc)
    assert read.entities == doc.entities or count_interleaved(doc)


@SLOW
@given(st.lists(documents(max_sentences=2, max_entities=3), min_size=2, max_size=3))
def test_several_documents_in_a_file(docs: list[Document]) -> None:
    docs = [sayable(doc).replace(id=f"d{number}") for number, doc in enumerate(docs, 1)]
    read = again(*docs)
    assert [doc.id for doc in read] == [doc.id for doc in docs]
    assert [doc.tokens for doc in read] == [doc.tokens for doc in docs]
    for number, (one, other) in enumerate(zip(read, docs, strict=True), 1):
        suffix = f"_{number}" if number > 1 else ""
        assert one.entities == tuple(replace(entity, id=entity.id + suffix) for entity in other.entities)
    assert again(*read) == read
