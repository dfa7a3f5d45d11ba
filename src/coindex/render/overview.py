"""Render an overview of a collection: entities by document, events by date, links to all mentions.

It is HTML without a script. Only documents with shared ids count (`Document.shared_ids`), and only entities that
several of them mention. The date of an event is its attribute `date`; otherwise the most frequent date in the sentences
that mention it; otherwise the date of the documents (`# meta::date`, or the first complete date in their first
sentences). A day without a year gets the year of its document. Events without a date are in the order of the documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..document.documents import Document
from ..document.entities import Entity, Mention
from ..document.naming import count, entity_name
from ..text.tokenizer import Date, find_dates
from .escaping import escape
from .layout import Layout

MOST = 300
"""Entities or events shown in a list."""
MOST_PLACES = 100
"""Places shown for an entity or event."""
AROUND = 50
"""Characters of text on each side of a mention."""
FIRST_SENTENCES = 3


@dataclass(slots=True)
class Place:
    """The place of a mention, and the text around it."""

    document: int
    mention: int
    sentence: int
    before: str
    text: str
    after: str


@dataclass(slots=True)
class EntitySummary:
    """An entity or event of the collection."""

    id: str
    name: str
    kind: str
    type: str | None
    colour: str
    places: list[Place] = field(default_factory=list)
    documents: Counter[int] = field(default_factory=Counter)
    mentioned_dates: Counter[Date] = field(default_factory=Counter)
    """Dates in the sentences that mention it."""
    published: list[Date] = field(default_factory=list)
    """Dates of the documents that mention it."""

    @property
    def date(self) -> Date | None:
        """The most likely date of an event."""
        if self.mentioned_dates:
            return max(
                self.mentioned_dates,
                key=lambda date: (self.mentioned_dates[date], sum(part is not None for part in date)),
            )
        return min(self.published, default=None, key=str)


class Overview:
    """Collects entities and events of documents while a page is written."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.topics: set[str] = set()
        self.summaries: dict[str, EntitySummary] = {}

    def add(self, doc: Document, layout: Layout, colours: list[str]) -> None:
        """Add the next document of the page."""
        number = len(self.names)
        self.names.append(doc.id or f"document {number + 1}")
        if not doc.shared_ids:
            return
        if doc.topic is not None:
            self.topics.add(doc.topic)
        published = document_date(doc)
        for index, (mention, entity) in enumerate(layout.mentions):
            summary = self._get_summary(doc.entities[entity], colours[entity])
            summary.places.append(_place(doc, mention, number, index))
            if number not in summary.documents and published is not None:
                summary.published.append(published)
            summary.documents[number] += 1
            if summary.kind == "event":
                summary.mentioned_dates.update(_dates(doc, mention, doc.entities[entity], published))

    def _get_summary(self, entity: Entity, colour: str) -> EntitySummary:
        if entity.id not in self.summaries:
            self.summaries[entity.id] = EntitySummary(entity.id, entity_name(entity), entity.kind, entity.type, colour)
        return self.summaries[entity.id]

    @property
    def shared(self) -> list[EntitySummary]:
        """What several documents mention, the most widespread first."""
        entities = [entity for entity in self.summaries.values() if len(entity.documents) > 1]
        return sorted(entities, key=lambda entity: (-len(entity.documents), -len(entity.places)))

    def html(self) -> Iterator[str]:
        """Return the section as HTML, empty if no two documents share an entity."""
        shared = self.shared
        if not shared:
            return
        events = [entity for entity in shared if entity.kind == "event"]
        others = [entity for entity in shared if entity.kind != "event"]
        facts = [count(len(self.names), "document")]
        facts += [count(len(self.topics), "topic")] if self.topics else []
        facts += [count(len(others), "entity", "entities"), count(len(events), "event")]
        yield '<section class="overview" id="overview" aria-labelledby="overview-title">\n'
        yield '<h2 id="overview-title">The collection</h2>\n'
        yield f'<p class="facts">{" · ".join(facts)} that several documents mention</p>\n'
        if events:
            yield from self._timeline(events[:MOST])
            yield from self._list("Events over documents", events)
        if others:
            yield from self._list("Entities over documents", others)
        yield "</section>\n"

    def _list(self, title: str, entities: list[EntitySummary]) -> Iterator[str]:
        yield f"<h3>{title}</h3>\n"
        yield f'<p class="facts">{_order_of_documents(self.names)}{_rest(entities)}</p>\n<div class="things">\n'
        for entity in entities[:MOST]:
            yield from self._row(entity)
        yield "</div>\n"

    def _row(self, entity: EntitySummary) -> Iterator[str]:
        marks = "".join(self._mark(entity, document) for document in sorted(entity.documents))
        kind = f'<span class="kind">{escape(entity.type)}</span>' if entity.type else ""
        sizes = f"{count(len(entity.documents), 'document')}, {len(entity.places):,}×"
        yield (
            f'<details class="thing" style="--c:{entity.colour}"><summary><span class="chip" dir="auto">'
            f'{escape(entity.id)}</span><span class="name" dir="auto">{escape(entity.name)}</span>{kind}'
            f'<span class="aside">{sizes}</span><span class="over">{marks}</span></summary>\n<ol class="places">\n'
        )
        for place in entity.places[:MOST_PLACES]:
            yield self._link(place)
        if len(entity.places) > MOST_PLACES:
            yield f"<li>… and {len(entity.places) - MOST_PLACES:,} more</li>\n"
        yield "</ol></details>\n"

    def _mark(self, entity: EntitySummary, document: int) -> str:
        first = next(place for place in entity.places if place.document == document)
        at = 100 * (document + 0.5) / len(self.names)
        title = f"{self.names[document]}: {first.text} ({entity.documents[document]:,}×)"
        size = min(3, entity.documents[document])
        return f'<a class="at n{size}" style="--x:{at:.2f}%" title="{escape(title)}" href="{_address(first)}"></a>'

    def _link(self, place: Place) -> str:
        where = f"{self.names[place.document]}, s. {place.sentence}"
        return (
            f'<li><a href="{_address(place)}"><span class="where" dir="auto">{escape(where)}</span> '
            f'<span class="quote" dir="auto">{escape(place.before)}<b>{escape(place.text)}</b>{escape(place.after)}'
            "</span></a></li>\n"
        )

    def _timeline(self, events: list[EntitySummary]) -> Iterator[str]:
        dated = sorted((entity for entity in events if entity.date is not None), key=lambda entity: str(entity.date))
        rest = sorted((entity for entity in events if entity.date is None), key=lambda entity: min(entity.documents))
        yield "<h3>Timeline of events</h3>\n"
        if not dated:
            yield '<p class="facts">No dates are known. Events are in the order of the documents.</p>\n'
        yield '<ol class="timeline">\n'
        shown = ""
        for entity in dated:
            date = str(entity.date)
            yield self._moment(entity, "" if date == shown else date)
            shown = date
        for at, entity in enumerate(rest):
            yield self._moment(entity, "no date" if dated and at == 0 else "")
        yield "</ol>\n"

    def _moment(self, entity: EntitySummary, date: str) -> str:
        first = entity.places[0]
        context = f"{escape(first.before)}<b>{escape(first.text)}</b>{escape(first.after)}"
        return (
            f'<li style="--c:{entity.colour}"><span class="date">{date}</span><a href="{_address(first)}">'
            f'<strong dir="auto">{escape(entity.name)}</strong> <span class="quote" dir="auto">{context}</span></a>'
            f'<span class="aside">{count(len(entity.documents), "document")}</span></li>\n'
        )


