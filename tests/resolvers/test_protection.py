"""No resolver finds mentions in code, addresses or markup, and odd text neither hangs nor passes without a word."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coindex
from coindex import Document
from coindex.errors import DataWarning
from coindex.resolvers.chain import load_chain
from coindex.resolvers.clusters import with_clusters
from coindex.resolvers.neural.words import document_words
from coindex.resolvers.resolver import Resolver, Step


def make_greedy(*, mentions: str) -> Step:
    """Every span of at most four words of a sentence is a mention, those of one length an entity."""

    def resolve(doc: Document) -> Document:
        if mentions == "given":
            return doc
        spans = [
            doc.mention(range(start, end))
            for sentence in doc.sentences
            for start, end in combinations(range(sentence.start, sentence.end + 1), 2)
            if end - start <= 4
        ]
        sizes = {len(span) for span in spans}
        return with_clusters(doc, [[span for span in spans if len(span) == size] for size in sorted(sizes)])

    return resolve


GREEDY = Resolver(name="greedy", kind="rules", summary="everything", make=make_greedy)


def greedy(doc: Document, **settings: str) -> Document:
    """The document with every mention that is allowed."""
    return load_chain("greedy", find=lambda name: GREEDY, **settings)(doc)  # type: ignore[arg-type]


def test_mentions_do_not_overlap_what_is_protected() -> None:
    doc = Document.from_text("- Ann ran `it` twice", markup="markdown")
    assert {mention.text for mention, _ in greedy(doc).mentions()} == {"Ann", "Ann ran", "ran", "twice"}


def test_emphasis_may_stand_inside_a_mention_but_not_at_its_edge() -> None:
    doc = Document.from_text("the **old** dog", markup="markdown")
    found = [mention.text for mention, _ in greedy(doc).mentions()]
    assert sorted(found) == ["dog", "old", "old** dog", "the", "the **old"]  # each once


def test_a_mention_never_crosses_a_line_of_its_own() -> None:
    doc = greedy(Document.from_text("1. Ask Mike\n  2. Anna Weber\n\nShe left\n| Kim | Lee |"))
    assert "Mike" in {mention.text for mention, _ in doc.mentions()}
    assert not any("\n" in mention.text or "|" in mention.text for mention, _ in doc.mentions())


def test_given_mentions_stay() -> None:
    doc = with_clusters(doc := Document.from_text("Ann ran `it`"), [[doc.mention([3])]])
    assert [mention.text for mention, _ in greedy(doc, mentions="given").mentions()] == ["it"]


PIECES = [
    "Ann",
    "she",
    "the dog",
    "`",
    "`she`",
    "http://a.org/she",
    "\n- ",
    "\n\n",
    "**",
    "[",
    "](",
    ")",
    "<b>",
    "```\n",
]
TEXTS = st.lists(st.sampled_from([*PIECES, "\ufeff", "\u200b", "x" * 210, "\n| "]), max_size=15)


@given(TEXTS, st.sampled_from(["", " "]), st.sampled_from(["plain", "markdown"]))
def test_no_mention_covers_a_protected_range_or_begins_with_a_ghost(pieces: list[str], space: str, markup: str) -> None:
    doc = greedy(Document.from_text(space.join(pieces), markup=markup))  # type: ignore[arg-type]
    protected = doc.tokens.protected
    for mention, _ in doc.mentions():
        reasons = [protected.get(at) for at in mention.positions]
        assert set(reasons) <= {None, "emphasis"}
        assert reasons[0] is reasons[-1] is None
        assert mention.text == mention.text.strip("\ufeff\u200b")


# --- the default resolver ---------------------------------------------------------------------------------


def test_sentences_of_protected_words_are_not_read() -> None:
    doc = Document.from_text("Ann left.\n```\nshe = it\n```\nShe came.\n" + ". " * 200)
    assert document_words(doc).forms == ["Ann", "left", ".", "She", "came", "."]


def test_names_are_the_same_with_and_without_characters_of_no_width() -> None:
    doc = coindex.load("en-small", singletons=False)("\ufeffAli\u200bce met Tom. Then Al\u00adice left. Tom saw Alice.")
    texts = {frozenset(mention.text.translate({0x200B: "", 0xAD: ""}) for mention in e.mentions) for e in doc.entities}
    assert frozenset({"Alice"}) in texts
    assert all(mention.text[0] != "\ufeff" for mention, _ in doc.mentions())


def test_a_sentence_that_is_too_long_is_named() -> None:
    text = "Ann left.\n\n" + "the old man saw a dog and " * 400
    with pytest.warns(DataWarning, match=r"tale: the sentence at line 3, character 11, has 2,800 words; it is read in"):
        coindex.load("en-small")(Document.from_text(text, id="tale"))


LIMIT = 120
"""Seconds of CPU, far above what is needed: a bound for what would not end."""
ODD = {
    "no spaces": "ab" * 500_000,
    "random": "".join(random.Random(1).choices("abcXYZ.,!?012", k=64_000)),
    "stops": ". " * 200_000,
    "brackets": "(" * 1_000_000,
    "lines": "\n" * 1_000_000 + "Ann left. She ran.",
    "emoji": "😀" * 200_000,
    "base64": ("QUJD" * 19 + "\n") * 5_000,
    "a name": "Ann " * 3_000,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_text_ends(name: str, tmp_path) -> None:
    path = tmp_path / "odd.txt"
    path.write_text(ODD[name], encoding="utf-8")
    arguments = ["resolve", str(path), "--to", "resolved", "--language", "en", "-o", str(tmp_path / "out.txt")]
    done = subprocess.run(
        [sys.executable, "-m", "coindex", *arguments],
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == ODD[name].replace("She ran", "Ann ran")
