"""The page in a real browser: pointing, clicking, keys, filters; nothing loaded, nothing in the console."""

import pytest

from coindex.document import Document, Entity, Token, Tokens
from coindex.render.html import document_fragment, page
from stories import HOSTILE, scored, story


@pytest.fixture
def tab(visit):
    return visit("".join(page([story()], title="A story")))


@pytest.fixture
def two(visit):
    other = Document.from_text("Nothing to see here.", id="other")
    return visit("".join(page([story(), other], title="Two")))


def lit(tab):
    """The mentions that are lit up."""
    return tab.eval_on_selector_all(".m.on", "all => [...new Set(all.map(part => Number(part.dataset.m)))]")


def here(tab):
    """The mention that one is at."""
    return tab.eval_on_selector_all(".m.now", "all => [...new Set(all.map(part => Number(part.dataset.m)))]")


def rows(tab, inside="aside"):
    return tab.locator(f"{inside} .list li:visible").all_inner_texts()


def test_pointing_at_a_mention_lights_up_its_entity_and_explains_it(tab):
    tab.hover('.m[data-m="4"]')  # "her"
    assert lit(tab) == [0, 4]
    tip = tab.locator("[role=tooltip]")
    told = tip.inner_text().split("\n")
    assert told[:2] == ["e1", "The mayor of the town by the river"]
    pairs = dict(zip(told[2::2], told[3::2], strict=True))
    assert pairs == {
        "mention": "2 of 2",
        "id": "e1",
        "type": "person",
        "kind": "entity",
        "gender": "f",
        "inside": "her brother (e4)",
    }
    tab.mouse.move(5, 600)
    assert lit(tab) == []
    assert not tip.is_visible()


def test_tooltips_show_kind_attributes_and_relations(tab):
    tip = tab.locator("[role=tooltip]")
    tab.hover('.m[data-m="7"]')
    assert "confidence\n0.83" in tip.inner_text()
    tab.hover('.m[data-m="6"]')
    assert "kind\nevent" in tip.inner_text()
    tab.hover('.m[data-m="2"]')
    assert "bridging, part\nthe town by the river (e2)" in tip.inner_text()
    tab.hover('.m[data-m="11"]')
    assert "split antecedent\nThe mayor of the town by the river (e1) + her brother (e4)" in tip.inner_text()


def told(tab, mention):
    """The pairs in the tooltip of a mention."""
    tab.hover(f'.m[data-m="{mention}"]')
    tip = tab.locator("[role=tooltip]")
    names, values = (tip.locator(tag).all_inner_texts() for tag in ("dt", "dd"))
    return dict(zip(names, values, strict=True))


def test_tooltips_show_the_origin_and_score_of_a_link(visit):
    tab = visit("".join(page([scored()])))
    first = {"mention": "1 of 3", "id": "e1", "kind": "entity"}
    assert told(tab, 0) == first
    link = {"linked by": "sieves/pronouns", "confidence": "31 %", "mention before": "Ann"}
    assert told(tab, 3) == {**first, "mention": "2 of 3", **link}
    assert told(tab, 4) == {
        "mention": "2 of 2",
        "linked by": "sieves/pronouns",
        "confidence": "83 %",
        "mention before": "Eve",
        "id": "e2",
        "kind": "entity",
        "note": "x",
    }
    assert told(tab, 6) == {**first, "mention": "3 of 3", "linked by": "sieves/pronouns", "mention before": "She"}
    tab.click('.m[data-m="3"]')
    assert [row.split("\n") for row in rows(tab)] == [["Ann", "s. 1"], ["She", "31 %", "s. 2"], ["She", "s. 3"]]


def test_weak_links_are_drawn_otherwise(visit):
    tab = visit("".join(page([scored()])))
    drawn = {n: tab.locator(f'.m[data-m="{n}"]').evaluate("m => getComputedStyle(m).backgroundImage") for n in range(7)}
    assert [n for n, image in drawn.items() if "repeating" in image] == [3]