def _order_of_documents(names: list[str]) -> str:
    first, last = escape(names[0]), escape(names[-1])
    return f"Each mark is a document, from {first} on the left to {last} on the right."


def _rest(entities: list[EntitySummary]) -> str:
    return f" The first {MOST:,} of {len(entities):,}." if len(entities) > MOST else ""


def _address(place: Place) -> str:
    """Return the link that page.js follows: the document and the mention."""
    return f"#d=d{place.document}&amp;m={place.mention}"


def _place(doc: Document, mention: Mention, number: int, index: int) -> Place:
    text = doc.text
    start, end = mention.start_char, mention.end_char
    at = doc.sentence_index(mention.start)
    from_, to = 0, len(text)
    if 0 <= at < len(doc.sentences):
        from_, to = doc.sentences[at].start_char, max(end, doc.sentences[at].end_char)
    before = text[max(from_, start - AROUND) : start]
    after = text[end : min(to, end + AROUND)]
    before = f"…{before.partition(' ')[2]}" if from_ < start - AROUND else before
    after = f"{after.rpartition(' ')[0]}…" if to > end + AROUND else after
    shown = " ".join(text[start:end].split()) or "∅"
    return Place(number, index, at + 1, before, shown, after)


def document_date(doc: Document) -> Date | None:
    """Return the date of a document: its `date`, otherwise the first complete date in its first sentences."""
    stated = find_dates(doc.meta.get("date", "").replace("T", " ").split())
    if stated:
        return stated[0]
    for sentence in doc.sentences[:FIRST_SENTENCES]:
        for date in find_dates(doc.tokens.forms[sentence.start : sentence.end]):
            if None not in date:
                return date
    return None


def _dates(doc: Document, mention: Mention, entity: Entity, published: Date | None) -> list[Date]:
    """Return the date in the attributes of an event mention, or the dates in its sentence, with years if known."""
    own = mention.attributes.get("date") or entity.attributes.get("date")
    if own and (dates := find_dates(own.split())):
        return dates[:1]
    sentence = doc.sentence_at(mention.start)
    dates = find_dates(doc.tokens.forms[sentence.start : sentence.end])
    year = None if published is None else published.year
    return [date if date.year is not None else date._replace(year=year) for date in dates if date.year or year]
