"""JSON lines of e2e-coref and fastcoref."""

import contextlib
import gzip
import json
import warnings
from pathlib import Path, PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coindex
from coindex.document import Document, Entity, Mention, Sentence, Token, Tokens
from coindex.document.documents import genre_of
from coindex.errors import CoindexError, DataWarning, FormatError, LossWarning, Problem
from coindex.formats.detection import Head
from coindex.formats.registry import get_format
from coindex.formats.source import Source, raise_problem

FORMAT = get_format("jsonlines")

RECORD = {
    "doc_key": "bc/town_0",
    "sentences": [["Ann", "knew", "her", "sister", "."], ["She", "left", "."]],
    "speakers": [["Host"] * 5, ["-"] * 3],
    "clusters": [[[2, 3], [5, 5]], [[0, 0], [2, 2]]],
}


def put(tmp_path: Path, *records: object, name: str = "a.jsonlines") -> Path:
    path = tmp_path / name
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(line + "\n" for line in lines))
    return path


def load(tmp_path: Path, *records: object) -> list[Document]:
    return list(coindex.read(put(tmp_path, *records), format="jsonlines"))


def spans(doc: Document) -> dict[str, list[tuple[int, int]]]:
    return {entity.id: [(m.start, m.end) for m in entity.mentions] for entity in doc.entities}


def test_inclusive_spans_become_half_open(tmp_path: Path) -> None:
    (doc,) = load(tmp_path, RECORD)
    assert (doc.id, doc.genre, doc.meta) == ("bc/town_0", "bc", {})
    assert doc.text == "Ann knew her sister .\nShe left ."
    assert [s.speaker for s in doc.sentences] == ["Host", None]
    assert doc.tokens[5].id == "1"
    # ids are the places in the file, order is that of the text
    assert list(spans(doc).items()) == [("1", [(0, 1), (2, 3)]), ("0", [(2, 4), (5, 6)])]
    assert [m.text for m in doc.entity("0").mentions] == ["her sister", "She"]


def test_it_comes_back_the_same(tmp_path: Path) -> None:
    docs = load(tmp_path, RECORD, RECORD | {"doc_key": "x", "genre": "novel", "title": "Ann", "clusters": []})
    assert (docs[1].genre, docs[1].meta) == ("novel", {"title": "Ann"})
    (gum,) = load(tmp_path, RECORD | {"doc_key": "GUM_vlog_garden"})
    assert gum.genre == genre_of(gum.replace(genre=None)) == "vlog"
    coindex.write(docs, tmp_path / "b.jsonlines", format="jsonlines")
    assert list(coindex.read(tmp_path / "b.jsonlines", format="jsonlines")) == docs
    lines = (tmp_path / "b.jsonlines").read_text().splitlines()
    assert json.loads(lines[0]) == RECORD


def test_empty_sentences_are_kept(tmp_path: Path) -> None:
    docs = load(tmp_path, {"doc_key": "x", "sentences": [[], ["Oh"], [], ["my"], []], "clusters": [[[1, 1]]]})
    assert list(map(len, docs[0].sentences)) == [0, 1, 0, 1, 0]
    assert docs[0].text == "Oh\nmy"
    coindex.write(docs, tmp_path / "b.jsonlines", format="jsonlines")
    assert list(coindex.read(tmp_path / "b.jsonlines", format="jsonlines")) == docs


def test_raw_text_with_character_spans(tmp_path: Path) -> None:
    text = "  Ann-Marie met Bob's friend.\n\nShe  smiled. "
    record = {
        "text": text,
        "clusters": [[[6, 11], [31, 34]], [[16, 19]]],
        "clusters_strings": [["Marie", "She"]],
    }
    (doc,) = load(tmp_path, record)
    assert doc.id == "a_1"
    assert doc.text == text
    assert len(doc.sentences) == 2
    assert [[m.text for m in entity.mentions] for entity in doc.entities] == [["Marie", "She"], ["Bob"]]
    assert [(m.start_char, m.end_char) for m in doc.entity("0").mentions] == [(6, 11), (31, 34)]


