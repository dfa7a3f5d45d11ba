"""Read and check JSON lines: one object per line, each a document; problems are reported with their place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..errors import quote
from .source import Source

Record = dict[str, Any]

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
ONE_A_LINE = "one JSON object per line"


def records(source: Source) -> Iterator[tuple[int, Record]]:
    """Yield the number and the object of each line; blank lines are ignored."""
    empty = True
    for line, text in source.lines():
        if text and not text.isspace():
            empty = False
            record = _record(source, line, text)
            if record is not None:
                yield line, record
    if empty:
        source.problem(1, "no document", ONE_A_LINE, "check how the file was made", code="no-document")


def _record(source: Source, line: int, text: str) -> Record | None:
    try:
        record = json.loads(text)
    except RecursionError:
        source.problem(
            line, "JSON that is nested too deeply", ONE_A_LINE, "check how the file was made", code="json-too-deep"
        )
        return None
    except ValueError as error:  # also a number of thousands of digits
        column = error.colno if isinstance(error, json.JSONDecodeError) else None
        message = (
            f"{error.msg} at column {column}"
            if isinstance(error, json.JSONDecodeError)
            else "a number that is too long"
        )
        source.problem(
            line,
            f"invalid JSON ({message})",
            ONE_A_LINE,
            "fix the line, or write each document on one line with: jq -c .",
            code="invalid-json",
            column=column,
        )
        return None
    if not isinstance(record, dict):
        source.problem(
            line,
            f"JSON that is not an object: {quote(text)}",
            ONE_A_LINE,
            "check how the file was made",
            code="invalid-json-value",
            fragment=text,
        )
        return None
    if _SURROGATE.search(text) and not _is_writable(record):
        source.problem(
            line,
            "half a character (a lone surrogate)",
            "whole characters",
            "fix the escape \\ud…",
            code="lone-surrogate",
        )
        return None
    return record


def _is_writable(record: Record) -> bool:
    try:
        json.dumps(record, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _format_value(value: object) -> str:
    try:
        return quote(json.dumps(value))
    except RecursionError:  # nested as deeply as can be read, which is too deep to print
        return "nested lists"


def document_name(source: Source, line: int, value: object, seen: set[str]) -> str:
    """Return the id of a document, or one from its line; warn about duplicates."""
    name = str(value) if isinstance(value, str | int) and value != "" else f"{source.stem}_{line}"
    if name in seen:
        source.problem(
            line,
            f"duplicate document id {quote(name)}",
            "a unique id for each document",
            "rename one of them",
            severity="warning",
            code="duplicate-document-id",
            fragment=name,
        )
    seen.add(name)
    return name


def word_lists(source: Source, line: int, record: Record, key: str) -> list[list[str]] | None:
    """Return the list of words of each sentence under a key; None after a problem."""
    value = record.get(key)
    if value is None:
        found = f"no {key!r}"
    elif not isinstance(value, list) or not all(isinstance(words, list) for words in value):
        found = f"{key!r} that is not a list of sentences"
    elif odd := [word for words in value for word in words if not isinstance(word, str)]:
        found = f"{_format_value(odd[0])} among the strings of {key!r}"
    else:
        return value
    source.problem(
        line,
        found,
        f'{key!r} such as [["She", "left", "."]]',
        "check that the file is of this format",
        code="invalid-json-value",
        fragment=key,
    )
    return None


def clusters(source: Source, line: int, record: Record, key: str, size: int) -> Iterator[list[tuple[int, ...]]]:
    """Return the clusters under a key: lists of mentions, each of `size` numbers from 0; report and drop others."""
    value = record.get(key, [])
    if not isinstance(value, list) or not all(isinstance(cluster, list) for cluster in value):
        source.problem(
            line,
            f"{key!r} that is not a list of lists",
            "a list of mentions for each entity",
            "fix the line",
            code="invalid-json-value",
            fragment=key,
        )
        return
    for number, cluster in enumerate(value):
        mentions = []
        for mention in cluster:
            if _is_span(mention, size):
                mentions.append(tuple(mention))
                continue
            source.problem(
                line,
                f"the mention {_format_value(mention)} in {key}[{number}]",
                f"{size} whole numbers from 0",
                "fix the mention",
                code="invalid-json-value",
            )
        yield mentions


def _is_span(mention: object, size: int) -> bool:
    return (
        isinstance(mention, list)
        and len(mention) == size
        and all(type(number) is int and number >= 0 for number in mention)
    )
