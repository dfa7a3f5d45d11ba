"""Chains: how they are written, in what order steps may stand, what each step is given, and how documents stream."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import ModuleType

import pytest

import coindex
from coindex import Document, Entity
from coindex.errors import CoindexError, DataWarning
from coindex.formats.registry import Option
from coindex.resolvers import registry
from coindex.resolvers.chain import parse_chain
from coindex.resolvers.clusters import add_provenance, with_clusters
from coindex.resolvers.resolver import Resolver

Register = Callable[[Resolver], None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    """Puts a resolver into the table for one test."""

    def add(resolver: Resolver) -> None:
        module = ModuleType(f"coindex.resolvers.only_{resolver.name}")
        module.RESOLVER = resolver  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(registry.MODULES, resolver.name, f"only_{resolver.name}")

    return add


def first_word(doc: Document) -> Document:
    """An entity of the first word, if there is one."""
    return with_clusters(doc, [[add_provenance(doc.mention([0]), "first")]] if len(doc.tokens) else [])


def make_first(*, mentions: str, size: str = "1") -> registry.Step:
    return first_word


FIRST = Resolver(
    name="first", kind="rules", summary="the first word", make=make_first, options=(Option("size", ("1", "2"), ""),)
)


def story(**chains: list[list[int]]) -> Document:
    doc = Document.from_text("Ann told Bob that she saw him .", id="d", language="en")
    entities = tuple(
        Entity(name, tuple(doc.mention(positions) for positions in mentions)) for name, mentions in chains.items()
    )
    return doc.replace(entities=entities)


def spans(doc: Document) -> list[list[tuple[int, ...]]]:
    return [[mention.positions for mention in entity.mentions] for entity in doc.entities]


# --- how a chain is written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("heads", [("heads", [])]),
        (" heads ", [("heads", [])]),
        ("a+b", [("a", []), ("b", [])]),
        ("a(x, n=1) + b()", [("a", ["x", "n=1"]), ("b", [])]),
        ("spacy(en_core_web_sm) + sieves", [("spacy", ["en_core_web_sm"]), ("sieves", [])]),
        ("spacy(/models/my model)", [("spacy", ["/models/my model"])]),
    ],
)
def test_grammar(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert parse_chain(text) == expected


@pytest.mark.parametrize(
    ("text", "character"),
    [("", 1), ("heads +", 8), ("+ heads", 1), ("heads heads", 7), ("heads(all", 6), ("a(b(c))", 2)],
)
def test_syntax_errors_are_reported_with_their_place(text: str, character: int) -> None:
    with pytest.raises(CoindexError, match=rf"syntax error at character {character}; expected names joined by \+"):
        parse_chain(text)


def test_names_are_spelled_with_their_options(register: Register) -> None:
    register(FIRST)
    assert coindex.load(" first( 2 )+heads(merge) ").name == "first(size=2) + heads(how=merge)"
    assert coindex.load("first").name == "first"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("haeds", "unknown resolver 'haeds'; did you mean heads?"),
        ("zzz", "unknown resolver 'zzz'; known: "),
        ("first(3)", "unknown value of first option size '3'"),
        ("first(size=9)", "unknown value of first option size '9'"),
        ("first(sise=1)", "unknown option of first 'sise'; did you mean size?"),
        ("heads", "heads changes entities, but there are none yet; put a resolver before it"),
        ("first + first", "first finds entities from scratch and would replace those of first; "),
        ("heads + first", "heads changes entities, but there are none yet"),
        ("singleton", "singleton works with given mentions only; choose mentions='given'"),
    ],
)
def test_chains_that_make_no_sense(text: str, message: str, register: Register) -> None:
    register(FIRST)
    with pytest.raises(CoindexError) as caught:
        coindex.load(text)
    assert message in str(caught.value)


def test_a_resolver_without_options_refuses_one() -> None:
    with pytest.raises(CoindexError, match=r"singleton has no options, but got 'x'; remove it"):
        coindex.load("singleton(x)", mentions="given")


def test_kept_entities_are_not_detected_again(register: Register) -> None:
    register(FIRST)
    with pytest.raises(CoindexError, match="would replace the entities kept from the input"):
        coindex.load("first", keep_entities=True)


# --- what a resolver is given


def test_entities_of_the_input_are_ignored(register: Register) -> None:
    seen = []

    def note(doc: Document) -> Document:
        seen.append(doc)
        return doc

    register(Resolver(name="note", kind="rules", summary="", make=lambda mentions: note))
    coindex.load("note")(story(ann=[[0], [4]]))
    assert seen[0].entities == ()


def test_entities_can_be_kept() -> None:
    doc = story(ann=[[0], [4]], bob=[[2, 3], [6]])
    kept = coindex.load("heads", keep_entities=True)(doc)
    assert [entity.id for entity in kept.entities] == ["ann", "bob"]


@pytest.mark.parametrize(
    ("mentions", "expected"),
    [("given", [[(0,)], [(2,)], [(4,)]]), ("given-nonsingleton", [[(0,)], [(4,)]])],
)
def test_given_mentions_do_not_reveal_their_entities(mentions: registry.Mentions, expected: list[object]) -> None:
    doc = coindex.load("singleton", mentions=mentions)(story(ann=[[0], [4]], bob=[[2]]))
    assert spans(doc) == expected
    assert [mention.attributes for mention, _ in doc.mentions()] == [{"by": "singleton"}] * len(expected)


def test_a_mention_of_two_entities_is_given_once() -> None:
    doc = coindex.load("singleton", mentions="given")(story(ann=[[0], [4]], she=[[4], [6]]))
    assert spans(doc) == [[(0,)], [(4,)], [(6,)]]


def test_every_mention_has_its_origin(register: Register) -> None:
    register(FIRST)
    doc = coindex.load("first + heads")("Ann left.")
    assert [mention.attributes["by"] for mention, _ in doc.mentions()] == ["first"]


def test_texts_get_the_language(register: Register) -> None:
    register(FIRST)
    chain = coindex.load("first", language="pt")
    assert chain("Ana saiu.").language == "pt"
    assert chain(story()).language == "en"


@pytest.mark.parametrize(
    "text", ["", " \n", "Word", "🙂", "👩‍👩‍👧 🙂🙂", "ذهبت ليلى إلى بيتها.", "דינה אמרה שהיא עייפה."]
)
@pytest.mark.filterwarnings("ignore:an empty text:coindex.errors.DataWarning")
def test_texts_of_all_kinds(text: str, register: Register) -> None:
    register(FIRST)
    doc = coindex.load("first + heads")(text)
    assert doc.text == text
    assert len(doc.entities) == (1 if text.strip() else 0)


def test_a_document_that_lacks_what_is_needed(register: Register) -> None:
    register(Resolver(name="tree", kind="rules", summary="", make=make_first, needs=("trees",)))
    with pytest.raises(CoindexError) as caught:
        coindex.load("tree")(story())
    message = "d: no dependency tree; tree needs trees; parse it first, as in 'spacy(MODEL) + tree'"
    assert str(caught.value).startswith(message)
    with pytest.warns(DataWarning, match="an empty text gives a document without words"):
        assert len(coindex.load("tree")("").tokens) == 0  # it lacks nothing


# --- streaming


def test_pipe_takes_one_document_at_a_time(register: Register) -> None:
    register(FIRST)
    taken = []

    def texts() -> Iterator[str]:
        for number in range(100):
            taken.append(number)
            yield f"Text {number} ."

    stream = coindex.load("first + heads").pipe(texts())
    assert taken == []
    next(stream)
    assert taken == [0]
    next(stream)
    assert taken == [0, 1]


class Batches:
    """A step that works on batches, and remembers how large they were."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __call__(self, doc: Document) -> Document:
        return first_word(doc)

    def pipe(self, docs: Iterable[Document], *, batch_size: int) -> Iterator[Document]:
        stream = iter(docs)
        while batch := list(islice(stream, batch_size)):
            self.sizes.append(len(batch))
            yield from map(self, batch)


def test_batches_are_as_large_as_asked_and_no_more_is_taken(register: Register) -> None:
    step = Batches()
    register(Resolver(name="batches", kind="rules", summary="", make=lambda mentions: step))
    taken = []

    def texts() -> Iterator[str]:
        for number in range(10):
            taken.append(number)
            yield f"Text {number} ."

    stream = coindex.load("batches + heads").pipe(texts(), batch_size=4)
    next(stream)
    assert len(taken) == 4
    assert [doc.text for doc in stream] == [f"Text {number} ." for number in range(1, 10)]
    assert step.sizes == [4, 4, 2]


def test_whether_documents_are_needed_together(register: Register) -> None:
    """A resolver may do so with some of its options only; then the step itself says it."""

    class Alone(Batches):
        collects = False

    register(Resolver(name="together", kind="rules", summary="", make=lambda mentions: Batches(), collects=True))
    register(Resolver(name="alone", kind="rules", summary="", make=lambda mentions: Alone(), collects=True))
    assert coindex.load("together + heads").collects
    assert not coindex.load("alone + heads").collects
