"""The error explorer in a real browser: filters, steps, comparison; nothing loaded, nothing in the console."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import coindex
from coindex.document import Document, Entity
from marked_text import marked
from stories import HOSTILE

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

STORY = "[Ann|a] saw [Bob|b]. [She|a] met [[his|b] dog|c]. [It|c] barked at [her|a]."
KEY = [
    marked(STORY, id="one").replace(genre="news"),
    marked("[Eve|e] slept. Then [she|e] woke.", id="two").replace(genre="fiction"),
]
FIRST = [
    marked("[Ann|a] saw Bob. [She|a] met [his dog|c]. [It|a] barked at [her|c].", id="one"),
    marked("Eve slept. Then she woke.", id="two"),
]
SECOND = [
    marked(STORY, id="one"),
    marked("[Eve|e] slept. [Then|x] [she|x] woke.", id="two"),
]


def settle(tab):
    """Wait until the document of the chosen error is there."""
    tab.wait_for_selector("main:not([aria-busy])")


@pytest.fixture
def visit(visit):
    """Opens the explorer, and waits for its document."""

    def opened(markup, place="", **options):
        tab = visit(markup, place, **{"viewport": {"width": 1400, "height": 800}, **options})
        settle(tab)
        return tab

    return opened


def made(*responses, key=KEY):
    found = coindex.find_errors(key, *responses, explorer=True, singletons=True, match="exact")
    return "".join(found.page(title="Errors"))


@pytest.fixture
def tab(visit, recwarn):
    return visit(made(FIRST))


@pytest.fixture
def both(visit, recwarn):
    return visit(made(FIRST, SECOND))


def listed(tab):
    return [row.split("\n")[0] for row in tab.locator(".errors .name").all_inner_texts()]


def boxed(tab, name, side):
    """The words that are marked on a side as this."""
    return tab.eval_on_selector_all(f".s{side} .m.{name}", "all => all.map(part => part.textContent).join('')")


def chip(tab, name):
    return tab.locator(f".fact:has(span:text-is('{name}'))")


def test_all_errors_are_listed_and_the_first_is_shown(tab):
    assert listed(tab) == [
        *("missed Bob", "missed his", "wrong-link It", "split It", "conflated It"),
        *("wrong-link her", "split her", "conflated her", "missed Eve", "missed she"),
    ]
    assert tab.locator(".card h2").inner_text() == "missed"
    assert boxed(tab, "now", 0) == "Bob"
    assert tab.locator("[role=status]").inner_text() == "10 errors"


def test_keys_and_clicks_lead_from_error_to_error(tab):
    rows = listed(tab)
    for step in (1, 2):
        tab.keyboard.press("n")
        assert tab.locator(".errors [aria-current] .name").inner_text() == rows[step]
        kind, _, words = rows[step].partition(" ")
        assert tab.locator(".card h2").inner_text() == kind
        assert tab.locator(".card .title q").inner_text().strip('“”"') == words
    tab.keyboard.press("p")
    assert tab.locator(".errors [aria-current] .name").inner_text() == rows[1]
    tab.locator(".errors button").last.click()
    settle(tab)
    assert tab.locator(".doc-title h2").inner_text() == "two"
    assert tab.locator("[aria-live]").inner_text().startswith(f"{len(rows)} of {len(rows)}: ")
    tab.keyboard.press("n")  # round to the first
    assert tab.locator(".doc-title h2").inner_text() == "one"


def test_a_wrong_link_shows_what_is_right_and_what_is_wrong(tab):
    chip(tab, "wrong-link").click()
    assert tab.locator(".card h2").inner_text() == "wrong-link"
    assert boxed(tab, "now", 0) == boxed(tab, "now", 1) == "It"
    assert boxed(tab, "right", 0) == "his dog"
    assert boxed(tab, "wrong", 1) == "She"
    assert "key links to" in tab.locator(".card").inner_text()


def test_filters(tab):
    everything = len(listed(tab))
    missed = int(chip(tab, "missed").locator(".aside").inner_text())
    chip(tab, "missed").click()
    assert len(listed(tab)) == missed < everything
    assert all(row.startswith("missed ") for row in listed(tab))
    tab.get_by_label("All types").select_option("pronoun")
    assert {row.removeprefix("missed ") for row in listed(tab)} == {"his", "she"}
    tab.get_by_label("All genres").select_option("fiction")
    assert listed(tab) == ["missed she"]
    assert tab.locator("[role=status]").inner_text() == "1 error"
    tab.get_by_label("All genres").select_option("-1")
    tab.keyboard.press("Escape")
    tab.keyboard.press("/")
    tab.keyboard.type("ONE")
    assert listed(tab) == ["missed his"]
    tab.keyboard.type("x")
    assert listed(tab) == []
    assert "No errors match" in tab.locator(".card").inner_text()


def test_words_of_all_mentions_of_an_error_are_searched(tab):
    tab.keyboard.press("/")
    tab.keyboard.type("HIS DOG")
    assert listed(tab) == ["wrong-link It", "split It", "wrong-link her", "conflated her"]
    tab.get_by_role("searchbox").fill("eve")
    settle(tab)
    assert listed(tab) == ["missed Eve"]
    assert tab.locator(".doc-title h2").inner_text() == "two"
    assert boxed(tab, "now", 0) == "Eve"


def test_an_old_browser_shows_what_is_missing(chromium, tmp_path, recwarn):
    path = tmp_path / "page.html"
    path.write_text(made(FIRST), encoding="utf-8")
    tab = chromium.new_page()
    tab.add_init_script("delete window.DecompressionStream")
    tab.goto(path.as_uri())
    assert "needs a newer browser" in tab.locator("main").inner_text()
    tab.close()


def test_two_responses_are_compared(both):
    assert both.locator(".heads span").all_inner_texts() == ["Key", "A", "B"]
    counts = {name: int(chip(both, name).locator(".aside").inner_text()) for name in ("fixed by B", "broken by B")}
    chip(both, "fixed by B").click()
    settle(both)
    assert len(listed(both)) == counts["fixed by B"] > 0
    assert "missed Bob" in listed(both)
    assert both.locator(".card .state").inner_text() == "fixed by B"
    assert boxed(both, "now", 2) == "Bob"  # the second response has it
    chip(both, "broken by B").click()
    settle(both)
    assert len(listed(both)) == counts["broken by B"] > 0
    assert "spurious Then" in listed(both)
    both.locator(".errors button:has-text('Then')").first.click()
    settle(both)
    assert boxed(both, "now", 2) == "Then"
    assert boxed(both, "now", 1) == ""
    chip(both, "broken by B").click()  # all again
    assert len(listed(both)) > counts["broken by B"]
    both.click("#tools >> text=A")
    assert both.locator(".cell.s1").first.is_hidden()


def test_entities_have_one_colour_on_all_sides(both):
    colour = "part => getComputedStyle(part).getPropertyValue('--c')"
    ann = [both.locator(f".sentence >> nth=0 >> .s{side} .m >> nth=0").evaluate(colour) for side in (0, 1, 2)]
    assert ann[0].startswith("#")
    assert len(set(ann)) == 1
    both.locator(".s0 .m:text-is('Ann')").click()
    assert boxed(both, "on", 0) == "AnnSheher"
    both.keyboard.press("Escape")
    assert boxed(both, "on", 0) == ""


def test_a_tooltip_names_the_entity(tab):
    tab.hover(".s0 .m:text-is('his')")
    told = tab.locator("[role=tooltip]").inner_text()
    assert "Bob" in told
    assert "2 of 2 · b" in told
    assert "his dog" in told  # the mention around it


def test_the_address_leads_back(visit, recwarn):
    page = made(FIRST)
    tab = visit(page)
    tab.locator(".errors button").last.click()
    settle(tab)
    place = tab.evaluate("location.hash")
    words = tab.locator(".errors [aria-current]").inner_text()
    again = visit(page, place)
    sync_api.expect(again.locator(".errors [aria-current]")).to_have_text(words.replace("\n", ""))
    settle(again)
    assert again.locator(".doc-title h2").inner_text() == "two"


def long_key():
    doc = Document.from_text(" ".join(f"Ann {number} ran." for number in range(400)), id="long")
    anns = [doc.mention([at]) for at, token in enumerate(doc.tokens) if token.form == "Ann"]
    return doc.replace(entities=(Entity("a", tuple(anns)),))


def test_long_documents_are_drawn_in_parts_and_lists_are_paged(visit, recwarn):
    key = long_key()
    tab = visit(made([key.replace(entities=())], key=[key]))
    assert len(listed(tab)) == 50
    assert tab.locator(".turn .aside").inner_text() == "1 / 8"
    assert tab.locator(".sentence").count() < 100
    tab.get_by_label("Later errors").click()
    assert tab.locator(".turn .aside").inner_text() == "2 / 8"
    assert tab.locator(".card .title .aside").inner_text() == "51 of 400"
    tab.get_by_label("Previous error").click()
    assert tab.locator(".turn .aside").inner_text() == "1 / 8"
    before = tab.locator(".sentence").count()
    tab.click("text=Later sentences")
    assert tab.locator(".sentence").count() > before
    box = tab.locator(".sentence.at").bounding_box()
    assert box is not None


def test_what_is_listed_comes_in_chunks(visit, recwarn, monkeypatch):
    """Only the chunk of the errors that are shown is unpacked, until somebody searches."""
    monkeypatch.setattr("coindex.analysis.errors.explorer.CHUNK", 60)
    key = long_key()
    markup = made([key.replace(entities=())], key=[key])
    assert [f'id="t{number}"' in markup for number in (0, 6, 7)] == [True, True, False]
    tab = visit(markup)
    assert len(listed(tab)) == 50
    tab.get_by_label("Later errors").click()  # errors 51 to 100, of two chunks
    settle(tab)
    assert tab.locator(".errors .aside").all_inner_texts() == [f"s. {number}" for number in range(51, 101)]
    tab.get_by_role("searchbox").fill("ann")
    sync_api.expect(tab.locator("[role=status]")).to_have_text("400 errors")
    tab.get_by_role("searchbox").fill("bob")
    sync_api.expect(tab.locator("[role=status]")).to_have_text("0 errors")


@pytest.fixture
def slowly():
    """Serves a page of which the end comes when it is asked for."""
    parts, rest = [], threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(parts[0])
            rest.wait(60)
            self.wfile.write(parts[1])

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", parts, rest
        rest.set()
        server.shutdown()
        thread.join()


def test_the_first_error_is_shown_before_the_rest_of_the_page_has_come(chromium, slowly, recwarn):
    address, parts, rest = slowly
    markup = made([KEY[0], FIRST[1]], key=KEY)  # no error but in the second document
    cut = markup.index("</script>", markup.index('<script>"use strict"')) + len("</script>")
    parts += [markup[:cut].encode(), markup[cut:].encode()]
    assert '<script type="text/plain" id="d0"' in markup[cut:]
    tab = chromium.new_page()
    tab.goto(address, wait_until="commit")
    settle(tab)
    assert listed(tab) == ["missed Eve", "missed she"]
    assert boxed(tab, "now", 0) == "Eve"
    assert tab.evaluate("document.readyState") == "loading"
    rest.set()
    tab.wait_for_load_state("load")
    tab.keyboard.press("n")
    settle(tab)
    assert boxed(tab, "now", 0) == "she"
    tab.close()


@pytest.mark.parametrize("arrived", [0, 20])
def test_data_that_have_come_in_part_are_waited_for(chromium, slowly, recwarn, arrived):
    """Also when there is an element behind them already, as those that the script makes may be."""
    address, parts, rest = slowly
    markup = made(FIRST)
    start = '<script type="text/plain" id="d1">'
    cut = markup.index(start) + len(start) + arrived
    parts += [markup[:cut].encode(), markup[cut:].encode()]
    tab = chromium.new_page()
    told = []
    tab.on("pageerror", lambda error: told.append(str(error)))
    tab.goto(address, wait_until="commit")
    settle(tab)
    tab.wait_for_selector("#d1", state="attached")
    tab.evaluate("document.body.append(document.createElement('i'))")
    tab.locator(".errors button").last.click()  # of the second document
    assert tab.evaluate("document.readyState") == "loading"
    rest.set()
    tab.wait_for_load_state("load")
    sync_api.expect(tab.locator(".doc-title h2")).to_have_text("two")
    tab.close()
    assert told == []


def test_a_truncated_page_shows_a_message(visit, recwarn):
    markup = made(FIRST)
    tab = visit(markup[: markup.index('<script type="text/plain" id="d1"')])
    assert listed(tab)[-1] == "missed she"
    tab.locator(".errors button").last.click()
    sync_api.expect(tab.locator(".card [role=alert]")).to_have_text(
        "two cannot be shown: its data are missing; the file is incomplete."
    )
    tab.locator(".errors button").first.click()
    settle(tab)
    assert boxed(tab, "now", 0) == "Bob"


def test_zeros_nested_and_discontinuous_mentions_are_drawn(visit, recwarn):
    from stories import story

    key = story()
    tab = visit(made([key.replace(entities=(), bridges=(), split_antecedents=())], key=[key]))
    assert "∅ on" in tab.locator(".s0 .zero").all_text_contents()
    row = tab.locator(".sentence").first.locator(".s0")
    words = (row.text_content() or "").replace("\n", "").strip()
    assert words == "The mayor of the town by the river met her brother ."
    tab.locator(".errors button:has-text('…')").first.click()
    assert tab.locator(".s0 .now").count() > 1


def test_singletons_can_be_hidden(visit, recwarn):
    key = marked("[Ann|a] saw [a dog|b]. [She|a] ran.", id="d")
    tab = visit(made([key], key=[key]))
    assert tab.locator(".s0 .m").all_text_contents() == ["Ann", "a dog", "She"]
    tab.click("#tools >> text=Singletons")
    assert tab.locator(".s0 .m").all_text_contents() == ["Ann", "She"]


def test_hostile_text_does_nothing(visit, recwarn):
    doc = Document.from_text(f"{HOSTILE} ran. {HOSTILE} fell.", id=HOSTILE)
    entity = Entity(HOSTILE, (doc.mention([0]), doc.mention([len(doc.tokens) - 2])))
    key = doc.replace(entities=(entity,), genre=HOSTILE)
    tab = visit(made([doc], key=[key]))
    tab.on("dialog", lambda dialog: pytest.fail("a script of the text ran"))
    tab.keyboard.press("n")
    assert tab.locator("img").count() == 0
    assert tab.locator(".doc-title h2").inner_text() == HOSTILE


def test_no_errors_at_all(visit, recwarn):
    tab = visit(made(KEY))
    assert "No errors." in tab.locator(".card").inner_text()
    assert tab.locator(".sentence").count() == 3
    tab.keyboard.press("n")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_in_light_and_dark(visit, recwarn, scheme):
    tab = visit(made(FIRST), color_scheme=scheme)
    style = (
        "() => { const { backgroundColor, color } = getComputedStyle(document.body); return [backgroundColor, color]; }"
    )
    paper, ink = tab.evaluate(style)
    assert (sum(map(int, paper[4:-1].split(","))) > 382) == (scheme == "light")
    assert (sum(map(int, ink[4:-1].split(","))) > 382) == (scheme == "dark")