def test_unusual_input_is_counted(tmp_path: Path) -> None:
    record = RECORD | {
        "pos": [],
        "speakers": [["A", "A", "B", "B", "B"], ["A"] * 3],
        "clusters": [[[0, 0], [0, 0]]],
    }
    with pytest.warns(DataWarning) as caught:
        docs = load(tmp_path, record, {"text": "a b", "clusters": [[[1, 2]]]})
    assert sorted(str(w.message).partition(": ")[2] for w in caught) == [
        "1 mentions given twice in one entity",
        "1 mentions that consist of white space",
        "1 sentences with several speakers, of which the first is kept",
        "1 unknown keys, ignored",
    ]
    assert spans(docs[0]) == {"0": [(0, 1)]}
    assert docs[1].entities == ()


def test_a_document_for_the_second_time_is_warned_of(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match=r"a\.jsonlines:2: duplicate document id 'bc/town_0'"):
        assert len(load(tmp_path, RECORD, RECORD)) == 2


BAD = {
    "invalid JSON": ("{'a': 1}", "invalid JSON (Expecting property name enclosed in double quotes at column 2)"),
    "cut short": (json.dumps(RECORD)[:-9], "invalid JSON"),
    "no object": ("[1, 2]", "JSON that is not an object: '[1, 2]'"),
    "too deep": ("[" * 200_000, "nested too deep"),
    "a number too long": ('{"clusters": ' + "9" * 6000 + "}", "a number that is too long"),
    "half a character": ('{"sentences": [["\\ud800"]]}', "a lone surrogate"),
    "no sentences": ({"doc_key": "x"}, "no 'sentences'"),
    "sentences that are none": ({"sentences": "a b"}, "'sentences' that is not a list of sentences"),
    "sentences of strings": ({"sentences": ["a b"]}, "'sentences' that is not a list of sentences"),
    "words that are none": ({"sentences": [["a", 3]]}, "'3' among the strings of 'sentences'"),
    "text that is none": ({"text": 3, "clusters": []}, "no 'sentences'"),
    "clusters that are none": (RECORD | {"clusters": {"a": 1}}, "'clusters' that is not a list of lists"),
    "a mention of one number": (RECORD | {"clusters": [[[0, 0], [2]]]}, "the mention '[2]' in clusters[0]"),
    "a mention of strings": (
        RECORD | {"clusters": [[], [["0", "1"]]]},
        "in clusters[1]; expected 2 whole numbers",
    ),
    "a mention of fractions": (RECORD | {"clusters": [[[0.0, 1.0]]]}, "the mention '[0.0, 1.0]'"),
    "a mention of truths": (RECORD | {"clusters": [[[False, True]]]}, "the mention '[false, true]'"),
    "a mention before the text": (RECORD | {"clusters": [[[-1, 0]]]}, "the mention '[-1, 0]'"),
    "a mention after the text": (
        RECORD | {"clusters": [[[7, 8]]]},
        "the span [7, 8] in a document of 8 words",
    ),
    "a mention backwards": (RECORD | {"clusters": [[[3, 2]]]}, "the span [3, 2]"),
    "characters after the text": (
        {"text": "ab", "clusters": [[[0, 3]]]},
        "the span [0, 3] in a document of 2 characters",
    ),
    "no characters": ({"text": "ab", "clusters": [[[1, 1]]]}, "the span [1, 1]"),
    "speakers of another text": (RECORD | {"speakers": [["A"]]}, "'speakers' that do not fit 'sentences'"),
    "speakers that are none": (RECORD | {"speakers": [[1]]}, "'1' among the strings of 'speakers'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_reported_with_its_place(tmp_path: Path, name: str) -> None:
    record, found = BAD[name]
    path = put(tmp_path, RECORD | {"doc_key": "first"}, "", record, RECORD | {"doc_key": "last"})
    with pytest.raises(FormatError) as caught:
        list(coindex.read(path, format="jsonlines"))
    assert str(caught.value).startswith(f"{path}:3: ")
    assert found in str(caught.value)
    problems: list[Problem] = []
    docs = list(coindex.read(path, format="jsonlines", on_problem=problems.append))
    assert problems == [caught.value.problem]
    assert (docs[0].id, docs[-1].id) == ("first", "last")


def test_only_blank_lines(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a\.jsonlines:1: no document; expected one JSON object per line"):
        load(tmp_path, "", " ")


def test_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(json.dumps(RECORD).encode())
    (tmp_path / "a.jsonl.gz").write_bytes(packed)
    assert next(coindex.read(tmp_path / "a.jsonl.gz", format="jsonlines")).id == "bc/town_0"
    (tmp_path / "a.jsonl.gz").write_bytes(packed[:-12])
    with pytest.raises(FormatError, match="broken gzip data"):
        list(coindex.read(tmp_path / "a.jsonl.gz", format="jsonlines"))


@pytest.mark.parametrize(
    ("name", "text", "role"),
    [
        ("x", json.dumps(RECORD), "main"),
        ("x.txt", '{"text": "a \\"id\\": b", "clusters": []}', "main"),
        ("x.jsonl", '{"sentences": [["a", ', "main"),
        ("x.jsonlines", '{"other": 1}', "main"),
        ("x.json", '{"other": 1}', "no"),
        ("x.jsonl", '{"id": "a", "sentences": [], "mention_clusters": []}', "no"),
        ("x.jsonlines", "a text", "no"),
        ("x.txt", "#begin document (a)", "no"),
    ],
)
def test_detection(name: str, text: str, role: str) -> None:
    assert FORMAT.detect(Head(PurePath(name), text)) == role


def test_what_is_written_of_zeros_and_gaps(tmp_path: Path) -> None:
    tokens = Tokens([Token("1", "he"), Token("1.1", "_"), Token("2", "ran"), Token("3", "it"), Token("4", "off")])
    entities = (
        Entity("a", (Mention(tokens, (0,), 0), Mention(tokens, (1,), 1))),
        Entity("b", (Mention(tokens, (1, 2, 3), 1), Mention(tokens, (2, 4), 4))),
    )
    doc = Document(tokens, (Sentence(tokens, 0, 5),), entities)
    with pytest.warns(LossWarning, match="1 zero mentions; 1 discontinuous mentions; 2 mention heads"):
        coindex.write(doc, tmp_path / "a.jsonlines", format="jsonlines")
    assert json.loads((tmp_path / "a.jsonlines").read_text()) == {
        "doc_key": "document_1",
        "sentences": [["he", "ran", "it", "off"]],
        "speakers": [["-"] * 4],
        "clusters": [[[0, 0]], [[1, 2], [3, 3]]],
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.sampled_from(["", "a", "b c", "\ud83d"]),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=12,
)
RECORDS = st.dictionaries(st.sampled_from(["doc_key", "sentences", "text", "clusters", "speakers", "genre", "x"]), JSON)


@settings(max_examples=200, deadline=None)
@given(RECORDS | JSON, st.integers(0, 9))
def test_only_our_errors_come_out(tmp_path_factory: pytest.TempPathFactory, record: object, cut: int) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.jsonlines"
    for text in (json.dumps(record), json.dumps(record)[:cut], json.dumps(RECORD | {"clusters": record})):
        path.write_text(text)
        for on_problem in (raise_problem, lambda problem: None):
            with warnings.catch_warnings(), contextlib.suppress(CoindexError):
                warnings.simplefilter("ignore")
                docs = list(FORMAT.read(Source(path, on_problem=on_problem)))  # type: ignore[misc]
                coindex.write(docs, path.with_suffix(".out"), format="jsonlines")


def test_democrat(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "fr_democrat/dem1921_sg_cut2000.dev.jsonlines"
    docs = list(coindex.read(path, format="jsonlines"))
    assert len(docs) == 52
    assert sum(len(doc.tokens) for doc in docs) == 28_279
    assert sum(len(doc.sentences) for doc in docs) == 1_192
    assert sum(len(doc.entities) for doc in docs) == 4_373
    assert sum(len(entity) for doc in docs for entity in doc.entities) == 7_032
    assert {doc.genre for doc in docs} == {"ge"}
    coindex.write(docs, tmp_path / "a.jsonlines", format="jsonlines")
    assert list(coindex.read(tmp_path / "a.jsonlines", format="jsonlines")) == docs
    # the same text in the other format, though cut in other places
    whole = list(coindex.read(shared_data / "fr_democrat/dem1921_sg.dev.conll", format="conll2012"))
    words = sorted(token.form for doc in docs for token in doc.tokens)
    assert words == sorted(token.form for doc in whole for token in doc.tokens)
