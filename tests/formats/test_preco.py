"""PreCo's JSON lines."""

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
from coindex.errors import CoindexError, DataWarning, FormatError, LossWarning, Problem
from coindex.formats.detection import Head
from coindex.formats.registry import get_format
from coindex.formats.source import Source, raise_problem

FORMAT = get_format("preco")

RECORD = {
    "id": "train_7",
    "sentences": [["Our", "dog", "ran", "."], [" "], ["It", "came", "back", "to", "us", "."]],
    "mention_clusters": [[[2, 4, 5], [0, 0, 1]], [[0, 0, 2], [2, 0, 1]], [[2, 2, 3]]],
}


def put(tmp_path: Path, *records: object) -> Path:
    path = tmp_path / "a.jsonl"
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(line + "\n" for line in lines))
    return path


def load(tmp_path: Path, *records: object) -> list[Document]:
    return list(coindex.read(put(tmp_path, *records), format="preco"))


def spans(doc: Document) -> dict[str, list[tuple[int, int]]]:
    return {entity.id: [(m.start, m.end) for m in entity.mentions] for entity in doc.entities}


def test_spans_inside_sentences_become_positions(tmp_path: Path) -> None:
    (doc,) = load(tmp_path, RECORD)
    assert doc.id == "train_7"
    assert doc.text == "Our dog ran .\n \nIt came back to us ."
    assert [len(s) for s in doc.sentences] == [4, 1, 6]
    assert doc.tokens[4].form == " "
    assert list(spans(doc).items()) == [("1", [(0, 2), (5, 6)]), ("0", [(0, 1), (9, 10)]), ("2", [(7, 8)])]
    assert doc.entity("2").is_singleton


def test_it_comes_back_the_same(tmp_path: Path) -> None:
    docs = load(tmp_path, RECORD, {"id": "b", "sentences": [[], ["Oh"], []], "mention_clusters": [[[1, 0, 1]]]})
    coindex.write(docs, tmp_path / "b.jsonl", format="preco")
    assert list(coindex.read(tmp_path / "b.jsonl", format="preco")) == docs
    first = json.loads((tmp_path / "b.jsonl").read_text().splitlines()[0])
    assert first["sentences"] == RECORD["sentences"]
    assert first["mention_clusters"] == [[[0, 0, 1], [2, 4, 5]], [[0, 0, 2], [2, 0, 1]], [[2, 2, 3]]]


def test_a_mention_over_a_sentence_border_keeps_the_part_with_its_head(tmp_path: Path) -> None:
    tokens = Tokens([Token("1", "a"), Token("2", "b"), Token("1", "c"), Token("2", "d"), Token("1", "e", space="")])
    sentences = (Sentence(tokens, 0, 2), Sentence(tokens, 2, 4), Sentence(tokens, 4, 5))
    mentions = (Mention(tokens, (0, 1, 2), 2), Mention(tokens, (1, 2, 3, 4)), Mention(tokens, (2, 3)))
    doc = Document(tokens, sentences, (Entity("x", mentions),), id="d")
    with pytest.warns(LossWarning, match="2 mentions that cross a sentence boundary"):
        coindex.write(doc, tmp_path / "b.jsonl", format="preco")
    (again,) = coindex.read(tmp_path / "b.jsonl", format="preco")
    assert spans(again) == {"0": [(1, 2), (2, 4), (2, 3)]}


def test_unusual_input_is_counted(tmp_path: Path) -> None:
    with pytest.warns(DataWarning) as caught:
        docs = load(tmp_path, {"sentences": [["a"]], "mention_clusters": [[[0, 0, 1], [0, 0, 1]], []], "more": 1})
    assert sorted(str(w.message).partition(": ")[2] for w in caught) == [
        "1 mentions given twice in one entity",
        "1 unknown keys, ignored",
    ]
    assert docs[0].id == "a_1"
    assert spans(docs[0]) == {"0": [(0, 1)]}


BAD = {
    "invalid JSON": ("{", "invalid JSON"),
    "no sentences": ({"id": "x"}, "no 'sentences'"),
    "a sentence too far": (
        RECORD | {"mention_clusters": [[[3, 0, 1]]]},
        "the mention [3, 0, 1] outside the text",
    ),
    "a word too far": (
        RECORD | {"mention_clusters": [[[1, 0, 2]]]},
        "the mention [1, 0, 2] outside the text",
    ),
    "no word": (RECORD | {"mention_clusters": [[[0, 1, 1]]]}, "the mention [0, 1, 1] outside the text"),
    "two numbers": (RECORD | {"mention_clusters": [[[0, 1]]]}, "expected 3 whole numbers from 0"),
    "clusters that are none": (
        RECORD | {"mention_clusters": 1},
        "'mention_clusters' that is not a list of lists",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_reported_with_its_place(tmp_path: Path, name: str) -> None:
    record, found = BAD[name]
    path = put(tmp_path, RECORD | {"id": "first"}, record, RECORD | {"id": "last"})
    with pytest.raises(FormatError) as caught:
        list(coindex.read(path, format="preco"))
    assert str(caught.value).startswith(f"{path}:2: ")
    assert found in str(caught.value)
    problems: list[Problem] = []
    docs = list(coindex.read(path, format="preco", on_problem=problems.append))
    assert problems[0] == caught.value.problem
    assert docs[-1].id == "last"


def test_gzip(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(json.dumps(RECORD).encode()))
    assert next(coindex.read(tmp_path / "a.jsonl.gz", format="preco")).id == "train_7"


@pytest.mark.parametrize(
    ("text", "role"),
    [
        (json.dumps(RECORD), "main"),
        ('{"mention_clusters": [], "sentences": []}', "main"),
        ('{"id": "a", "sentences": [["a", ', "main"),
        ('{"doc_key": "a", "sentences": [], "clusters": []}', "no"),
        ('{"id": "a", "sentences": [], "clusters": []}', "no"),
        ('["mention_clusters"]', "no"),
        ("id\tform\tmention_clusters", "no"),
    ],
)
def test_detection(text: str, role: str) -> None:
    assert FORMAT.detect(Head(PurePath("x.jsonl"), text)) == role


JSON = st.recursive(
    st.none() | st.integers(-2, 5) | st.floats() | st.sampled_from(["", "a", " "]),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["id", "sentences", "mention_clusters", "x"]), JSON), JSON)
def test_only_our_errors_come_out(
    tmp_path_factory: pytest.TempPathFactory, record: dict[str, object], clusters: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.jsonl"
    for made in (record, RECORD | {"mention_clusters": clusters}):
        path.write_text(json.dumps(made))
        for on_problem in (raise_problem, lambda problem: None):
            with warnings.catch_warnings(), contextlib.suppress(CoindexError):
                warnings.simplefilter("ignore")
                docs = list(FORMAT.read(Source(path, on_problem=on_problem)))  # type: ignore[misc]
                coindex.write(docs, path.with_suffix(".out"), format="preco")