def hidden(tab):
    return tab.eval_on_selector_all(".m.below", "all => all.map(part => Number(part.dataset.m))")


def test_links_below_a_confidence_can_be_hidden(visit):
    tab = visit("".join(page([scored(), story()])))
    slider = tab.locator(".sure input")
    assert hidden(tab) == []
    for value, expected in ((50, [3]), (55, [3, 5]), (100, [3, 4, 5]), (0, [])):
        slider.fill(str(value))
        assert hidden(tab) == expected
        assert tab.locator(".sure output").inner_text() == f"{value} %"
    slider.fill("50")
    assert tab.locator('.m[data-m="3"] >> visible=true').evaluate("m => getComputedStyle(m).backgroundImage") == "none"
    slider.press("n")  # keys work on though the slider has the focus
    assert here(tab) == [0]
    tab.click("nav >> text=story")
    assert not slider.is_visible()
    tab.click("nav >> text=scored")
    assert hidden(tab) == [3]


def test_without_scores_none_are_shown(tab):
    assert not tab.locator(".sure").is_visible()
    assert tab.locator(".weak").count() == 0


def test_a_zero_and_its_label_are_on_one_line(visit):
    tokens = Tokens(
        [token for n in range(1, 60) for token in (Token(f"{n}", "w" * (n % 7 + 1)), Token(f"{n}.1", "él"))]
    )
    doc = Document.from_sentences(tokens, [len(tokens)], id="d")
    zeros = [doc.mention([position]) for position in sorted(tokens.empty_positions)]
    tab = visit(
        "".join(page([doc.replace(entities=(Entity("e", tuple(zeros)),))])), viewport={"width": 700, "height": 600}
    )
    assert tab.eval_on_selector_all(".m", "all => all.map(m => m.getClientRects().length)") == [1] * len(zeros)
    tab.click("#tools >> text=Labels")
    label = tab.locator(".m").first.evaluate(
        "m => getComputedStyle(m, '::after').display + getComputedStyle(m, '::after').content"
    )
    assert "none" in label


def test_parts_of_a_discontinuous_mention_are_highlighted_together(tab):
    tab.hover('.m[data-m="8"] >> nth=1')
    assert lit(tab) == [6, 8]
    assert tab.locator('.m.on[data-m="8"]').count() == 2
    assert tab.locator(".gap.on").count() == 1


def test_a_click_follows_and_keys_step_through(tab):
    tab.click('.m[data-m="5"]')  # "He"
    assert lit(tab) == [3, 5, 7]
    assert here(tab) == [5]
    assert tab.locator("aside h3").inner_text() == "her brother"
    assert [row.split("\n") for row in rows(tab)] == [
        ["her brother", "s. 1"],
        ["He", "s. 2"],
        ["∅ on", "s. 2"],
    ]
    assert "entity=e4" in tab.url
    for key, at in (("n", 7), ("n", 3), ("p", 7), ("p", 5), ("p", 3)):
        tab.keyboard.press(key)
        assert here(tab) == [at]
    assert tab.locator("aside [aria-current]").inner_text().split("\n")[0] == "her brother"
    assert tab.locator("[aria-live]").inner_text() == "her brother: mention 1 of 3 of her brother"
    tab.keyboard.press("Escape")
    assert lit(tab) == here(tab) == []
    assert "entity=" not in tab.url
    assert len(rows(tab)) == 8


def test_the_panel_leads_to_mentions(visit):
    far = Document.from_text("Ann sat. " + "Rain fell. " * 300 + "Ann left.")
    last = max(n for n, token in enumerate(far.tokens) if token.form == "Ann")
    entity = story().entities[0].__class__("e1", (far.mention([0]), far.mention([last])))
    tab = visit("".join(page([far.replace(entities=(entity,))])))
    tab.click("aside .list button")
    assert tab.locator('.m[data-m="0"]').evaluate("part => part.getBoundingClientRect().top < innerHeight")
    tab.click('aside button[data-m="1"]')
    top = tab.locator('.m[data-m="1"]').evaluate("part => part.getBoundingClientRect().top")
    assert 0 < top < 700


