"""Every resolver on odd texts: none at all, one word, emoji, other scripts, no trees, and very long ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import coindex
from coindex import Document, Entity
from coindex.document import Tokens
from coindex.document.validation import check
from coindex.errors import CoindexError
from coindex.resolvers import registry
from coindex.resolvers.defaults import FALLBACK, trained_models
from coindex.resolvers.resolver import Resolver
from command import run

ROOT = Path(__file__).parents[2]
INSTALLED = [resolver for resolver in registry.all_resolvers() if not resolver.install]
FINDERS = [resolver for resolver in INSTALLED if resolver.kind in ("rules", "learned")]
STEPS = [resolver for resolver in INSTALLED if resolver.kind == "step"]
BY_TREES = [resolver for resolver in FINDERS if {"trees", "tags"} & set(resolver.needs)]
ON_RAW_TEXT = [resolver for resolver in FINDERS if resolver not in BY_TREES and "detected" in resolver.mentions]
TEXTS = {
    "empty": "",
    "blank": " \n\n\t ",
    "one word": "Word",
    "one pronoun": "She",
    "one mark": "?",
    "emoji": "👩‍👩‍👧 met 🙂 🙂. She waved 👋🏽!",
    "Arabic": "ذهبت ليلى إلى بيتها. وجدت ليلى كتابها هناك.",
    "Hebrew": "דינה אמרה שהיא עייפה. היא הלכה לביתה.",
    "Chinese": "小明说他累了。他回家了。",
    "combining": "Ame\u0301lie dit qu'elle part. E\u0301lle part.",
    "quotes": '"" (( )) "She',
    "lone surrogate": "Ann \ud83d left. She waved.",
    "one long word": "a" * 10_000,
    "many pronouns": "she " * 500,
}


def name_of(resolver: Resolver) -> str:
    return resolver.name


def with_trees(doc: Document) -> Document:
    """Each sentence as a flat tree, the words as nouns and pronouns in turn."""
    tokens = []
    for sentence in doc.sentences:
        ids = [token.id for token in sentence.tokens]
        for number, token in enumerate(sentence.tokens):
            head, deprel = ("0", "root") if number == 0 else (ids[0], "nsubj" if number % 2 else "obj")
            upos = ("NOUN", "PRON", "PROPN")[number % 3]
            tokens.append(token._replace(lemma=token.form.lower(), upos=upos, head=head, deprel=deprel))
    return Document.from_sentences(Tokens(tokens), map(len, doc.sentences), id=doc.id, language=doc.language)


def with_mentions(doc: Document) -> Document:
    """Every third word a mention."""
    words = range(0, len(doc.tokens), 3)
    return doc.replace(entities=tuple(Entity(f"e{at}", (doc.mention([at]),)) for at in words))


def is_sound(doc: Document) -> bool:
    """Nothing wrong with the result; nothing twice in it."""
    spans = [mention.positions for mention, _ in doc.mentions()]
    return not [finding for finding in check(doc) if finding.severity == "error"] and len(spans) == len(set(spans))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("resolver", ON_RAW_TEXT, ids=name_of)
@pytest.mark.filterwarnings("ignore:an empty text:coindex.errors.DataWarning")
def test_raw_text(resolver: Resolver, text: str) -> None:
    if resolver.collects and text.strip():
        pytest.skip("finds mentions by tags")
    doc = coindex.load(resolver.name, language="en")(text)
    assert is_sound(doc)
    assert doc.text == text
    assert all(mention.attributes["by"].startswith(resolver.name) for mention, _ in doc.mentions())


@pytest.mark.filterwarnings("ignore::coindex.resolvers.defaults.LanguageWarning")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("resolver", FINDERS, ids=name_of)
def test_odd_trees(resolver: Resolver, text: str) -> None:
    doc = with_trees(Document.from_text(text, id="d"))
    if "detected" in resolver.mentions:
        assert is_sound(coindex.load(resolver.name)(doc))
    if "given" in resolver.mentions:
        given = with_mentions(doc)
        found = coindex.load(resolver.name, mentions="given")(given)
        assert is_sound(found)
        assert {mention.positions for mention, _ in found.mentions()} <= {m.positions for m, _ in given.mentions()}


@pytest.mark.parametrize("resolver", FINDERS, ids=name_of)
def test_words_without_a_letter(resolver: Resolver, tmp_path: Path) -> None:
    sentences = [["Dr.", "", "Hill", "saw", "", "old", "dog", "."], ["The", "new", "", "dog", "barked", "."], [""]]
    path = tmp_path / "empty.jsonlines"
    path.write_text(json.dumps({"doc_key": "d", "sentences": sentences, "clusters": []}), encoding="utf-8")
    doc = with_trees(next(iter(coindex.read(path))))
    assert doc.tokens.forms.count("") == 4
    if "detected" in resolver.mentions:
        assert is_sound(coindex.load(resolver.name)(doc))
    if "given" in resolver.mentions:
        spans = ([0, 1], [0, 1, 2], [4], [4, 5, 6], [8, 9, 10, 11], [14])
        given = doc.replace(entities=tuple(Entity(f"e{at}", (doc.mention(span),)) for at, span in enumerate(spans)))
        assert is_sound(coindex.load(resolver.name, mentions="given")(given))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("step", STEPS, ids=name_of)
def test_steps_after_a_resolver(step: Resolver, text: str) -> None:
    doc = with_trees(Document.from_text(text, id="d"))
    tokens = [token._replace(misc="NE=B-PER") if token.upos == "PROPN" else token for token in doc.tokens]
    doc = Document.from_sentences(Tokens(tokens), map(len, doc.sentences), id="d", language="cs")
    assert is_sound(coindex.load(f"head-lemma + {step.name}")(doc))


@pytest.mark.parametrize("resolver", BY_TREES, ids=name_of)
def test_raw_text_is_refused_by_resolvers_that_need_trees(resolver: Resolver, tmp_path: Path) -> None:
    with pytest.raises(CoindexError, match=rf"'spacy\(MODEL\) \+ {resolver.name}'"):
        coindex.load(resolver.name)("Ann left. She waved.")
    path = tmp_path / "raw.txt"
    path.write_text("Ann left. She waved.", encoding="utf-8")
    done = run("resolve", path, "-r", resolver.name)
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("error: raw: no ")
    assert f"{resolver.name} needs" in done.err


# --- long texts: what is looked at must not grow with the square of the length

PROGRAM = """
import sys, coindex
chain = coindex.load(sys.argv[1], mentions=sys.argv[2], language="en")
(doc,) = coindex.read(sys.argv[3])
def memory():
    return int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
