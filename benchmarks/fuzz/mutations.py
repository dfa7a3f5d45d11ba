"""Ways to break a file: by bytes, by lines, by fields, by what JSON and XML say, by encoding and by compression.

Each is a function of the bytes, a random generator and the bytes of another file; the same generator always
breaks the same file alike.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

Mutation = Callable[[bytes, Random, bytes], bytes]

NUMBERS = (b"0", b"-1", b"1", b"2", b"1.5", b"1e999", b"9" * 30, b"9" * 5000, "²".encode(), "٣".encode(), b"NaN", b"")
VALUES = (
    *(b"", b" ", b"0", b"1", b"-1", b"x", b"e1", b"empty", b"null", b"true", b"../x", b"/etc/passwd", b"a" * 3000),
    *(b"word_1..word_3", b"word_3..word_1", b"..", b",", b";", b"T1", b"(e1", b"e1)", b"(1)", b"-", b"_", b"2-1"),
    *(b"1.1", b"0.1", b"[1/2]", b"[2/1]", b"[0/0]", b"e1<e2", b"Entity=(", b"Entity=", b"|", b"=", b"%", b"%2"),
)
ODD = (
    *(b"\t", b"\n", b"\n\n", b"\r", b"\r\n", b" ", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x1b[0m"),
    *(text.encode() for text in ("\u2028", "\x85", "\u00a0", "İ", "\ufeff", "\u200d", "\ufffe", "\U000e0001")),
    *(b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"&", b"&x;", b"&#0;", b"&#55296;", b'"', b"'", b"\\ud800"),
    *(b"# newdoc", b"# newdoc id = d", b"# global.Entity = GRP", b"# sent_id = s1", b"#begin document (a);"),
    *(b"#end document", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?x?>", b"<!DOCTYPE a>", b"</p>", b"<p>"),
)
GZIP = b"\x1f\x8b"
ENTITY = b'<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
JSON_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 1.5, 10**30, 1e300, float("nan"), float("inf"), "", "x", "0", "\ud800", "a\nb"),
    *([], {}, [[]], [0], ["x"], [None], {"id": 1}, {"": ""}, [[0, 0]], [[1, 0]]),
)
_NUMBER = re.compile(rb"[0-9]+")
_QUOTED = re.compile(rb'(?<=")[^"\n]*(?=")')
_ATTRIBUTE = re.compile(rb"""\s[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*')""")
_TAG = re.compile(rb"<[^<>]*>")
_BRACKET = re.compile(rb"[()\[\]{}<>]")


def mutate(data: bytes, rng: Random, other: bytes) -> bytes:
    """Mutate a file once or several times, a compressed one usually inside."""
    if data.startswith(GZIP) and rng.random() < 0.8:
        try:
            return gzip.compress(mutate(gzip.decompress(data), rng, other), mtime=0)
        except (OSError, EOFError, zlib.error):
            pass
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        data = rng.choice(_fitting(data))(data, rng, other)
    return data


def _fitting(data: bytes) -> list[Mutation]:
    """Return the mutations that fit this content; those of its own structure occur more than once."""
    ways = [*BYTES, *LINES, *ENCODINGS, *FIELDS * 2]
    start = data.lstrip()[:1]
    if start == b"<":
        ways += XML * 4
    elif start in (b"{", b"["):
        ways += JSON * 12
    elif b"\t" in data:
        ways += TABLE * 4
    return ways


def _place(data: bytes, rng: Random, longest: int = 40) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + rng.randint(1, longest))


def _replace(data: bytes, rng: Random, pattern: re.Pattern[bytes], new: Callable[[list[bytes]], bytes]) -> bytes:
    """Replace one match of a pattern by a text computed from all matches."""
    places = list(pattern.finditer(data))
    if not places:
        return data
    start, end = rng.choice(places).span()
    return data[:start] + new([place[0] for place in places]) + data[end:]


# --- bytes


def flip(data: bytes, rng: Random, _: bytes) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def insert(data: bytes, rng: Random, _: bytes) -> bytes:
    at, end = _place(data, rng, 3)
    return data[:at] + rng.choice(ODD) + data[rng.choice((at, end)) :]


def delete(data: bytes, rng: Random, _: bytes) -> bytes:
    start, end = _place(data, rng)
    return data[:start] + data[end:]


def repeat(data: bytes, rng: Random, _: bytes) -> bytes:
    start, end = _place(data, rng, 400)
    return data[:start] + data[start:end] * rng.randint(2, 5) + data[end:]


def truncate(data: bytes, rng: Random, _: bytes) -> bytes:
    return data[: rng.randint(0, len(data))]


