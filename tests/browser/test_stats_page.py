"""The page of statistics in a real browser: filter, sort, page through, change the corpus; nothing is loaded."""

import pytest

from analysis.corpus_text import corpus
from coindex.api.statistics import stats
from coindex.document import Document, Entity

pytest.importorskip("matplotlib", reason="matplotlib is not installed")


def long_document():
    """120 entities named w0, w1 …, of one mention each but for w7 and w8."""
    doc = Document.from_text(" ".join(f"w{number}" for number in range(120)) + " w7 w8 w8", id="GUM_vlog_long")
    places = {number: [number] for number in range(120)}
    places[7].append(120)
    places[8] += [121, 122]
    return doc.replace(
        entities=tuple(Entity(f"e{n}", tuple(doc.mention([at]) for at in found)) for n, found in places.items())
    )


@pytest.fixture
def tab(chromium, tmp_path):
    path = tmp_path / "stats.html"
    found = stats({"long": [long_document()], "small": corpus()}, lists=True)
    path.write_text(found.render("html"), encoding="utf-8")
    seen = []
    tab = chromium.new_page(viewport={"width": 1300, "height": 700})
    tab.on("console", lambda message: seen.append(message.text))
    tab.on("pageerror", lambda error: seen.append(str(error)))
    tab.on("request", lambda request: seen.append(request.url))
    tab.goto(path.as_uri())
    tab.wait_for_selector("#lists tbody tr")
    yield tab
    tab.close()
    assert seen == [path.as_uri()]


def rows(tab):
    """The rows of the list, as lists of cells."""
    return [row.split("\t") for row in tab.locator("#lists tbody tr").all_inner_texts()]


def told(tab):
    return tab.locator("#lists [role=status]").inner_text()


def where(tab):
    return tab.locator("#lists .where").inner_text()


def test_tables_charts_and_the_first_list_are_there(tab):
    assert tab.locator("#tables caption").first.inner_text() == "Sizes of the datasets"
    assert tab.locator("#charts svg").count() == 4
    assert [row[0] for row in rows(tab)] == ["GUM_vlog_long"]
    assert told(tab) == "1 of 1"


def test_long_lists_are_paged(tab):
    tab.get_by_role("button", name="Entities", exact=True).click()
    assert [row[:2] for row in rows(tab)][:3] == [["w8", "3"], ["w7", "2"], ["w0", "1"]]
    assert (len(rows(tab)), where(tab), told(tab)) == (50, "1 / 3", "120 of 120")
    assert tab.get_by_role("button", name="previous page").is_disabled()
    tab.get_by_role("button", name="next page").click()
    tab.get_by_role("button", name="next page").click()
    assert (len(rows(tab)), where(tab)) == (20, "3 / 3")
    assert tab.get_by_role("button", name="next page").is_disabled()
    tab.get_by_role("button", name="first page").click()
    assert rows(tab)[0][0] == "w8"


def test_filters_and_order(tab):
    tab.get_by_role("button", name="Mentions", exact=True).click()
    search = tab.get_by_role("searchbox")
    search.fill("W11")
    assert sorted(row[0] for row in rows(tab)) == ["w11", *(f"w11{n}" for n in range(10))]
    assert told(tab) == "11 of 120"
    search.fill("nobody")
    assert rows(tab) == [["no matches"]]
    search.fill("")
    tab.get_by_label("occurrences ≥").fill("2")
    assert [row[0] for row in rows(tab)] == ["w8", "w7"]
    tab.get_by_role("columnheader", name="occurrences").get_by_role("button").click()
    assert [row[0] for row in rows(tab)] == ["w8", "w7"]
    tab.get_by_role("columnheader", name="occurrences").get_by_role("button").click()
    assert [row[0] for row in rows(tab)] == ["w7", "w8"]
    assert tab.locator("th[aria-sort=ascending]").count() == 1


def test_another_corpus_and_a_choice_of_genre(tab):
    tab.get_by_label("corpus").select_option("small")
    assert [row[0] for row in rows(tab)] == ["GUM_fiction_fox", "GUM_news_pair"]
    tab.get_by_label("genre").select_option("news")
    assert [row[0] for row in rows(tab)] == ["GUM_news_pair"]
    tab.get_by_role("button", name="Entities", exact=True).click()  # begins anew
    assert len(rows(tab)) == 6
    tab.get_by_label("genre").select_option("fiction")
    assert {row[-1] for row in rows(tab)} == {"fiction"}


def test_charts_follow_dark_mode(tab):
    colour = "getComputedStyle(document.querySelector('#charts svg text')).fill"
    light = tab.evaluate(colour)
    tab.emulate_media(color_scheme="dark")
    assert tab.evaluate(colour) != light
