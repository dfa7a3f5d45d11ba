"""Wrong arguments: a TypeError names the argument and what it takes, and nothing fails deep inside."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import coindex
from coindex import Document
from coindex.errors import CoindexError

DOC = Document.from_text("Ann slept.", id="a")
RESOLVER = coindex.load("are-baseline", language="en")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, r"a resolver expects a text \(str\) or a coindex\.Document, not None$"),
        (5, "not int$"),
        (b"Ann", r"not bytes; decode it first: text\.decode\('utf-8'\)$"),
        (["Ann"], r"not list; for several texts call resolver\.pipe\(texts\), for lists of words use"),
        (Path("a.txt"), r"not PosixPath; read the file first: coindex\.read\(path\)"),
    ],
)
def test_a_resolver_accepts_only_text_or_a_document(value: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        RESOLVER(value)


def test_items_of_a_stream_have_their_number() -> None:
    stream = RESOLVER.pipe(["Ann slept.", DOC, 5])  # type: ignore[list-item]
    assert next(stream).text == "Ann slept."
    with pytest.raises(TypeError, match=r"^item 2: a resolver expects a text"):
        list(stream)


@pytest.mark.parametrize("value", ["Ann slept.", b"Ann", DOC, None, 5])
def test_a_stream_is_no_single_text(value: Any) -> None:
    with pytest.raises(TypeError, match="pipe expects an iterable of texts or documents, not"):
        RESOLVER.pipe(value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": 5}, "name: expected a resolver, such as 'en-small', or the path of a model folder, not int"),
        ({"mentions": 5}, "mentions: expected one of 'detected', 'given'"),
        ({"keep_entities": "yes"}, "keep_entities: expected True or False, not 'yes'"),
        ({"language": 5}, "language: expected an ISO 639 code or a name"),
        ({"parser": 5}, "parser: expected a parser such as"),
        ({"min_link": "0.5"}, "min_link: expected a number from 0 to 1, not '0.5'"),
        ({"singletons": "yes"}, "singletons: expected True, False or None, not 'yes'"),
        ({"zeros": True}, "zeros: expected one of 'predict'"),
        ({"keep_words": None}, "keep_words: expected True or False, not None"),
    ],
)
def test_options_of_the_wrong_type(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        coindex.load(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"mentions": "all"},
            "mentions: unknown value 'all'; expected one of 'detected', 'given', 'given-nonsingleton'",
        ),
        ({"min_link": 1.5}, "min_link: expected a probability from 0 to 1, not 1.5"),
        ({"zeros": "some"}, "zeros: unknown value 'some'"),
        ({"language": "xx"}, "language: unknown language 'xx'; expected an ISO 639 code or a name"),
        (
            {"parser": "sieves"},
            r"sieves is not a parser; use spacy or natasha, or select a resolver with coindex\.load",
        ),
    ],
)
def test_options_with_unknown_values(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CoindexError, match=message):
        coindex.load(**options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: coindex.read(5), r"path: expected a path \(str or Path\), not int"),  # type: ignore[arg-type]
        (lambda: coindex.read("a", 5), "format: expected the name of a format"),  # type: ignore[arg-type]
        (lambda: coindex.write(5, "a.json"), "docs: expected a Document or an iterable of Documents, not int"),
        (lambda: coindex.write("a.txt", "a.json"), r"not str; read a file with coindex\.read\(path\)"),
        (lambda: coindex.write(DOC, 5), "path: expected a path"),  # type: ignore[arg-type]
        (lambda: coindex.score(5, DOC), "key: expected a path, a Document or an iterable of Documents, not int"),
        (lambda: coindex.score(DOC, None), "response: expected a path, a Document or an iterable"),
        (lambda: coindex.score([DOC], [5]), r"response: expected a coindex\.Document, not int"),
        (lambda: coindex.compare(DOC, [DOC]), "responses: expected a dict of names and responses, not list"),
        (lambda: coindex.score_datasets({"a": 5}), r"pairs, a: expected a pair \(key, response\), not int"),
        (lambda: coindex.to_frame(5), "docs: expected a Document"),  # type: ignore[arg-type]
        (lambda: coindex.to_frame([DOC, 5]), r"docs, item 1: expected a coindex\.Document, not int"),  # type: ignore[list-item]
        (lambda: coindex.to_graph([DOC]), r"doc: expected a coindex\.Document, not list"),  # type: ignore[arg-type]
        (lambda: coindex.agreement("a.conllu"), "annotations: expected a list or dict"),
        (lambda: list(coindex.vote([5, 5])), "annotations, item 0: expected a path"),
        (lambda: coindex.overlap([5], DOC), "docs, item 0: expected"),
        (lambda: coindex.from_spacy("text"), "doc: expected a spaCy Doc, not str"),  # type: ignore[arg-type]
        (lambda: Document.from_text(5), "text: expected a str, not int"),  # type: ignore[arg-type]
    ],
)
def test_functions(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_nothing_is_written_for_a_wrong_document(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="docs, item 1"):
        coindex.write([DOC, "text"], tmp_path / "out.jsonlines")  # type: ignore[list-item]
    assert list(tmp_path.iterdir()) == []


FUNCTIONS = [name for name in coindex.__all__ if inspect.isfunction(getattr(coindex, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "value",
    [5, None, b"x", [5], ["no such file"], object(), {"a": 5}],
    ids=["5", "None", "bytes", "[5]", "names", "object", "dict"],
)
def test_no_function_fails_deep_inside(name: str, value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is given for what a function needs: an error on purpose, or a result."""
    monkeypatch.chdir(tmp_path)
    function = getattr(coindex, name)
    needed = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    for arguments in ([value] * len(needed), [DOC] * (len(needed) - 1) + [value]):
        if arguments and needed:
            with pytest.raises(
                (TypeError, CoindexError),
                match=r"expected|no such|unknown|cannot be read|cannot read|no readable|are needed",
            ):
                list(function(*arguments))