def splice(data: bytes, rng: Random, other: bytes) -> bytes:
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


# --- lines


def delete_lines(data: bytes, rng: Random, _: bytes) -> bytes:
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    del lines[at : at + rng.choice((1, 1, 1, 2, 5))]
    return b"\n".join(lines)


def swap_lines(data: bytes, rng: Random, _: bytes) -> bytes:
    lines = data.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def repeat_lines(data: bytes, rng: Random, other: bytes) -> bytes:
    lines = data.split(b"\n")
    line = rng.choice((lines, lines, other.split(b"\n")))
    lines.insert(rng.randint(0, len(lines)), rng.choice(line))
    return b"\n".join(lines)


def cut_line(data: bytes, rng: Random, _: bytes) -> bytes:
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    lines[at] = lines[at][: rng.randint(0, len(lines[at]))]
    return b"\n".join(lines)


# --- fields


def change_number(data: bytes, rng: Random, _: bytes) -> bytes:
    def new(numbers: list[bytes]) -> bytes:
        number = rng.choice(numbers)
        near = b"%d" % (int(number[:9]) + rng.choice((-1, 1)))
        return rng.choice((near, near, number, number, rng.choice(NUMBERS)))

    return _replace(data, rng, _NUMBER, new)


def change_quoted(data: bytes, rng: Random, _: bytes) -> bytes:
    return _replace(data, rng, _QUOTED, lambda values: rng.choice((rng.choice(values), rng.choice(VALUES))))


def drop_bracket(data: bytes, rng: Random, _: bytes) -> bytes:
    return _replace(data, rng, _BRACKET, lambda brackets: rng.choice((b"", b"", rng.choice(brackets))))


# --- tables


def change_cell(data: bytes, rng: Random, _: bytes) -> bytes:
    lines = data.split(b"\n")
    rows = [at for at, line in enumerate(lines) if b"\t" in line]
    if not rows:
        return data
    at, source = rng.choice(rows), rng.choice(rows)
    cells, others = lines[at].split(b"\t"), lines[source].split(b"\t")
    column = rng.randrange(len(cells))
    cells[column] = rng.choice((rng.choice(VALUES), others[column % len(others)], rng.choice(cells)))
    lines[at] = b"\t".join(cells)
    return b"\n".join(lines)


def change_columns(data: bytes, rng: Random, _: bytes) -> bytes:
    """Drop or repeat a column, of one line or of all."""
    lines = data.split(b"\n")
    rows = [at for at, line in enumerate(lines) if b"\t" in line]
    if not rows:
        return data
    column = rng.randrange(len(lines[rows[0]].split(b"\t")))
    dropped = rng.random() < 0.7
    for at in rows if rng.random() < 0.5 else [rng.choice(rows)]:
        cells = lines[at].split(b"\t")
        if column < len(cells):
            cells[column : column + 1] = [] if dropped else [cells[column]] * 2
        lines[at] = b"\t".join(cells)
    return b"\n".join(lines)


def change_separators(data: bytes, rng: Random, _: bytes) -> bytes:
    return data.replace(b"\t", rng.choice((b" ", b"  ", b"\t\t", b",")), rng.choice((1, 5, -1)))


# --- JSON


def change_json(data: bytes, rng: Random, _: bytes) -> bytes:
    """Replace, drop or repeat values somewhere in one of the objects."""
    lines = data.split(b"\n")
    at = rng.choice([at for at, line in enumerate(lines) if line.strip()] or [0])
    try:
        lines[at] = _changed(lines[at], rng, indent=None)
        return b"\n".join(lines)
    except (ValueError, RecursionError):
        pass
    try:
        return _changed(data, rng, indent=1)  # one object on several lines
    except (ValueError, RecursionError):
        return data


