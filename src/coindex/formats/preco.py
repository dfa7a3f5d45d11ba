"""PreCo's JSON lines: sentences, and clusters of mentions, each a sentence and a half-open span in it."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from ..document import Document, Span
from .jsonlines import order_clusters
from .records import Record, clusters, document_name, records, word_lists
from .registry import Format
from .sink import Sink
from .source import Source
from .surface import Stretch, entities_from_spans, plain_tokens, surface

KEYS = frozenset({"id", "sentences", "mention_clusters"})


def read(source: Source) -> Iterator[Document]:
    """Read the documents of a file, one per line. All tokens are kept, also the spaces that separate paragraphs."""
    seen: set[str] = set()
    for line, record in records(source):
        name = document_name(source, line, record.get("id"), seen)
        doc = _document(source, line, record)
        if doc is not None:
            yield doc.replace(id=name)


def _document(source: Source, line: int, record: Record) -> Document | None:
    sentences = word_lists(source, line, record, "sentences")
    if sentences is None:
        return None
    if lost := len(record.keys() - KEYS):
        source.count("unknown keys, ignored", lost, code="left-out")
    tokens = plain_tokens(sentences)
    starts = list(accumulate(map(len, sentences), initial=0))
    spans: dict[str, list[Span]] = {}
    for number, cluster in enumerate(clusters(source, line, record, "mention_clusters", 3)):
        spans[str(number)] = []
        for sentence, begin, end in cluster:
            if sentence < len(sentences) and begin < end <= len(sentences[sentence]):
                spans[str(number)].append((starts[sentence] + begin, starts[sentence] + end))
                continue
            source.problem(
                line,
                f"the mention [{sentence}, {begin}, {end}] outside the text",
                "a sentence, counted from 0, a word in it and one past the last word",
                "check that mention_clusters and sentences belong together",
                code="invalid-span",
            )
    entities = entities_from_spans(tokens, spans, source)
    return Document.from_sentences(tokens, map(len, sentences), entities=entities)


def write(docs: Iterable[Document], sink: Sink) -> None:
    """Write one line per document."""
    for number, doc in enumerate(docs, 1):
        seen = surface(doc, within_sentences=True)
        record = {
            "id": doc.id or f"document_{number}",
            "sentences": [[word.form for word in seen.words[s.start : s.end]] for s in seen.sentences],
            "mention_clusters": [[_local(span, seen.sentences) for span in spans] for spans in order_clusters(seen)],
        }
        sink.stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def _local(span: Span, sentences: list[Stretch]) -> tuple[int, int, int]:
    start, end = span
    index = bisect_right(sentences, start, key=lambda sentence: sentence.start) - 1
    return index, start - sentences[index].start, end - sentences[index].start


FORMAT = Format(
    name="preco",
    summary="PreCo's JSON lines: sentences, clusters of mentions with spans inside a sentence, singletons",
    carries=frozenset({"sentences", "self-crossing", "entities"}),
    read=read,
    write=write,
)
