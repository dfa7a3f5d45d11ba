"""JSON lines of e2e-coref and the systems after it: sentences, clusters of inclusive word spans, speakers.

A line with `text` instead of `sentences` is output of fastcoref: raw text and half-open character spans.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ..document import Document, Span, Token
from ..document.documents import genre_in
from ..text.spans import from_inclusive, to_inclusive
from .records import Record, clusters, document_name, records, word_lists
from .registry import Format
from .sink import Sink
from .source import Source
from .surface import Surface, entities_from_spans, one_speaker, plain_tokens, sentences_of, surface

KEYS = frozenset({"doc_key", "sentences", "text", "clusters", "speakers", "genre", "clusters_strings"})


def read(source: Source) -> Iterator[Document]:
    """Read the documents of a file, one per line."""
    seen: set[str] = set()
    for line, record in records(source):
        name = document_name(source, line, record.get("doc_key"), seen)
        is_raw = "sentences" not in record and isinstance(record.get("text"), str)
        doc = _raw_document(source, line, record) if is_raw else _document(source, line, record)
        if doc is not None:
            yield doc.replace(id=name, genre=_genre(name, record.get("genre")), meta=_meta(source, record))


def _document(source: Source, line: int, record: Record) -> Document | None:
    sentences = word_lists(source, line, record, "sentences")
    if sentences is None:
        return None
    tokens = plain_tokens(sentences)
    spans = {}
    for number, cluster in enumerate(clusters(source, line, record, "clusters", 2)):
        inside = _inside(source, line, (from_inclusive(*ends) for ends in cluster), len(tokens), "words")
        spans[str(number)] = inside
    return Document(
        tokens,
        sentences_of(tokens, map(len, sentences), _speakers(source, line, record, sentences)),
        entities_from_spans(tokens, spans, source),
    )


def _raw_document(source: Source, line: int, record: Record) -> Document:
    text: str = record["text"]
    spans_of = {
        str(number): _inside(source, line, cluster, len(text), "characters")
        for number, cluster in enumerate(clusters(source, line, record, "clusters", 2))
    }
    doc = Document.from_text(
        text, markup="none", cuts=[offset for spans in spans_of.values() for span in spans for offset in span]
    )
    positions: dict[str, list[Span]] = {}
    for id, spans in spans_of.items():
        for start, end in spans:
            covered = doc.tokens.positions_in(start, end)
            if covered:
                positions.setdefault(id, []).append((covered.start, covered.stop))
            else:
                source.count("mentions that consist of white space", code="left-out")
    return doc.replace(entities=entities_from_spans(doc.tokens, positions, source))


def _inside(source: Source, line: int, spans: Iterable[tuple[int, ...]], size: int, unit: str) -> list[Span]:
    """Return the half-open spans that are inside the document."""
    fitting = []
    for start, end in spans:
        if start < end <= size:
            fitting.append((start, end))
            continue
        first, last = to_inclusive(start, end) if unit == "words" else (start, end)
        source.problem(
            line,
            f"the span [{first}, {last}] in a document of {size} {unit}",
            "a first and a last word, counted from 0" if unit == "words" else "a start and an end after it",
            "check that clusters and text belong together",
            code="invalid-span",
        )
    return fitting


def _speakers(source: Source, line: int, record: Record, sentences: list[list[str]]) -> list[str | None]:
    nobody: list[str | None] = [None] * len(sentences)
    if not record.get("speakers"):
        return nobody
    speakers = word_lists(source, line, record, "speakers")
    if speakers is None:
        return nobody
    if list(map(len, speakers)) != list(map(len, sentences)):
        source.problem(
            line,
            "'speakers' that do not fit 'sentences'",
            "a speaker for each word",
            "check that both come from one document, or leave speakers out",
            code="invalid-speakers",
            fragment="speakers",
        )
        return nobody
    return [one_speaker(names, source) for names in speakers]


def _genre(name: str, value: object) -> str | None:
    """Return the given genre, otherwise the one in the document's name."""
    return value if isinstance(value, str) and value else genre_in(name)


def _meta(source: Source, record: Record) -> dict[str, str]:
    meta = {key: value for key, value in record.items() if key not in KEYS and isinstance(value, str)}
    lost = sum(key not in KEYS and not isinstance(value, str) for key, value in record.items())
    if lost:
        source.count("unknown keys, ignored", lost, code="left-out")
    return meta


def write(docs: Iterable[Document], sink: Sink) -> None:
    """Write one line per document; the strings of `meta` become further keys."""
    for number, doc in enumerate(docs, 1):
        seen = surface(doc)
        name = doc.id or f"document_{number}"
        record: Record = {"doc_key": name}
        if doc.genre is not None and doc.genre != _genre(name, None):
            record["genre"] = doc.genre
        record |= {key: value for key, value in doc.meta.items() if key not in KEYS}
        record["sentences"] = [_forms(seen.words[s.start : s.end]) for s in seen.sentences]
        record["speakers"] = [[s.speaker or "-"] * (s.end - s.start) for s in seen.sentences]
        record["clusters"] = [[to_inclusive(*span) for span in spans] for spans in order_clusters(seen)]
        sink.stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def _forms(words: list[Token]) -> list[str]:
    return [word.form for word in words]


def order_clusters(seen: Surface) -> list[list[Span]]:
    """Return the spans of each entity, in the order of ids if these are 0, 1, …, so that ids survive a round trip."""
    by_id = dict(seen.entities)
    numbers = [str(number) for number in range(len(seen.entities))]
    if by_id.keys() == set(numbers):
        return [by_id[number] for number in numbers]
    return [spans for _, spans in seen.entities]


FORMAT = Format(
    name="jsonlines",
    summary="JSON lines of e2e-coref and fastcoref: sentences, clusters of inclusive spans, speakers",
    carries=frozenset(
        {"sentences", "speakers", "self-crossing", "cross-sentence", "entities", "genre"},
    ),
    read=read,
    write=write,
)