def test_the_list_is_filtered_and_ordered(tab):
    assert [row.split("\n")[0] for row in rows(tab)] == ["e4", "e1", "e2", "e5", "e3", "e6", "e7", "e8"]
    assert rows(tab)[0].split("\n") == ["e4", "her brother", "person", "3×"]
    tab.keyboard.press("/")
    tab.keyboard.type("PLACE")
    assert [row.split("\n")[0] for row in rows(tab)] == ["e2", "e3"]
    assert tab.locator("aside [role=status]").inner_text() == "2 entities"
    tab.fill("aside input", "")
    tab.select_option("aside select", "text")
    assert [row.split("\n")[0] for row in rows(tab)] == [f"e{n}" for n in range(1, 9)]
    tab.hover("aside .list button >> nth=1")
    assert lit(tab) == [1, 12]


def test_keys_typed_into_a_field_do_not_step(tab):
    tab.fill("aside input", "")
    tab.focus("aside input")
    tab.keyboard.press("n")
    assert here(tab) == []
    assert tab.input_value("aside input") == "n"


def test_all_mentions_can_be_reached_by_keys_alone(tab):
    for at in (0, 1, 2):
        tab.keyboard.press("n")
        assert here(tab) == [at]
    tab.keyboard.press("Enter")
    assert lit(tab) == here(tab) == [2]
    assert tab.locator("aside h3").inner_text() == "the river"


def test_the_tools(tab):
    tab.click("text=Singletons")
    assert [row.split("\n")[0] for row in rows(tab)] == ["e4", "e1", "e2", "e5"]
    assert tab.locator('.m[data-m="2"]').evaluate("part => getComputedStyle(part).backgroundImage") == "none"
    assert tab.get_attribute("text=Singletons", "aria-pressed") == "false"
    tab.click("text=Sentences")
    assert tab.locator(".line").first.evaluate("line => getComputedStyle(line).display") == "inline"
    tab.click("text=Labels")
    label = "part => getComputedStyle(part, '::after').content"
    assert tab.locator('.m[data-m="4"]').evaluate(label) == "none"
    tab.click("text=Labels")
    assert tab.locator('.m[data-m="4"]').evaluate(label) == '"e1"'


def test_copying_gives_the_text(tab):
    copied = tab.evaluate(
        """() => {
          getSelection().selectAllChildren(document.querySelector(".line"));
          return String(getSelection());
        }"""
    )
    assert copied.strip() == "The mayor of the town by the river met her brother ."


def test_documents_are_shown_one_at_a_time(two):
    assert rows(two, "nav") == ["story", "other"]
    assert two.locator("h2:visible").all_inner_texts() == ["story"]
    two.click('.m[data-m="5"]')
    two.click("nav >> text=other")
    assert two.locator("h2:visible").all_inner_texts() == ["other"]
    assert rows(two) == []
    assert lit(two) == []
    two.fill("nav input", "sto")
    assert rows(two, "nav") == ["story"]


def test_the_address_leads_back(visit):
    other = Document.from_text("Nothing to see here.", id="other")
    tab = visit("".join(page([other, story()])), "#doc=story&entity=e4")
    assert tab.locator("h2:visible").all_inner_texts() == ["story"]
    assert lit(tab) == [3, 5, 7]


def test_entities_shared_with_other_documents(visit):
    docs = [story().replace(id=name, shared_ids=True) for name in ("one", "two")]
    tab = visit("".join(page(docs, overview=False)))
    tab.click('.m[data-m="5"] >> visible=true')
    assert rows(tab)[-1].split("\n") == ["two", "3×"]
    tab.locator("aside .list button:has-text('two')").click()
    assert tab.locator("h2:visible").all_inner_texts() == ["two"]
    assert len(lit(tab)) == 3