before = memory()
found = chain(doc)
print(before, memory(), len(doc.tokens), len(found.entities))
"""
STORY = "Nora rented an old house near the river. Her brother Tom moved in a week later, and he liked it. "


def peak(resolver: Resolver, path: Path) -> tuple[int, int, int, int]:
    """Memory in kB after reading and after resolving; words and entities."""
    mentions = "detected" if "detected" in resolver.mentions else "given"
    command = [sys.executable, "-c", PROGRAM, resolver.name, mentions, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    before, after, words, entities = map(int, done.stdout.split())
    return before, after, words, entities


def assert_linear(resolver: Resolver, small: Path, large: Path, factor: int) -> None:
    """The memory that resolving adds to reading grows no faster than the text, by and large."""
    before, after, words, entities = peak(resolver, small)
    before_large, after_large, words_large, entities_large = peak(resolver, large)
    assert words_large >= (factor - 1) * words
    assert entities_large >= entities > 0
    slack = 120_000  # kB, for what does not depend on the text, and for buffers that a short text does not fill
    assert after_large - before_large <= 1.5 * factor * (after - before) + slack
    assert after_large <= 1.5 * factor * after


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("name", "unit"), [(FALLBACK, 1_000_000), *((name, 25_000) for name in set(trained_models().values()))]
)
def test_a_long_raw_text(name: str, unit: int, tmp_path: Path) -> None:
    for size in (1, 5):
        copies = size * unit // len(STORY)
        text = "".join(STORY.replace("Nora", f"Nora{number}") for number in range(copies))
        (tmp_path / f"{size}.txt").write_text(text, encoding="utf-8")
    assert_linear(registry.get_resolver(name), tmp_path / "1.txt", tmp_path / "5.txt", 5)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("resolver", FINDERS, ids=name_of)
def test_a_long_document_with_trees(resolver: Resolver, tmp_path: Path) -> None:
    story = (ROOT / "examples/garden.conllu").read_text(encoding="utf-8")
    header, _, sentences = story.partition("# newpar\n")
    small = 50 if resolver in BY_TREES else 8  # what reads words with an encoder takes far longer
    for copies in (small, 8 * small):
        body = "".join(sentences.replace("garden-", f"g{number}-") for number in range(copies))
        (tmp_path / f"{copies}.conllu").write_text(header + "# newpar\n" + body, encoding="utf-8")
    assert_linear(resolver, tmp_path / f"{small}.conllu", tmp_path / f"{8 * small}.conllu", 8)
