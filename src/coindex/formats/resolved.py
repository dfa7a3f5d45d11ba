"""Resolved text: the text with names in place of pronouns and other anaphors. Write only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypedDict, Unpack

from ..document import Document
from ..document.documents import CONFIDENCE, RESOLVED_OPTIONS
from ..errors import CoindexError, quote
from ..render.resolved_text import ResolvedText, parse_keep, resolve_text
from .registry import Format, Option
from .sink import Sink
from .text import write_texts

OPTIONS = (
    Option("keep", (), "text to leave unchanged: START-END in characters, or an exact string; separate several with ;"),
    Option(
        "confidence",
        (),
        f"least probability of the links between a name and what it replaces, from 0 (replace all) to 1; {CONFIDENCE} "
        "if it is not given",
    ),
    Option("persons", RESOLVED_OPTIONS["persons"], "all: I, you and we are replaced too"),
    Option("descriptions", RESOLVED_OPTIONS["descriptions"], "whether 'the girl' becomes a name as well"),
    Option("zeros", RESOLVED_OPTIONS["zeros"], "inserted: names are inserted for dropped subjects"),
    Option("quotations", RESOLVED_OPTIONS["quotations"], "whether pronouns in quotations stay"),
)


class Options(TypedDict, total=False):
    """The options of the writers, as text; the first of `RESOLVED_OPTIONS` is the default."""

    keep: str
    confidence: str
    persons: str
    descriptions: str
    zeros: str
    quotations: str


def resolve_texts(docs: Iterable[Document], options: Options) -> Iterator[tuple[Document, ResolvedText]]:
    """Yield the documents with their resolved texts."""
    kept = parse_keep(options.get("keep", ""))
    confidence = _parse_confidence(options.get("confidence", ""))
    for doc in docs:
        yield (
            doc,
            resolve_text(
                doc,
                keep=kept,
                confidence=confidence,
                persons="all" if options.get("persons") == "all" else "third",
                nominals=options.get("descriptions") != "kept",
                zeros=options.get("zeros") == "inserted",
                quotations=options.get("quotations") == "replaced",
            ),
        )


def _parse_confidence(text: str) -> float:
    try:
        return float(text) if text else CONFIDENCE
    except ValueError as error:
        raise CoindexError(
            f"confidence: {quote(text)} is not a number; expected a probability from 0 to 1", code="invalid-option"
        ) from error


def write(docs: Iterable[Document], sink: Sink, **options: Unpack[Options]) -> None:
    """Write the resolved texts, separated by a blank line."""
    write_texts((resolved.text for _, resolved in resolve_texts(docs, options)), sink)


FORMAT = Format(
    name="resolved",
    summary="the text with pronouns and other anaphors replaced by the names of their entities",
    carries=frozenset({"spaces"}),
    write=write,
    write_options=OPTIONS,
)
