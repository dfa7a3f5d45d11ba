"""Raw text: no character is lost, other formats are not read as text, and errors have a place."""

import gzip
import warnings
from pathlib import PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coindex
from coindex.errors import DataWarning, FormatError, LossWarning
from coindex.formats.detection import Head
from coindex.formats.registry import get_format
from stories import story

TEXT = "\tAnn’s cat\r\nsat.  It slept\n\n\nThen “Bob” left… 猫がいる。\n"


def read(path, **options):
    (doc,) = coindex.read(path, format="text", **options)
    return doc


def detect(name, text):
    return get_format("text").detect(Head(PurePath(name), text))


def write(docs, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)
        coindex.write(docs, path, format="text")


def test_the_text_is_read_as_it_is(tmp_path):
    path = tmp_path / "cat.txt"
    path.write_bytes(TEXT.encode())
    doc = read(path)
    assert doc.text == TEXT
    assert doc.id == "cat"
    assert [sentence.text for sentence in doc.sentences] == [
        "Ann’s cat\r\nsat.",
        "It slept",
        "Then “Bob” left…",
        "猫がいる。",
    ]
    assert [token.form for token in doc.sentences[0].tokens] == ["Ann", "’s", "cat", "sat", "."]


def test_compressed(tmp_path):
    path = tmp_path / "cat.txt.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert read(path).text == TEXT
    assert read(path).id == "cat"


def test_a_language_can_be_named(tmp_path):
    path = tmp_path / "chat.txt"
    path.write_text("L'homme dort.", encoding="utf-8")
    doc = read(path, language="fr")
    assert [token.form for token in doc.tokens] == ["L'", "homme", "dort", "."]
    assert doc.language == "fr"
    assert read(path).language is None


