"""The terminal: brackets, colours where they belong, lines that fit, nothing that moves the cursor."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from coindex.document import Document, Entity
from coindex.render.markup import colours
from coindex.render.terminal import clean, show, subscript
from stories import story
from strategies import documents

GOLDEN = """\
story  26 tokens · 3 sentences · 13 mentions · 8 entities, 4 of one mention · genre fiction

      Ann:
   1  [The mayor of [the town by [the river]ₑ₃⇠ₑ₂]ₑ₂]ₑ₁ met [[her]ₑ₁ brother]ₑ₄ .
      Bob:
   2  [He]ₑ₄ {said}ₑ₅ that [∅on]ₑ₄ {picked…}ₑ₅ it [{…up}ₑ₅ [& left]ₑ₆ </script><img src=x
      onerror=alert(1)>]ₑ₇ .
      —:
   3  [They]ₑ₈⇐ₑ₁₊ₑ₄ went [home]ₑ₂ .

  e4  her brother  ×3 person
  e1  The mayor of the town by the river  ×2 person
  e2  the town by the river  ×2 place
  e5  picked … up  ×2
"""

WITHOUT_SINGLETONS = """\
   1  [The mayor of [the town by the river]ₑ₂]ₑ₁ met [[her]ₑ₁ brother]ₑ₄ .
      Bob:
   2  [He]ₑ₄ {said}ₑ₅ that [∅on]ₑ₄ {picked…}ₑ₅ it {…up}ₑ₅ & left </script><img src=x onerror=alert(1)> .
"""


class Terminal(io.StringIO):
    """Takes itself for a terminal."""

    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def shown(*docs, stream=None, **options):
    stream = stream or io.StringIO()
    show(docs, stream, **options)
    return stream.getvalue()


def without_codes(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_golden():
    assert shown(story(), colour="never", width=90) == GOLDEN


def test_singletons_can_be_hidden():
    assert WITHOUT_SINGLETONS in shown(story(), colour="never", width=110, singletons=False)


def test_colour_only_adds_codes():
    coloured = shown(story(), colour="always", width=90)
    assert coloured != GOLDEN
    assert without_codes(coloured) == GOLDEN


def test_brackets_and_words_have_the_colour_of_their_entity():
    red, green, blue = (int(colours(story())[0][at : at + 2], 16) for at in (1, 3, 5))
    assert f"\x1b[1;38;2;{red};{green};{blue}m[\x1b[0m" in shown(story(), colour="always")
    assert f"\x1b[4;38;2;{red};{green};{blue}mmayor\x1b[0m" in shown(story(), colour="always")  # the head


@pytest.mark.parametrize(
    ("stream", "variables", "colour", "expected"),
    [
        (io.StringIO, {}, "auto", False),
        (Terminal, {}, "auto", True),
        (Terminal, {"NO_COLOR": "1"}, "auto", False),
        (Terminal, {"TERM": "dumb"}, "auto", False),
        (Terminal, {}, "never", False),
        (io.StringIO, {}, "always", True),
        (io.StringIO, {"NO_COLOR": "1"}, "always", True),
    ],
)
def test_when_colours_are_used(stream, variables, colour, expected, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    text = shown(story(), stream=stream(), colour=colour)
    assert bool(re.search(r"\x1b\[[\d;]*38;", text)) is expected


@pytest.mark.parametrize("width", [30, 44, 80])
def test_lines_fit_the_width_in_wide_scripts_too(width):
    text = "小明说他不喜欢北京的天气。" * 9
    doc = Document.from_text(text)
    doc = doc.replace(entities=(Entity("1", (doc.mention([0, 1]), doc.mention([3]))),))
    lines = shown(doc, colour="never", width=width).splitlines()[2:-2]
    assert max(map(cell_len, lines)) <= width
    assert "".join(line[6:] for line in lines).replace(" ", "") == "[小明]₁说[他]₁" + text[4:]


@settings(deadline=None)
@given(documents(), st.integers(30, 100))
def test_all_words_are_shown_in_order(doc, width):
    lines = shown(doc, colour="never", width=width).splitlines()[1:]
    text = re.sub(r"\s", "", "".join(line[6:] for line in lines))
    at = 0
    for char in re.sub(r"\s", "", doc.text):
        at = text.index(char, at) + 1


def test_no_character_does_anything_to_the_terminal():
    doc = Document.from_text("a\x1b]0;title\x07b \x9b2J c\x7f \ud800 d\te", id="\x1b[31m")
    for colour in ("never", "always"):
        text = without_codes(shown(doc, colour=colour))
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]", text)
    assert "a␛]0;title␇b �2J c␡ � d e" in text
    assert "␛[31m" in text


def test_long_lists_of_entities_are_cut():
    doc = Document.from_text("a " * 40)
    pairs = [(doc.mention([2 * n]), doc.mention([2 * n + 1])) for n in range(20)]
    doc = doc.replace(entities=tuple(Entity(f"entity-{n}", pair) for n, pair in enumerate(pairs)))
    lines = shown(doc, colour="never").splitlines()
    assert lines[-1] == "      … and 5 more"
    assert lines[-2] == "  15  a  ×2 entity-14"


def test_documents_are_separated():
    assert shown(story(), story(), colour="never", width=90) == GOLDEN + "\n" + GOLDEN


def test_subscripts():
    assert subscript("12") == "₁₂"
    assert subscript("e12") == "ₑ₁₂"
    assert subscript("T12") == "_T12"
    assert subscript("č1") == "_č1"
    assert clean("a\nb") == "a b"