def _changed(text: bytes, rng: Random, indent: int | None) -> bytes:
    value = json.loads(text)
    places = _places(value)
    for _ in range(rng.choice((1, 1, 2, 4)) if places else 0):
        _change_value(*rng.choice(places), rng, places)
    return json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=indent).encode(errors="surrogatepass")


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return all containers with their keys, at any depth."""
    found: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        inner = stack.pop()
        keys = list(inner) if isinstance(inner, dict) else range(len(inner)) if isinstance(inner, list) else ()
        for key in keys:
            found.append((inner, key))
            stack.append(inner[key])
    return found


def _change_value(holder: Any, key: Any, rng: Random, places: list[tuple[Any, Any]]) -> None:
    if (isinstance(holder, dict) and key not in holder) or (isinstance(holder, list) and key >= len(holder)):
        return  # gone by a change before
    way = rng.choice(("drop", "repeat", "replace", "replace", "copy", "step", "step", "deep"))
    if way == "drop":
        del holder[key]
    elif way == "repeat" and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif way == "step" and isinstance(holder[key], int):
        holder[key] += rng.choice((-1, 1))
    elif way == "copy":
        other, name = rng.choice(places)
        if name in other if isinstance(other, dict) else name < len(other):
            holder[key] = json.loads(json.dumps(other[name]))
    elif way == "deep":
        depth = rng.choice((5, 50))
        holder[key] = json.loads("[" * depth + "]" * depth)
    else:
        holder[key] = rng.choice(JSON_VALUES)


def nest_json(data: bytes, rng: Random, _: bytes) -> bytes:
    depth = rng.choice((900, 5000, 100_000))
    return _replace(data, rng, _NUMBER, lambda _numbers: b"[" * depth + b"]" * depth)


# --- XML


def drop_attribute(data: bytes, rng: Random, _: bytes) -> bytes:
    return _replace(data, rng, _ATTRIBUTE, lambda _found: b"")


def change_attribute(data: bytes, rng: Random, _: bytes) -> bytes:
    return _replace(data, rng, _ATTRIBUTE, rng.choice)


def drop_tag(data: bytes, rng: Random, _: bytes) -> bytes:
    return _replace(data, rng, _TAG, lambda tags: rng.choice((b"", rng.choice(tags))))


def close_tag(data: bytes, rng: Random, _: bytes) -> bytes:
    """Add an empty element, which keeps the file well-formed."""
    names = re.findall(rb"<([\w.:-]+)", data) or [b"a"]
    at = rng.choice([place.end() for place in _TAG.finditer(data)] or [0])
    return data[:at] + b"<%s/>" % rng.choice(names) + data[at:]


def drop_element(data: bytes, rng: Random, _: bytes) -> bytes:
    """Remove an element with all that is in it."""
    opening = rng.choice(list(re.finditer(rb"<([\w.:-]+)[^<>]*?(/?)>", data)) or [None])
    if opening is None:
        return data
    if opening[2]:
        return data[: opening.start()] + data[opening.end() :]
    closing = b"</%s>" % opening[1]
    end = data.find(closing, opening.end())
    return data if end < 0 else data[: opening.start()] + data[end + len(closing) :]


def nest_xml(data: bytes, rng: Random, _: bytes) -> bytes:
    name = rng.choice(re.findall(rb"<([\w.:-]+)", data) or [b"a"])
    depth = rng.choice((10, 195, 300, 5000))
    at = rng.choice([place.end() for place in _TAG.finditer(data)] or [0])
    return data[:at] + b"<%s>" % name * depth + b"</%s>" % name * depth + data[at:]


def declare_entity(data: bytes, rng: Random, _: bytes) -> bytes:
    start = data.find(b"?>") + 2 if data.startswith(b"<?xml") else 0
    return data[:start] + ENTITY + data[start:].replace(b">", b">&b;", rng.choice((0, 3)))


# --- encodings and compression


def recode(data: bytes, rng: Random, _: bytes) -> bytes:
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "koi8-r", "utf-7", "cp037"))
    return data.decode(errors="replace").encode(encoding, errors="replace")


def add_mark(data: bytes, rng: Random, _: bytes) -> bytes:
    return rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf" * 2)) + data


def change_line_ends(data: bytes, rng: Random, _: bytes) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\n\r")), rng.choice((1, 2, -1, -1)))


def compress(data: bytes, rng: Random, _: bytes) -> bytes:
    """Return a .gz file, whole, truncated or with a wrong byte; its name does not matter."""
    packed = gzip.compress(data, mtime=0)
    return rng.choice((packed, packed, packed[: rng.randint(2, len(packed))], flip(packed, rng, b""), packed * 2))


def declare_encoding(data: bytes, rng: Random, _: bytes) -> bytes:
    name = rng.choice((b"latin-1", b"utf-16", b"x", b"cp1251", b""))
    return data.replace(b'encoding="UTF-8"', b'encoding="%s"' % name)


BYTES: list[Mutation] = [flip, insert, delete, repeat, truncate, splice]
LINES: list[Mutation] = [delete_lines, swap_lines, repeat_lines, cut_line]
FIELDS: list[Mutation] = [change_number, change_quoted, drop_bracket]
TABLE: list[Mutation] = [change_cell, change_cell, change_columns, change_separators]
JSON: list[Mutation] = [change_json, change_json, change_json, nest_json]
XML: list[Mutation] = [drop_attribute, change_attribute, drop_tag, close_tag, drop_element, nest_xml, declare_entity]
ENCODINGS: list[Mutation] = [recode, add_mark, change_line_ends, compress, declare_encoding]
