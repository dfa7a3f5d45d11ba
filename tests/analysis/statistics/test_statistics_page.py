"""Surveys of corpora: genres, spread, lists, charts, and the page, which depends on no order of documents."""

from __future__ import annotations

import base64
import builtins
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.corpus_text import FIRST, SECOND, corpus
from coindex.analysis import figures
from coindex.analysis.statistics.report import report_page
from coindex.analysis.statistics.survey import Survey, survey
from coindex.analysis.statistics.tables import (
    LONG,
    TABLES,
    all_tables,
    document_table,
    genre_table,
    spread,
    spread_table,
)
from coindex.api.statistics import Statistics, stats
from coindex.document import Document
from coindex.errors import MissingExtraError, UnknownNameError
from strategies import documents

HOSTILE = '</script><script>alert(1)</script> & "x" $y_ <!--'


def embedded(page: str) -> Any:
    (data,) = re.findall(r'<script type="text/plain" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(zlib.decompress(base64.b64decode(data)))


def column(page: str, name: str, title: str) -> list[Any]:
    """The values of a column of a list, as the script shows them."""
    (found,) = (one for one in embedded(page)["corpora"][0]["lists"] if one["name"] == name)
    (chosen,) = (one for one in found["columns"] if one["title"] == title)
    return [chosen["texts"][at] for at in chosen["values"]] if "texts" in chosen else chosen["values"]


def test_genres_are_shown_side_by_side() -> None:
    table = genre_table({"small": survey(corpus())})
    assert [(row.label, row.section) for row in table.rows] == [("fiction", ""), ("news", "")]
    fiction = dict(zip((one.name for one in table.columns), table.rows[0].values, strict=True))
    assert fiction == {
        "documents": 1,
        "words": 13,
        "entities_per_1k": 3000 / 13,
        "entity_length": 6 / 3,
        "mentions_per_1k": 6000 / 13,
        "mention_length": (3 + 0 + 1 + 2 + 2 + 6) / 6,
        "singleton_rate": 1 / 6,
    }


def test_without_genres_there_is_no_table_of_them() -> None:
    plain = [doc.replace(id=f"d{number}") for number, doc in enumerate(corpus())]
    assert genre_table({"small": survey(plain)}).rows == []
    some = genre_table({"small": survey([FIRST, SECOND.replace(id="d")]), "other": survey(plain)})
    assert [(row.section, row.label) for row in some.rows] == [("small", "fiction"), ("small", "(none)")]


def test_documents_one_by_one() -> None:
    table = document_table({"small": survey(reversed(corpus()))})
    assert [row.label for row in table.rows] == ["GUM_fiction_fox", "GUM_news_pair"]
    second = dict(zip((one.name for one in table.columns), table.rows[1].values, strict=True))
    assert second == {
        "genre": "news",
        "sentences": 2,
        "words": 6,
        "zeros": 1,
        "entities": 3,
        "mentions": 4,
        "mentions_per_1k": 4000 / 6,
        "entities_per_1k": 3000 / 6,
        "entity_length": 4 / 3,
        "singleton_rate": 2 / 4,
    }


def test_spread_finds_the_document_that_is_furthest_out() -> None:
    assert spread([(10, "a"), (11, "b"), (12, "c"), (13, "d"), (30, "e"), (-20, "f")])[-2:] == [2, "f"]
    assert spread([(5, "only")]) == [5.0, 5.0, 5.0, 5.0, 5.0, 0, None]
    words = spread_table({"small": survey(corpus())}).rows[0]
    assert words.values == [6.0, 7.75, 9.5, 11.25, 13.0, 0, None]  # of 6 and 13


def test_a_document_without_words_has_no_density() -> None:
    found = survey([*corpus(), Document(id="empty")])
    row = spread_table({"small": found}).rows[1]
    assert row.keys["measure"] == "mentions_per_1k"
    assert row.values[0] == pytest.approx(6000 / 13)


def test_surveys_add() -> None:
    parts = survey([FIRST], lists=True)
    parts += survey([SECOND], lists=True)
    assert parts == survey(corpus(), lists=True)
    assert Survey() == survey([])


def test_the_page_lists_entities_by_size_and_mentions_by_frequency() -> None:
    page = stats(corpus(), lists=True).render("html")
    assert column(page, "Entities", "entity")[:2] == ["the old fox", "Ann"]
    assert column(page, "Entities", "mentions") == [3, 2, 2, 1, 1, 1]
    assert column(page, "Entities", "genre") == ["fiction", "news", "fiction", "news", "news", "fiction"]
    assert column(page, "Mentions", "occurrences") == [1] * 10
    assert "∅" in column(page, "Mentions", "mention")
    assert column(page, "Documents", "mentions per 1k words") == [461.5, 666.7]


def test_entities_over_documents_are_one_in_the_list() -> None:
    docs = [FIRST.replace(shared_ids=True, topic="1", id=id) for id in ("one", "two")]
    found = stats(docs, lists=True)
    assert found.surveys["documents"].total.sizes == {6: 1, 4: 1, 2: 1}
    page = found.render("html")
    assert column(page, "Entities", "mentions") == [6, 4, 2]
    assert column(page, "Entities", "document") == ["2 documents"] * 3


def test_the_page_loads_nothing_and_text_stays_text() -> None:
    doc = Document.from_text(HOSTILE, id=HOSTILE).replace(genre=HOSTILE)
    entity = replace(FIRST.entities[0], mentions=(doc.mention(range(len(doc.tokens))),))
    page = stats({HOSTILE: [doc.replace(entities=(entity,))]}, lists=True).render("html")
    assert "default-src 'none'" in page
    assert "<script>alert" not in page
    assert column(page, "Documents", "document") == [HOSTILE]
    assert not re.search(r"""(src|href)=["'](?!#)|url\((?!#)|@import""", page.replace("http://www.w3.org", ""))


@given(st.lists(documents(), min_size=1, max_size=3), st.randoms())
@settings(max_examples=10)
def test_the_page_is_the_same_under_other_names_and_in_another_order(docs: list[Document], random: Any) -> None:
    named = [doc.replace(id=f"d{number}") for number, doc in enumerate(docs)]
    changed = [
        doc.replace(
            entities=tuple(replace(entity, id=f"x{number}") for number, entity in enumerate(doc.entities)),
            bridges=(),
            split_antecedents=(),
        )
        for doc in named
    ]
    random.shuffle(changed)
    one, other = ({"c": survey(found, lists=True)} for found in (named, changed))
    shown = [name for name in TABLES if name not in LONG]
    assert report_page(one, all_tables(one), shown, "c") == report_page(other, all_tables(other), shown, "c")


def test_charts_differ_in_more_than_colour_and_are_the_same_each_time() -> None:
    series = {"gold": [10.0, None], "_mine$": [5.0, 1.0]}
    bars = figures.Bars(name="b", title="B", x="x", y="y", labels=["1", "2"], series=series)
    curves = figures.Curves(name="c", title="C", labels=["1", "10"], series={"a": [2, 3]}, right={"b": [1, 1]})
    growth = figures.Growth(name="g", title="G", points=[("2030-01-01", 0), ("2030-01-02", 1500)], goal=3000)
    stacked = figures.StackedBars(name="s", title="S", labels=["Ann"], series={"done": [1], "open": [0]})
    boxes = figures.Boxes(name="o", title="O", series={"猫": [1, 2, 3, 50]})
    for chart in (bars, curves, growth, stacked, boxes):
        assert figures.draw(chart) == figures.draw(chart)
        assert figures.draw(chart, "png").startswith(b"\x89PNG")
    assert b"<pattern" in figures.draw(bars)  # hatched
    assert b"<pattern" in figures.draw(stacked)
    assert b"stroke-dasharray" in figures.draw(curves)
    assert b"stroke-dasharray" in figures.draw(growth)
    assert "_mine$" in figures.draw(bars).decode()
    inline = figures.inline(bars)
    assert re.match('<svg [^>]*class="chart" role="img" aria-label="B"', inline)
    assert figures.INK not in inline
    assert all(id.startswith("b-") for id in re.findall(r'\bid="([^"]*)"', inline))
    with pytest.raises(UnknownNameError):
        figures.draw(bars, "gif")  # type: ignore[arg-type]


def test_charts_of_progress_name_what_they_show_and_escape_it() -> None:
    series = {"done": [3, 1234], "open": [1, 0]}
    bars = figures.StackedBars(name="s", title='a "title"', labels=["<b>Ann", "n" * 30], series=series)
    text = figures.inline(bars)
    assert "<b>" not in text
    assert 'aria-label="a &quot;title&quot;"' in text
    for tip in ("&lt;b&gt;Ann, done: 3", "&lt;b&gt;Ann, open: 1", f"{'n' * 30}, done: 1,234"):
        assert f"<title>{tip}</title>" in text
    assert text.count(">4</text>") == text.count(">1,234</text>") == text.count(f">{'n' * 19}…</text>") == 1
    points = [("2030-01-01", 0), ("2030-01-02", 1500), ("2030-01-03", 1500), ("2030-01-04", 1500)]
    text = figures.inline(figures.Growth(name="g", title="G", points=points, goal=3000))
    tips = ["2030-01-01: 0", "2030-01-02: 1,500", "2030-01-04: 1,500"]
    assert re.findall(r"<title>(.*?)</title>", text) == tips, "where nothing changed there is no point"
    assert ">3,000</text>" in text, "the axis has thousands separators"
    only = figures.Growth(name="g", title="G", points=[("2030-01-01", 0)])
    assert "2030-01-01: 0" in figures.inline(only)


def test_of_many_labels_some_are_shown() -> None:
    points = [(f"day {number}", number) for number in range(300)]
    text = figures.inline(figures.Growth(name="g", title="G", points=points))
    labels = re.findall(r">(day \d+)</text>", text)
    assert (labels[0], labels[-1], len(labels)) == ("day 0", "day 299", figures.TICKS)


def test_charts_have_no_inline_styles_and_follow_dark_mode() -> None:
    chart = figures.Bars(name="b", title="B", labels=["1"], series={"a": [1.0], "b": [2.0]})
    light, dark, inside = figures.draw(chart).decode(), figures.draw(chart, dark=True).decode(), figures.inline(chart)
    for text in (light, dark, inside):
        assert not re.search(r"<style|\sstyle=", text)
    assert figures.INK in light
    assert figures.INK not in dark + inside
    assert dark == light.replace(figures.INK, figures.DARK_INK)
    assert "currentColor" in inside


def test_charts_are_written_to_a_folder(tmp_path: Path) -> None:
    paths = stats(corpus()).save_charts(tmp_path / "new", "png")
    names = ["cluster_sizes", "mention_lengths", "head_upos", "density"]
    assert paths == [str(tmp_path / "new" / f"{name}.png") for name in names]
    assert all(Path(path).stat().st_size for path in paths)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = stats(corpus())
    importing = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return importing(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert "fiction" in found.render("text")
    with pytest.raises(MissingExtraError, match=r"coindex\[plots\]"):
        found.render("html")


def test_frames_have_the_numbers_of_the_tables() -> None:
    found = stats({"a": FIRST, "b": SECOND})
    frame = found.to_frame("entities")
    assert list(frame["corpus"]) == ["a", "b"]
    assert list(frame["total"]) == [3, 3]
    assert list(found.to_frame("documents")["genre"]) == ["fiction", "news"]
    assert list(found.to_frame().columns)[:2] == ["corpus", "documents"]
    with pytest.raises(UnknownNameError, match="entities"):
        found.to_frame("entitis")


def test_a_notebook_shows_the_tables() -> None:
    found = stats(corpus())
    assert isinstance(found, Statistics)
    assert found._repr_html_().count("<table>") == len(TABLES) - len(LONG)
    assert list(all_tables(found.surveys)) == list(TABLES)
    assert "Genres" in str(found)
