"""The column of a problem: readers know the line, and say what they found there; here it is looked for in the line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from xml.parsers import expat

from ..errors import Problem

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


def column_of(problem: Problem, data: bytes) -> int | None:
    """Where in its line a problem is, counted in characters from 1; None where nobody can tell.

    `data` is the whole file, unpacked.
    """
    lines = data.split(b"\n")
    if problem.line is None or not 0 < problem.line <= len(lines):
        return None
    raw = lines[problem.line - 1]
    if "not UTF-8" in problem.found:
        return _bad_byte(raw)
    if "XML" in problem.found:
        return _bad_xml(data, problem.line)
    line = raw.decode("utf-8", errors="replace")
    return next((line.index(text) + 1 for text in _quoted(problem.found) if text in line), None)


def _bad_byte(raw: bytes) -> int | None:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(raw[: error.start].decode("utf-8")) + 1
    return None


def _bad_xml(data: bytes, line: int) -> int | None:
    try:
        expat.ParserCreate().Parse(data, True)
    except expat.ExpatError as error:
        return error.offset + 1 if error.lineno == line else None
    except (ValueError, LookupError):
        pass
    return None


def _quoted(text: str) -> Iterator[str]:
    """What a message quotes; a long quotation ends in …"""
    for match in _QUOTED.finditer(text):
        try:
            quoted = str(ast.literal_eval(match[0])).removesuffix("…")
        except (SyntaxError, ValueError):
            continue
        if quoted:
            yield quoted