@settings(deadline=None)
@given(st.text().filter(lambda text: not text.startswith("\ufeff") and text.strip()))
def test_any_text_comes_back(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("text")
    path, copy = folder / "a.txt", folder / "b.txt"
    path.write_bytes(text.encode())
    doc = read(path)
    assert doc.text == text
    write(doc, copy)
    assert copy.read_bytes() == text.encode()


@settings(deadline=None)
@given(st.binary(min_size=1))
def test_bytes_are_read_unchanged_or_reported(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "a.txt"
    path.write_bytes(data)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*: an empty text; ", DataWarning)
            text = read(path).text
    except coindex.errors.CoindexError as error:
        text = str(error)
    assert text.encode() == data or text.startswith(str(path))


def test_entities_are_lost_with_a_count(tmp_path):
    with pytest.warns(LossWarning, match="text cannot represent: .*1 zero mentions.* 8 entities"):
        coindex.write(story(), tmp_path / "story.txt")
    assert (tmp_path / "story.txt").read_text(encoding="utf-8") == story().text


def test_documents_are_separated_by_a_blank_line(tmp_path):
    docs = [coindex.Document.from_text(text) for text in ("One.", "Two.\n", "Three.\n\n", "Four.")]
    write(docs, tmp_path / "all.txt")
    assert (tmp_path / "all.txt").read_text(encoding="utf-8") == "One.\n\nTwo.\n\nThree.\n\n\nFour."


@pytest.mark.parametrize(
    ("data", "line", "found"),
    [
        (b"one\ntwo\ncaf\xe9\n", 3, r"bytes that are not UTF-8: b'\xe9\n'"),
        ("one".encode("utf-16"), 1, "text in UTF-16"),
        (b"\xff\xfe", 1, "text in UTF-16"),
        (b"\xfe\xff", 1, "text in UTF-16"),
        (b"\xff\xfe\0\0", 1, "text in UTF-32"),
        (b"\0\0\xfe\xff", 1, "text in UTF-32"),
    ],
)
def test_problems_have_a_place(tmp_path, data, line, found):
    path = tmp_path / "bad.txt"
    path.write_bytes(data)
    with pytest.raises(FormatError) as raised:
        read(path)
    assert str(raised.value).startswith(f"{path}:{line}: {found}; expected ")
    problems = []
    list(coindex.read(path, format="text", on_problem=problems.append))
    assert problems[0].line == line


@pytest.mark.parametrize("data", [b"", b" \n", b"\xc2\xa0\t"], ids=["nothing", "white-space", "no-break-space"])
def test_an_empty_text_is_a_document_without_words(data, tmp_path):
    path = tmp_path / "empty.txt"
    path.write_bytes(data)
    for format in (None, "text"):
        with pytest.warns(DataWarning, match=": an empty text; .* read as a document without words"):
            (doc,) = coindex.read(path, format)
        assert (doc.text, doc.id, len(doc.tokens), len(doc.sentences)) == (data.decode(), "empty", 0, 0)


def test_a_truncated_gz(tmp_path):
    path = tmp_path / "cut.txt.gz"
    path.write_bytes(gzip.compress(TEXT.encode() * 50)[:-20])
    with pytest.raises(FormatError, match=r"cut\.txt\.gz:1: broken gzip data"):
        read(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("story.txt", "Once upon a time"),
        ("README.md", "# A title\n\nSome text."),
        ("<stdin>", "Once upon a time"),
        ("notes", "[sic] he said {so}"),
        ("notes.txt", "[1] A footnote"),
        ("a.txt", "< 5 people came"),
        ("a.txt", "I <3 you"),
        ("a.txt", "\t\t\t\t\tTHE TITLE\n"),
        ("koi8.txt", "\ufffd" * 50),
        ("latin1", "un caf\ufffd, s'il vous pla\ufffdt"),
        ("cut.txt", "Once upon a tim\ufffd"),
    ],
)
def test_claims_text(name, text):
    assert detect(name, text) == "main"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xml", "Once upon a time"),
        ("a.conllu", "Once upon a time"),
        ("a.v4_gold_conll", "Once upon a time"),
        ("a.jsonlines", "Once upon a time"),
        ("a.ann", "T1\tX 0 1\ta"),
        ("a.HTML", "Once"),
        ("a.txt", '<?xml version="1.0"?><p>'),
        ("a.txt", "  <!DOCTYPE html>"),
        ("a.txt", "<p>Once</p>"),
        ("a.txt", '{"id": 1'),
        ("a", '[{"id": 1'),
        ("a", "[]"),
        ("a.txt", "#begin document (x); part 000\n"),
        ("a.txt", "# newdoc id = x\n"),
        ("a.txt", "# sent_id = 1\n"),
        ("a.txt", "1\tOnce\tonce\tADV\t_\n"),
        ("picture", "\ufffdPNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("packed", "\ufffd\ufffdx\ufffd\ufffd\ufffd\ufffd"),
    ],
)
def test_leaves_other_things_alone(name, text):
    assert detect(name, text) == "no"


def test_a_byte_order_mark_is_kept_and_is_in_no_token(tmp_path):
    path = tmp_path / "marked.txt"
    path.write_bytes(b"\xef\xbb\xbfAnn left.\n")
    doc = read(path)
    assert doc.text == "\ufeffAnn left.\n"
    assert doc.tokens.forms == ["Ann", "left", "."]
    write([doc], tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "options", "protected"),
    [
        ("a.txt", {}, ["link"]),
        ("a.md", {}, ["markup", "markup", "markup", "link"]),
        ("a.MARKDOWN.gz", {}, ["markup", "markup", "markup", "link"]),
        ("a.md", {"markup": "plain"}, ["link"]),
        ("a.txt", {"markup": "markdown"}, ["markup", "markup", "markup", "link"]),
        ("a.md", {"markup": "none"}, []),
    ],
)
def test_markdown_is_known_by_its_name(tmp_path, name, options, protected):
    data = b"<b>Ann http://example.org/she"
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (doc,) = coindex.read(path, format="text", **options)
    assert list(doc.tokens.protected.values()) == protected
