"""The editor in a real browser: everything that an annotator does, by mouse and by keyboard alone."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the web app needs the extra coindex[web]")

from coindex.document import Document
from coindex.document.edits import add_bridge
from editor_world import EditorPage
from marked_text import marked

TEXT = "Ann saw Bob. She met his dog. It barked at her."
STORY = "[Ann|a] saw [Bob|b]. [She|a] met [[his|b] dog|c]. [It|c] barked at [her|a]."


def bare() -> Document:
    return Document.from_text(TEXT, id="bare")


def story() -> Document:
    return marked(STORY, id="story")


@pytest.fixture
def empty(editor):
    return editor(bare())


@pytest.fixture
def full(editor):
    return editor(story())


class TestMarking:
    def test_by_mouse(self, empty, world):
        empty.drag(6, 7)
        assert empty.chosen() == "his dog"
        empty.press("Enter")
        assert empty.held() == "his dog"
        empty.click(9)
        empty.press("Space")  # of the same entity
        empty.saved()
        assert world.marked(empty.url) == {"e1": ["his dog", "It"]}

    def test_by_keyboard_alone(self, empty, world):
        empty.press("n", *["ArrowRight"] * 4, "l")  # Ann, She
        empty.press("ArrowRight", "ArrowRight", "Shift+ArrowRight")
        assert empty.chosen() == "his dog"
        empty.press("n", "End", "ArrowRight", "Space")
        assert empty.held() == "It"
        empty.press("e")
        empty.tab.keyboard.type("Ann")
        empty.press("Enter")  # links It to Ann after all
        empty.saved()
        assert world.marked(empty.url) == {"e1": ["Ann", "She", "It"], "e2": ["his dog"]}
        assert empty.tab.evaluate("document.activeElement.id") == "text"

    def test_backwards_and_by_lines(self, empty):
        empty.click(7)
        empty.press("Shift+ArrowLeft")
        assert empty.chosen() == "his dog"
        empty.press("Escape")
        assert empty.chosen() == ""
        empty.press("End", "Home", "Shift+End")
        assert empty.chosen() == "She met his dog ."

    def test_pieces_by_mouse(self, empty, world):
        empty.drag(4, 4)
        empty.drag(0, 0, alt=True)
        empty.drag(6, 7, alt=True)
        assert empty.chosen() == "Ann his dog"
        empty.press("Enter")
        empty.saved()
        assert [m.positions for m, _ in world.document(empty.url).mentions()] == [(0, 6, 7)]

    def test_pieces_by_keyboard(self, empty, world):
        empty.press("Alt+ArrowRight", "Alt+ArrowRight")
        assert empty.chosen() == "Ann Bob"
        empty.press("v", "Alt+ArrowRight", "Alt+ArrowRight", "Shift+ArrowRight")
        assert empty.chosen() == "Ann Bob She met"
        empty.press("n")
        empty.saved()
        assert [m.positions for m, _ in world.document(empty.url).mentions()] == [(0, 2, 4, 5)]

    def test_nested_mentions_one_click_after_the_other(self, full):
        full.click(6)
        assert full.held() == "his"
        full.click(6)
        assert full.held() == "his dog"
        full.click(6)
        assert full.held() == "his"
        full.press("o")
        assert full.held() == "his dog"

    def test_what_is_marked_already_is_not_marked_again(self, full, world):
        full.click(0)
        full.press("n")  # a new entity for a mention that there is: it leaves the old one
        full.saved()
        assert world.marked(full.url)["e1"] == ["Ann"]
        full.press("n")
        assert full.message() == "This mention is already a separate entity."
        full.press("Escape")
        assert full.message() == ""
        full.press("Space")
        full.saved()
        assert len(world.store.layers.log(world.layers[full.url])) == 1


class TestMoving:
    def test_through_all_mentions(self, full):
        held = []
        for _ in range(7):
            full.press("j")
            held.append(full.held())
        assert held == ["Bob", "She", "his dog", "his", "It", "her", "Ann"]
        full.press("k")
        assert full.held() == "her"

    def test_along_an_entity(self, full):
        full.click(0)
        full.press("]", "]")
        assert full.held() == "her"
        full.press("[")
        assert full.held() == "She"
        assert full.said() == "She, “She”, 2 of 3 mentions of Ann"

    def test_from_the_list(self, full):
        assert full.names() == ["Ann", "Bob", "his dog"]
        full.tab.locator(".entities li button.entity").nth(2).click()
        full.settle()
        assert full.held() == "his dog"
        assert full.tab.evaluate("document.activeElement.id") == "text"
        full.tab.select_option("[aria-label='Sort entities']", "size")
        assert full.names()[0] == "Ann"
        full.tab.fill("#entities", "dog")
        full.settle()
        assert full.names() == ["his dog"]


class TestChanging:
    def test_link_and_unlink(self, full, world):
        full.click(0)
        full.press("x")
        full.click(9)
        full.press("Space")
        full.click(12)
        full.press("u")
        full.saved()
        assert world.marked(full.url) == {
            "a": ["Ann", "She", "It"],
            "b": ["Bob", "his"],
            "c": ["his dog"],
            "e1": ["her"],
        }

    def test_link_from_the_list(self, full, world):
        full.click(9)
        full.button("Link to Ann").click()
        full.saved()
        assert world.marked(full.url)["a"] == ["Ann", "She", "It", "her"]

    def test_merge(self, full, world):
        full.click(0)
        full.press("x")
        full.click(2)
        full.button("Merge into “Ann”").click()
        full.saved()
        assert world.marked(full.url) == {"a": ["Ann", "Bob", "She", "his", "her"], "c": ["his dog", "It"]}

    def test_split_at_a_mention(self, full, world):
        full.click(4)
        full.press("t")
        full.saved()
        assert world.marked(full.url) == {
            "a": ["Ann"],
            "b": ["Bob", "his"],
            "c": ["his dog", "It"],
            "e1": ["She", "her"],
        }

    def test_split_off_chosen_mentions(self, full, world):
        full.click(0)
        full.tab.click("summary:text-is('Mentions')")
        full.tab.get_by_label("Select Ann").check()
        full.tab.get_by_label("Select her").check()
        full.button("Split off 2 as a new entity").click()
        full.saved()
        assert world.marked(full.url)["e1"] == ["Ann", "her"]

    def test_rename_type_and_kind(self, full, world):
        full.click(0)
        full.press("r")
        full.tab.keyboard.type("Ann Hill\n")
        full.tab.get_by_label("Type").fill("person")
        full.tab.keyboard.press("Tab")
        full.tab.get_by_label("Kind").select_option("event")
        full.saved()
        entity = world.document(full.url).entity("Ann Hill")
        assert (entity.type, entity.kind, len(entity)) == ("person", "event", 3)
        full.tab.fill("#rename", "b")
        full.tab.keyboard.press("Enter")
        full.settle()
        assert "already" in full.message()
        assert full.tab.input_value("#rename") == "Ann Hill"

    def test_head_by_key_and_by_field(self, full, world):
        full.click(7)
        full.press("h")
        full.saved()
        assert world.document(full.url).entity("c").mentions[0].head == 7
        full.tab.get_by_label("Head").select_option("his")
        full.saved()
        assert world.document(full.url).entity("c").mentions[0].head == 6

    def test_borders(self, full, world):
        full.click(7)
        full.press(".", "<")
        assert full.held() == "met his dog ."
        full.press(",", ">", ">")
        assert full.held() == "dog"
        full.saved()
        assert world.marked(full.url)["c"] == ["dog", "It"]

    def test_remove(self, full, world):
        full.click(9)
        full.press("Delete")
        full.click(7)
        full.press("Backspace")
        full.saved()
        assert "c" not in world.marked(full.url)

    def test_zeros(self, full, world):
        full.click(5)
        full.press("z")  # the caret stands on it
        full.press("n")
        full.saved()
        doc = world.document(full.url)
        assert doc.tokens[6].is_empty
        assert doc.entity("e1").mentions[0].positions == (6,)
        assert doc.entity("c").mentions[0].text == "his dog"
        assert full.tab.locator("#text i.zero").count() == 1
        assert (full.word(7).text_content() or "").strip() == "his"
        full.press("Shift+Z")
        assert "remove the mention" in full.message()
        full.press("Delete", "Shift+Z")
        full.saved()
        assert world.document(full.url) == story().replace(id=doc.id)

    def test_attributes(self, editor, world):
        values = {"name": "func", "title": "Function", "values": ["def", "pred"]}
        world.set_settings(schema={"types": ["person", "animal"], "attributes": [values], "rules": ["Mark every cat."]})
        try:
            page = editor(story())
            page.click(0)
            page.press("a")
            page.tab.get_by_label("Function").select_option("pred")
            page.tab.get_by_label("Type").select_option("animal")
            page.saved()
            entity = world.document(page.url).entity("a")
            assert (entity.type, entity.mentions[0].attributes) == ("animal", {"func": "pred"})
            page.tab.get_by_label("Function").select_option("")
            page.saved()
            assert world.document(page.url).entity("a").mentions[0].attributes == {}
            page.tab.click("summary:text-is('Rules of this project')")
            assert page.tab.locator(".rules").inner_text() == "Mark every cat."
        finally:
            world.set_settings(schema={})

    def test_attributes_without_a_schema(self, full, world):
        full.click(0)
        full.tab.get_by_label("Attribute").fill("note = odd")
        full.tab.keyboard.press("Enter")
        full.saved()
        assert world.document(full.url).entity("a").mentions[0].attributes == {"note": "odd"}

    def test_bridges_and_split_antecedents(self, full, world):
        full.click(2)
        full.press("x")
        full.click(9)
        full.press("b")
        full.tab.get_by_label("Group of (split antecedent)").fill("a, b")
        full.tab.keyboard.press("Enter")
        full.saved()
        doc = world.document(full.url)
        assert [(b.entity, b.antecedent) for b in doc.bridges] == [("c", "b")]
        assert [s.antecedents for s in doc.split_antecedents] == [("a", "b")]
        full.button("Remove the bridge to b").click()
        full.button("Remove the split antecedent").click()
        full.saved()
        assert world.document(full.url) == story().replace(id=doc.id)


def test_entities_of_other_documents_are_candidates(browse, world):
    """What the project shares is asked for and listed; a link makes the entity here, under the name it has there."""
    url = world.add(story())
    world.set_settings(shared_entities=True)
    try:
        page = EditorPage(browse().new_page())
        there = {
            "entities": [{"id": "tom", "name": "Tom Hill", "documents": 3}, {"id": "a", "name": "Ann", "documents": 1}]
        }
        page.tab.route("**/shared", lambda route: route.fulfill(json=there))
        page.open(url)
        page.tab.wait_for_selector("text=In other documents")
        assert page.names() == ["Ann", "Bob", "his dog", "Tom Hill"]
        page.click(9)
        page.button("Link to Tom Hill").click()
        page.click(2)
        page.press("e")
        page.tab.keyboard.type("tom")
        page.press("Enter")
        page.saved()
        assert world.marked(url)["tom"] == ["Bob", "It"]
        assert page.tab.get_by_text("In other documents").count() == 0
    finally:
        world.set_settings(shared_entities=False)


class TestUndo:
    def test_all_and_again(self, full, world):
        start = world.document(full.url)
        full.click(0)
        full.press("x")
        full.click(2)
        full.press("m")
        full.click(5)
        full.press("z", "n")
        full.press("Control+z", "Control+z", "Control+z")
        full.saved()
        assert world.document(full.url) == start
        assert full.names() == ["Ann", "Bob", "his dog"]
        full.press("Control+Shift+Z", "Control+y")
        full.saved()
        assert len(world.document(full.url).tokens) == len(start.tokens) + 1
        assert not full.button("Redo").is_disabled()

    def test_goes_on_after_a_reload(self, full, world):
        start = world.document(full.url)
        full.click(0)
        full.press("Delete")
        full.click(2)
        full.press("u")
        full.saved()
        done = world.document(full.url)
        full.tab.reload()
        full.tab.wait_for_selector("#editor.ready")
        for _ in range(2):
            full.button("Undo").click()
            full.saved()
            full.settle()
        assert world.document(full.url) == start
        assert full.names() == ["Ann", "Bob", "his dog"]
        assert full.button("Undo").is_disabled()
        full.press("Control+y", "Control+y")
        full.saved()
        assert world.document(full.url) == done
        assert full.button("Redo").is_disabled()

    def test_redo_goes_on_after_a_reload_too(self, full, world):
        full.click(0)
        full.press("Delete", "Control+z")
        full.saved()
        full.tab.reload()
        full.tab.wait_for_selector("#editor.ready")
        full.button("Redo").click()
        full.saved()
        assert world.marked(full.url)["a"] == ["She", "her"]


class TestSearch:
    def test_step_and_mark_all(self, empty, world):
        empty.press("/")
        empty.tab.keyboard.type("h(is|er)\\b")
        empty.tab.wait_for_selector("text=2 matches")
        assert empty._words("found") == "his her"
        empty.tab.keyboard.press("Enter")
        assert empty.tab.locator("[aria-label=Search] .count").inner_text() == "1 of 2"
        empty.tab.keyboard.press("Enter")
        empty.button("Mark all as a new entity").click()
        empty.saved()
        assert world.marked(empty.url) == {"e1": ["his", "her"]}
        empty.tab.fill("#search", "met his")
        empty.tab.wait_for_selector("text=1 match")
        empty.button("Mark all as “his”").click()
        empty.saved()
        assert world.marked(empty.url) == {"e1": ["met his", "his", "her"]}
        empty.tab.fill("#search", "(")
        empty.tab.wait_for_selector("text=invalid regular expression")
        empty.tab.keyboard.press("Escape")
        assert empty._words("found") == ""


def test_help_lists_every_key(full):
    full.press("?")
    assert full.dialog() == "Keyboard shortcuts"
    assert full.tab.locator("dialog kbd").count() > 25
    full.tab.keyboard.press("Escape")
    full.tab.wait_for_selector("dialog", state="detached")
    assert full.tab.evaluate("document.activeElement.id") == "text"


def test_relations_of_the_mention_in_hand_are_shown(editor):
    doc = story()
    page = editor(add_bridge(doc, "c", doc.entity("c").mentions[0].positions, "b", relation="owner"))
    page.click(7)
    assert "Bridge to Bob (owner)" in " ".join(page.tab.locator(".hand").inner_text().split())