def test_hostile_text_does_nothing(visit):
    doc = story()
    hostile = [
        entity.__class__(HOSTILE + entity.id, entity.mentions, HOSTILE, attributes={HOSTILE: HOSTILE})
        for entity in doc.entities
    ]
    tab = visit("".join(page([doc.replace(entities=tuple(hostile), id=HOSTILE)], title=HOSTILE)))
    tab.on("dialog", lambda dialog: pytest.fail("a script of the text ran"))
    tab.hover('.m[data-m="4"]')
    tab.click('.m[data-m="4"]')
    assert tab.locator("img").count() == 0
    assert tab.locator("aside .pairs dt").all_inner_texts()[-1] == HOSTILE


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(visit, scheme):
    """Labels and all other words have the contrast that WCAG AA asks for, 4.5 to 1."""
    tab = visit("".join(page([story()])), color_scheme=scheme)
    colours = tab.evaluate(
        """() => {
          const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1});
          const ink = canvas.getContext("2d", {willReadFrequently: true});
          const painted = (...colours) => {
            for (const colour of colours) { ink.fillStyle = colour; ink.fillRect(0, 0, 1, 1); }
            return [...ink.getImageData(0, 0, 1, 1).data].slice(0, 3);
          };
          const ground = getComputedStyle(document.body).backgroundColor;
          const pairs = [...document.querySelectorAll(".m[data-l]")].map((part) => {
            const tint = getComputedStyle(part).backgroundColor;
            return [painted(ground, tint, getComputedStyle(part, "::after").color), painted(ground, tint)];
          });
          for (const part of document.querySelectorAll(".facts, .who, .name, .aside, .kind, .chip, .tool")) {
            let box = part, grounds = [];
            for (; box; box = box.parentElement) grounds.unshift(getComputedStyle(box).backgroundColor);
            pairs.push([painted(...grounds, getComputedStyle(part).color), painted(...grounds)]);
          }
          return pairs;
        }"""
    )
    assert len(colours) > 40
    for words, ground in colours:
        assert _contrast(words, ground) >= 4.5, (words, ground)


def _contrast(one, other):
    from coindex.render.markup import contrast  # beside the numbers it is about

    one, other = ("#" + "".join(f"{part:02x}" for part in colour) for colour in (one, other))
    return contrast(one, other)


def test_it_works_on_a_narrow_screen_and_on_paper(visit):
    tab = visit("".join(page([story()])))
    tab.set_viewport_size({"width": 400, "height": 700})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 400
    tab.emulate_media(media="print")
    assert not tab.locator("aside").is_visible()
    assert tab.locator(".line").first.is_visible()


def test_fragments_work_in_several_cells(visit):
    cells = document_fragment(story()) * 2
    tab = visit(f"<!doctype html><meta charset=utf-8><body>{cells}</body>")
    tint = "part => getComputedStyle(part).getPropertyValue('--tint')"
    tab.hover('.coindex-cell:last-of-type .m[data-m="5"]')
    assert [part.evaluate(tint) for part in tab.locator('.m[data-m="7"]').all()] == ["", "34%"]
    assert [part.evaluate(tint) for part in tab.locator('.m[data-m="12"]').all()] == ["", ""]
    tab.hover('.coindex-cell:last-of-type .m[data-m="4"]')  # "her" in "her brother"
    assert [part.evaluate(tint) for part in tab.locator('.m[data-m="0"]').all()] == ["", "34%"]
    assert [part.evaluate(tint) for part in tab.locator('.m[data-m="5"]').all()] == ["", ""]
    assert tab.get_attribute('.m[data-m="5"] >> nth=0', "title") == "e4: her brother (person, 3 mentions)"


def test_fragments_also_show_links(visit):
    tab = visit(f"<!doctype html><meta charset=utf-8><body>{document_fragment(scored())}</body>")
    assert tab.get_attribute('.m[data-m="0"]', "title") == "e1: Ann (3 mentions)"
    expected = "e1: Ann (3 mentions)\nby sieves/pronouns, confidence 31 %"
    assert tab.get_attribute('.m[data-m="3"]', "title") == expected
    assert tab.get_attribute('.m[data-m="6"]', "title") == "e1: Ann (3 mentions)\nby sieves/pronouns"
    assert tab.locator(".m.weak").count() == 1
