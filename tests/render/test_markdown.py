"""Markdown: what GitHub shows is the text with brackets, whatever the text is."""

import html
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from coindex.document import Document
from coindex.render.markdown import document_markdown
from stories import story
from strategies import documents

GOLDEN = r"""# story

26 tokens · 3 sentences · 13 mentions · 8 entities, 4 of one mention · genre fiction

<b>Ann:</b> <b>[</b>The mayor of <b>[</b>the town by <b>[</b>the river<b>]</b><sub>e3⇠e2</sub><b>]</b><sub>e2</sub><b>]</b><sub>e1</sub> met <b>[</b><b>[</b>her<b>]</b><sub>e1</sub> brother<b>]</b><sub>e4</sub> .

<b>Bob:</b> <b>[</b>He<b>]</b><sub>e4</sub> <b>{</b>said<b>}</b><sub>e5</sub> that <b>[</b>∅on<b>]</b><sub>e4</sub> <b>{</b>picked<b>…}</b><sub>e5</sub> it <b>[</b><b>{…</b>up<b>}</b><sub>e5</sub> <b>[</b>\& left<b>]</b><sub>e6</sub> \</script\>\<img src=x onerror=alert(1)\><b>]</b><sub>e7</sub> .

<b>—:</b> <b>[</b>They<b>]</b><sub>e8⇐e1+e4</sub> went <b>[</b>home<b>]</b><sub>e2</sub> .

| | entity | mentions | type | kind | id |
|---|---|--:|---|---|---|
| e4 | her brother | 3 | person | entity | e4 |
| e1 | The mayor of the town by the river | 2 | person | entity | e1 |
| e2 | the town by the river | 2 | place | entity | e2 |
| e5 | picked … up | 2 |  | event | e5 |
| e3 | the river | 1 | place | entity | e3 |
| e6 | up \& left | 1 |  | entity | e6 |
| e7 | \& left \</script\>\<img src=x onerror=alert(1)\> | 1 |  | entity | e7 |
| e8 | They | 1 |  | entity | e8 |
"""  # noqa: E501  # a paragraph of Markdown is a line

SPECIAL = [
    "*",
    "_",
    "#",
    "-",
    "+",
    "1.",
    "2)",
    ">",
    "<b>",
    "`",
    "```",
    "~~~",
    "|",
    "[x](y)",
    "![",
    "&lt;",
    "\\",
    "$",
    "=",
    "a_b_c",
]


def made(doc, **options):
    return "".join(document_markdown(doc, **options))


def rendered(text):
    """The text that a reader sees, without the table."""
    page = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    page = page.split("<table>")[0]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"</?(?:h1|p|b|sub|br)\b[^>]*>", "", page))).strip()


def test_golden():
    assert made(story()) == GOLDEN


def test_singletons_can_be_hidden():
    text = made(story(), singletons=False)
    assert "e3" not in text
    assert "the town by the river<b>]</b><sub>e2</sub>" in text


def test_sentences_keep_their_lines_and_paragraphs_theirs():
    text = made(Document.from_text("One is. Two is.\n\nThree is.", id="x"))
    assert text.endswith("\n\nOne is.\\\nTwo is.\n\nThree is.\n")


@settings(deadline=None)
@given(documents(forms=st.sampled_from(SPECIAL), max_entities=0, zeros=False, speakers=False))
def test_special_characters_are_shown_as_they_are(doc):
    shown = rendered(made(doc))
    assert shown.endswith(re.sub(r"\s+", " ", doc.text).strip())


@settings(deadline=None)
@given(documents(forms=st.text(min_size=1, max_size=5)))
def test_any_document_can_be_written(doc):
    made(doc).encode()
