"""How the editor looks and sounds: scripts of all kinds, lines, colours, and what axe-core finds."""

from __future__ import annotations

import pytest

from coindex.document import Document, Multiword, Sentence, Token, Tokens
from coindex.document.edits import add_mention
from coindex.render.markup import colour, entity_number
from marked_text import marked
from stories import HOSTILE

STORY = "[[The mayor|m] of [the town|t]|m2] met [her|m] brother. [She|m] was glad."


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(editor, serious, scheme):
    page = editor(marked(STORY, id="story"), color_scheme=scheme)
    page.click(0)
    page.press("x", "j")
    page.tab.click("summary:text-is('Mentions')")
    assert serious(page.tab) == []
    page.text.focus()
    page.press("?")
    assert serious(page.tab) == []


def lines(page, at: int) -> list[str]:
    """The colours of the lines under a word, the outer mention's first."""
    images = page.word(at).evaluate("word => word.style.backgroundImage")
    return [part.split("gradient(")[1].split(")")[0] + ")" for part in images.split("), linear")] if images else []


def test_every_mention_has_a_line_in_its_entitys_colour(editor):
    page = editor(marked(STORY, id="story"))

    def rgb(id: str) -> str:
        code = colour(entity_number(id))
        return "rgb({}, {}, {})".format(*(int(code[at : at + 2], 16) for at in (1, 3, 5)))

    assert lines(page, 0) == [rgb("m2"), rgb("m")]
    assert lines(page, 4) == [rgb("m2"), rgb("t")]
    assert lines(page, 5) == []
    heights = page.word(0).evaluate("word => word.style.backgroundPosition.split(', ').map(one => one.split(' + ')[1])")
    assert len(set(heights)) == 2  # one below the other


def test_a_mention_in_pieces_is_dashed(editor):
    doc = add_mention(Document.from_text("Ann, said Bob, ran off."), [0, 5], entity="x")
    page = editor(doc)
    assert "repeating" in page.word(0).evaluate("word => word.style.backgroundImage")
    assert page.word(2).evaluate("word => word.style.backgroundImage") == ""


def test_right_to_left(editor, world):
    page = editor(Document.from_text("דוד ראה את שרה. היא אהבה אותו.", id="hebrew", language="he"))
    boxes = [page.word(at).bounding_box() for at in (0, 1)]
    assert boxes[0]["x"] > boxes[1]["x"]
    page.click(1)
    page.press("ArrowLeft", "Shift+ArrowLeft")  # on, in the direction of reading
    assert page.chosen() == "את שרה"
    page.press("Enter")
    page.saved()
    assert world.marked(page.url) == {"e1": ["את שרה"]}
    assert page.text.get_attribute("lang") == "he"


def test_words_without_spaces(editor, world):
    page = editor(Document.from_text("王先生去了北京。他很高兴。", id="chinese", language="zh"))
    joined = page.tab.eval_on_selector_all("#text i", "all => all.map(word => word.textContent).join('')")
    assert joined.strip() == "王先生去了北京。他很高兴。"
    page.drag(0, 1)
    page.press("n")
    page.saved()
    assert len(world.marked(page.url)["e1"]) == 1


def test_multiword_tokens_and_zeros_and_speakers(editor):
    words = [Token("1", "ir"), Token("2", "de"), Token("3", "el"), Token("3.1", "él"), Token("4", "mar")]
    tokens = Tokens(words, multiwords=[Multiword(1, 3, "del")])
    page = editor(Document(tokens, (Sentence(tokens, 0, 5, speaker="Ana"),), id="multi"))
    assert page.tab.locator("#text .speaker").text_content() == "Ana"
    assert [(page.word(at).text_content() or "").strip() for at in range(5)] == ["ir", "de·", "el", "∅él", "mar"]
    assert page.word(1).get_attribute("title") == "del"


def test_a_long_text_is_written_where_one_looks_and_then_everywhere(editor):
    doc = Document.from_text("The bird sang and flew away again. " * 1200, id="long")
    last = len(doc.tokens) - 1
    doc = add_mention(add_mention(doc, [1], entity="bird"), [last - 7, last - 6], entity="bird")
    page = editor(doc)
    page.click(1)
    page.press("]")  # along the entity, to the other end of the text
    assert page.tab.locator("#text section").last.locator("i").count() > 0
    page.tab.locator("#text i.held").first.wait_for()
    assert page.tab.locator("#text i.held").all_text_contents() == ["The ", "bird "]
    page.tab.locator("#text section:empty").first.wait_for(state="detached")
    assert page.tab.locator("#text i").count() == len(doc.tokens)
    assert lines(page, last - 7) == lines(page, 1) != []


def test_a_word_that_is_too_long_breaks(editor):
    page = editor(Document.from_text("a" * 3000, id="long"))
    assert page.tab.evaluate(
        "document.getElementById('text').scrollWidth <= document.getElementById('text').clientWidth"
    )


def test_one_word(editor, world):
    page = editor(Document.from_text("Hello", id="one"))
    page.press("ArrowRight", "ArrowDown", "PageDown", "End", "j", "k", "[", "o", "n", ".")
    assert page.message() == "The text ends here."
    page.saved()
    assert world.marked(page.url) == {"e1": ["Hello"]}


def test_no_word(editor):
    page = editor(Document.from_text("", id="none"))
    page.press(
        "ArrowRight",
        "ArrowDown",
        "PageDown",
        "End",
        "j",
        "k",
        "]",
        "o",
        "v",
        "n",
        "Space",
        "h",
        "z",
        "t",
        "Delete",
        "Control+z",
    )
    assert page.said() == "The document is empty."


def test_hostile_text_is_only_text(editor):
    page = editor(Document.from_text(f"{HOSTILE} ran.", id=HOSTILE[:20]))
    page.press("n", "r")
    page.tab.keyboard.type(HOSTILE)
    page.press("Enter")
    assert page.tab.locator("#text img, #side img, #text script, #side script").count() == 0


def test_small_screens(editor):
    page = editor(marked(STORY, id="small"), viewport={"width": 420, "height": 800})
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 420
    page.click(0)
    assert page.tab.locator("#side").is_visible()
