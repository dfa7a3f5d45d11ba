"""The overview of a collection: its contents, their order, and no overview if documents share no entities."""

import re

from coindex.document import Document, Entity
from coindex.render.html import page
from coindex.render.overview import MOST_PLACES, document_date
from stories import HOSTILE


def doc(id, text, *entities, **fields):
    """Entities as (id, kind, words)."""
    made = Document.from_text(text, id=id)
    forms = made.tokens.forms
    found = []
    for name, kind, *words in entities:
        found.append(Entity(name, tuple(made.mention([forms.index(word)]) for word in words), kind=kind))
    return made.replace(entities=tuple(found), shared_ids=True, **fields)


def overview(*docs, **options):
    text = "".join(page(docs, **options))
    found = re.search(r'<section class="overview".*?</section>', text, re.DOTALL)
    return found[0] if found else ""


def names(text):
    return re.findall(r'<span class="name" dir="auto">([^<]*)</span>', text)


STORM = doc(
    "a",
    "The storm sank a boat on June 3, 2014.",
    ("e1", "event", "storm"),
    ("e2", "event", "sank"),
    ("e3", "entity", "boat"),
)
LATER = doc(
    "b",
    "A storm hit. The boat sank. He left.",
    ("e1", "event", "storm", "hit"),
    ("e2", "event", "sank"),
    ("e9", "entity", "He"),
)
BOAT = doc("c", "A boat.", ("e3", "entity", "boat"))


def test_what_several_documents_mention_the_most_widespread_first():
    text = overview(STORM, LATER, BOAT)
    assert "3 documents · 1 entity · 2 events that several documents mention" in text
    assert names(text) == ["storm", "sank", "boat"]
    assert ">He<" not in text
    assert "2 documents, 3×" in text


def test_every_place_has_a_link():
    text = overview(STORM, LATER, BOAT)
    places = re.findall(r'<li><a href="([^"]*)"><span class="where" dir="auto">([^<]*)</span>', text)
    assert places == [
        ("#d=d0&amp;m=0", "a, s. 1"),
        ("#d=d1&amp;m=0", "b, s. 1"),
        ("#d=d1&amp;m=1", "b, s. 1"),
        ("#d=d0&amp;m=1", "a, s. 1"),
        ("#d=d1&amp;m=2", "b, s. 2"),
        ("#d=d0&amp;m=2", "a, s. 1"),
        ("#d=d2&amp;m=0", "c, s. 1"),
    ]
    assert "The <b>storm</b> sank a boat on June 3, 2014." in text


def moments(text):
    timeline = re.search(r'<ol class="timeline">.*?</ol>', text, re.DOTALL)
    return re.findall(r'<span class="date">([^<]*)</span>.*?<strong dir="auto">([^<]*)</strong>', timeline[0])


def test_events_are_in_order_of_time():
    early = doc("d", "It burned on May 1, 2010.", ("e7", "event", "burned"))
    again = doc("f", "The town burned.", ("e7", "event", "burned"), ("e8", "event", "burned"))
    late = doc("g", "They met.", ("e8", "event", "met"))
    text = overview(STORM, LATER, early, again, late)
    assert moments(text) == [("2010-05-01", "burned"), ("2014-06-03", "storm"), ("", "sank"), ("no date", "burned")]


def test_without_dates_events_are_in_document_order():
    one = doc("x", "It fell. It rose.", ("e1", "event", "fell"), ("e2", "event", "rose"))
    text = overview(one, doc("y", "It rose. It fell.", ("e1", "event", "fell"), ("e2", "event", "rose")))
    assert "No dates are known" in text
    assert moments(text) == [("", "fell"), ("", "rose")]


def test_days_take_the_year_of_their_document():
    told = doc("x", "June 1, 2014. It fell on May 9.", ("e1", "event", "fell"))
    assert moments(overview(told, doc("y", "It fell.", ("e1", "event", "fell")))) == [("2014-05-09", "fell")]


def test_the_date_of_a_document():
    assert str(document_date(doc("x", "No date.").replace(meta={"date": "2011-02-03"}))) == "2011-02-03"
    assert str(document_date(doc("x", "In 1999 it began. On May 5, 2001 it ended."))) == "2001-05-05"
    assert document_date(doc("x", "In 1999.")) is None
    assert document_date(Document()) is None


def test_nothing_to_show():
    assert overview(STORM) == ""
    assert overview(STORM, LATER, BOAT, overview=False) == ""
    assert overview(*(one.replace(shared_ids=False) for one in (STORM, LATER, BOAT))) == ""
    assert overview() == ""


def test_hostile_text_is_escaped():
    hostile = [
        doc(HOSTILE, f"Storm {HOSTILE} storm", (HOSTILE, "event", "Storm"), topic=HOSTILE),
        doc("y", "Storm", (HOSTILE, "event", "Storm")),
    ]
    text = overview(*hostile)
    assert "<img" not in text
    assert "&lt;img" in text


def test_many_places_are_cut():
    text = "storm " * (MOST_PLACES + 5)
    made = Document.from_text(text, id="x")
    many = made.replace(
        entities=(Entity("e1", tuple(made.mention([at]) for at in range(len(made.tokens)))),), shared_ids=True
    )
    shown = overview(many, doc("y", "storm", ("e1", "entity", "storm")))
    assert shown.count('class="where"') == MOST_PLACES
    assert "… and 6 more" in shown
