"""The collection on the page, in a real browser: links to each place, and the way back."""

import pytest

from coindex.render.html import page
from coindex.resolvers.cross.resolver import CrossOptions, CrossResolver
from coindex.resolvers.cross.scorer import lexical_scorers
from news import documents


@pytest.fixture
def tab(chromium, tmp_path):
    resolver = CrossResolver(lexical_scorers(), options=CrossOptions(topics="none", given=True))
    path = tmp_path / "page.html"
    path.write_text("".join(page(resolver.pipe(documents()), title="News")), encoding="utf-8")
    seen = []
    tab = chromium.new_page(viewport={"width": 1300, "height": 700})
    tab.on("console", lambda message: seen.append(message.text))
    tab.on("pageerror", lambda error: seen.append(str(error)))
    tab.goto(path.as_uri())
    yield tab
    tab.close()
    assert seen == []


def test_from_the_collection_to_a_place_and_back(tab):
    assert tab.locator("section.overview").is_visible()
    assert tab.locator("section.doc:visible").count() == 0
    assert not tab.locator("aside.panel").is_visible()
    tab.keyboard.press("n")  # means nothing here
    tab.locator("details.thing summary .name:text-is('Port Alder')").click()
    tab.locator("details[open] .places a:has-text('c, s. 1')").first.click()
    assert tab.locator("section.doc:visible h2").inner_text() == "c"
    assert tab.locator(".m.now").first.text_content() == "Port Alder"
    assert not tab.locator("section.overview").is_visible()
    assert tab.locator("aside h3").inner_text() == "Port Alder"
    tab.go_back()
    tab.wait_for_selector("section.overview", state="visible")
    assert tab.locator("section.doc:visible").count() == 0


def test_the_list_of_documents_leads_to_both(tab):
    tab.locator("nav button:has-text('b')").last.click()
    assert tab.locator("h2:visible").all_inner_texts() == ["b"]
    tab.locator("nav button:has-text('The collection')").click()
    assert tab.locator("h2:visible").all_inner_texts() == ["The collection"]
    tab.locator(".over .at").first.click()
    tab.wait_for_selector("section.doc:visible")
    assert tab.locator("section.doc:visible").count() == 1
