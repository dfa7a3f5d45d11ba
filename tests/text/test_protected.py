"""Code, addresses, markup and noise in raw text: found, marked, and left alone by everything that follows."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coindex
from coindex import Document, Entity
from coindex.document.documents import Markup
from coindex.render.resolved_text import resolved_text
from coindex.text.character_classes import shape_of
from coindex.text.structure import find_protected, merge_ranges


def protected(text: str, markup: Markup = "plain") -> list[str]:
    """The protected parts of a text, neighbouring tokens joined."""
    found = find_protected(text, shape_of(text), markdown=markup == "markdown")
    return [text[start:end] for start, end, reason in found if reason != "emphasis"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "See https://example.org/a_(b)?q=she#top, and (http://example.org/x).",
            ["https://example.org/a_(b)?q=she#top", "http://example.org/x"],
        ),
        (
            "Write to jane.doe+x@mail.example.org! Or www.example.com.",
            ["jane.doe+x@mail.example.org", "www.example.com"],
        ),
        ("Run `make it` and ``her`s`` now", ["`make it`"]),
        ("``Hello,'' she said, ``it is late.''", []),
        ("`Hello,' she said, `it is late.'", []),
        ("Before\n```python\nshe = it\n```\nAfter she left", ["```python\nshe = it\n```"]),
        ("Before\n```\nshe = it\n\nNever closed", []),
        ("    Indented prose of Ann, who left", []),
        ("<b>Ann</b> left [her](http://example.org/she)", ["http://example.org/she"]),
        ("She waited a " + "x" * 250 + " for it", ["x" * 250]),
        ("a - b -- c --- d", []),
    ],
)
def test_plain_text(text: str, parts: list[str]) -> None:
    assert protected(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("---\ntitle: Ann\n---\nShe left", ["---\ntitle: Ann\n---"]),
        ("Ann left\n\n---\n\nShe came", []),
        ("Ann:\n\n    she = it\n    he = it\n\nShe left", ["    she = it", "    he = it"]),
        ("- Ann\n\n    She left the list\n\n        she = it", ["        she = it"]),
        ("Ann\n    goes on", []),
        ("~~~\nshe\n~~~\nAnn", ["~~~\nshe\n~~~"]),
        ("```\nshe\nnever closed", ["```\nshe\nnever closed"]),
        ('Ask [her](she.html "it") or ![it](a.png)', ['(she.html "it")', "(a.png)"]),
        ("Ask [her][she] now\n\n[she]: https://example.org/she", ["[she]", "[she]: https://example.org/she"]),
        (
            "<div class='she'>Ann left</div> <!-- she --> &amp; so on",
            ["<div class='she'>", "</div>", "<!-- she -->", "&amp;"],
        ),
        ("Press <kbd>it</kbd> if 1 < 2 and 3 > 2", ["<kbd>it</kbd>"]),
        ("She has `` a`b `` and `it`", ["`` a`b ``", "`it`"]),
        ("One ` tick\n\nand ` another", []),
    ],
)
def test_markdown(text: str, parts: list[str]) -> None:
    assert protected(text, "markdown") == parts


def test_tokens_have_the_reason_of_their_protection() -> None:
    doc = Document.from_text("**Ann** ran `it` at http://a.org/b", markup="markdown")
    forms = doc.tokens.forms
    assert {forms[at]: reason for at, reason in doc.tokens.protected.items()} == {
        "**": "emphasis",
        "`": "code",
        "it": "code",
        "http://a.org/b": "link",
    }
    assert doc.tokens[forms.index("it")].misc == "Protected=code"
    assert Document.from_text("`it` at http://a.org/b", markup="none").tokens.protected == {}


def test_marks_survive_conll_u_and_json(tmp_path) -> None:
    doc = Document.from_text("Ann ran `it`.\u200b She left\u00ad.", id="d")
    for name in ("d.conllu", "d.json"):
        coindex.write(doc, tmp_path / name)
        (again,) = coindex.read(tmp_path / name)
        assert again.tokens.protected == doc.tokens.protected, name
        assert again.text == doc.text, name


def test_marks_are_no_loss(tmp_path) -> None:
    coindex.write(
        Document.from_text("Ann ran ` it ` .", markup="markdown"), tmp_path / "d.jsonlines"
    )  # a warning would be an error


def test_resolved_text_leaves_them(tmp_path) -> None:
    text = "Ann wrote her.py. She uses `she` and http://a.org/she daily.\n"
    doc = Document.from_text(text)
    she = [at for at, form in enumerate(doc.tokens.forms) if form in ("Ann", "She", "she", "http://a.org/she")]
    doc = doc.replace(entities=(Entity("e1", tuple(doc.mention([at]) for at in she)),))
    assert resolved_text(doc) == text.replace("She uses", "Ann uses")


# --- any text ---------------------------------------------------------------------------------------------

SIGNS = (
    "` ``` ~~~ < > <b> </b> <!-- --> <code> </code> [ ]( ) ] http://a.org/x www. a@b.org --- ** _ : . , ( 12:03 [12:03]"
)
OTHERS = [
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "    ",
    "- ",
    "1. ",
    "> ",
    "| ",
    "# ",
    "\ufeff",
    "\u200b",
    "\u00ad",
    "他",
    "Ann",
    "she",
]
LONG = ["=" * 90, "x" * 210, "QUJD" * 12]
PIECES = st.lists(st.sampled_from([*SIGNS.split(), *OTHERS, *LONG]), max_size=40).map("".join)
MARKUPS = st.sampled_from(["plain", "markdown"])


@given(PIECES | st.text(), MARKUPS)
def test_nothing_is_lost_and_ranges_are_sound(text: str, markup: Markup) -> None:
    doc = Document.from_text(text, markup=markup)
    assert doc.text == text
    assert "".join([doc.tokens.prefix, *(token.form + token.space for token in doc.tokens)]) == text
    ranges = find_protected(text, shape_of(text), markdown=markup == "markdown")
    assert ranges == merge_ranges(ranges)
    assert all(0 <= found.start < found.end <= len(text) for found in ranges)
    for found in ranges:
        for at in doc.tokens.positions_in(found.start, found.end):
            assert at in doc.tokens.protected


NESTS = [
    *["`", "](", "[", "[a](", "&", "http://", "www.", "a@", "a.b/", "<!--", "<code>", "_", "。", "\u200b"],
    *(f"{sign} " for sign in ["`", "<pre>", "](a", ">", "|", "#", "1.", "(a)", "[12:03]", "(", "😀", "a\u200b"]),
    *(
        f"{line}\n"
        for line in ["```", ">", "a: b", "a,b,c", "    a\n", "- a", "~~~", "---", "", " ", "12:03 a", "x\n="]
    ),
    "**a",
    "QUJD" * 10 + "\n",
    "Z\u0301" * 9,
]


@pytest.mark.parametrize("markup", ["plain", "markdown"])
def test_long_texts_of_any_kind_come_back(markup: Markup) -> None:
    """Nothing is measured: quadratic time shows as a test that hangs."""
    for piece in NESTS:
        text = piece * (40_000 // len(piece))
        assert Document.from_text(text, markup=markup).text == text


def test_noise_is_few_tokens_and_protected() -> None:
    chance = random.Random(1)
    noise = "".join(chance.choice("abcXYZ.,!?012") for _ in range(16_000))
    doc = Document.from_text(f"Ann left.\n{noise}\nShe came back.")
    assert [sentence.text for sentence in doc.sentences] == ["Ann left.", noise, "She came back."]
    assert list(doc.tokens.protected.values()) == ["noise"]
    signs = Document.from_text("Ann left. She " + ". " * 500 + "came back.")
    assert [token.form for at, token in enumerate(signs.tokens) if at not in signs.tokens.protected] == [
        *["Ann", "left", ".", "She", "came", "back", "."]
    ]
