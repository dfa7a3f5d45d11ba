"""Write CoNLL-2012: the OntoNotes layout, separated by tabs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from ...document import Document, Span, Token
from ..losses import warn_losses
from ..sink import Sink
from ..surface import Stretch, Surface, surface
from .reader import is_first_part

_NUMBER = re.compile(r"0|[1-9][0-9]*")
_SPACE = re.compile(r"\s")
_LOSSES = {"characters": "words that contain white space, written with _"}
_LINE_BREAK = re.compile(r"[\t\r\n]")


def write(docs: Iterable[Document], sink: Sink) -> None:
    """Write all documents to one file. White space inside a word becomes "_", because readers split columns at it."""
    changed = 0
    for number, doc in enumerate(docs, 1):
        seen = surface(doc)
        changed += sum(_SPACE.search(word.form) is not None for word in seen.words)
        sink.stream.write(_text(seen, *_name_and_part(doc, number)))
    warn_losses("conll2012", Counter({"characters": changed}), _LOSSES)


def _name_and_part(doc: Document, number: int) -> tuple[str, str]:
    """Split the id into name and part, the reverse of what the reader does."""
    name = doc.id or f"document_{number}"
    part = doc.meta.get("part", "")
    if not part or _SPACE.search(part):
        return name, "000"
    if is_first_part(part):
        return name, part
    base = name.removesuffix(f"_{part}")
    return (base, part) if base not in ("", name) else (name, "000")


def _text(seen: Surface, name: str, part: str) -> str:
    lines = [f"#begin document ({_LINE_BREAK.sub('_', name)}); part {part}"]
    first = _cell(name)
    if first.startswith("#"):  # otherwise its rows would be comments
        first = "_" + first[1:]
    begin = f"{first}\t{part.lstrip('0') or '0'}"
    cells = _brackets(seen.entities)
    for sentence in seen.sentences:
        if sentence.start < sentence.end:
            lines += _rows(seen.words, sentence, begin, cells)
            lines.append("")
    lines.append("#end document\n")
    return "\n".join(lines)


def _rows(words: list[Token], sentence: Stretch, begin: str, cells: dict[int, str]) -> list[str]:
    tokens = words[sentence.start : sentence.end]
    misc = [token.misc_values for token in tokens]
    speaker = _value_or_dash(sentence.speaker or "-")
    no_parse = "*" if any(_value(values, "Parse", "") for values in misc) else "-"
    arguments = [values["Args"].split(",") if "Args" in values else [] for values in misc]
    predicates = max(map(len, arguments))
    rows = []
    for number, (token, values) in enumerate(zip(tokens, misc, strict=True)):
        columns = [
            begin,
            str(number),
            _cell(token.form),
            _value_or_dash(token.xpos),
            _value(values, "Parse", no_parse),
            _value_or_dash(token.lemma),
            _value(values, "Frameset", "-"),
            _value(values, "Sense", "-"),
            speaker,
            _value(values, "NE", "*"),
            *(_cell(cell).replace("%7C", "|").replace("%2C", ",") for cell in arguments[number]),
            *["*"] * (predicates - len(arguments[number])),
            cells.get(sentence.start + number, "-"),
        ]
        rows.append("\t".join(columns))
    return rows


def _cell(text: str) -> str:
    return _SPACE.sub("_", text) or "_"


def _value_or_dash(column: str) -> str:
    return "-" if (cell := _cell(column)) == "_" else cell


def _value(values: dict[str, str], name: str, default: str) -> str:
    cell = _cell(values.get(name, ""))
    return default if cell == "_" else cell.replace("%7C", "|")


def _brackets(entities: list[tuple[str, list[Span]]]) -> dict[int, str]:
    """Return the bracket cell of each position.

    Of several brackets that open, the longest mention is first; of several that close, the last one opened. Of mentions
    at the same words, the one with the lower number opens first. Closing comes before opening, so that the right
    mention is closed if one ends at the first word of another.
    """
    names = _numbers([id for id, _ in entities])
    opening: defaultdict[int, list[tuple[int, int, str]]] = defaultdict(list)
    closing: defaultdict[int, list[tuple[int, int, str]]] = defaultdict(list)
    single: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for name, (_, spans) in zip(names, entities, strict=True):
        for start, end in spans:  # sorts numbers of any length by value
            if end - start == 1:
                single[start].append((len(name), name))
            else:
                opening[start].append((-end, len(name), name))
                closing[end - 1].append((start, len(name), name))
    cells = {}
    for position in {*opening, *closing, *single}:
        closed = [f"{name})" for _, _, name in sorted(closing[position], reverse=True)]
        closed += [f"({name}" for _, _, name in sorted(opening[position])]
        closed += [f"({name})" for _, name in sorted(single[position])]
        cells[position] = "|".join(closed)
    return cells


def _numbers(ids: list[str]) -> list[str]:
    """Return entity numbers, which scorers need: the ids if all are different numbers, otherwise 0, 1, … in order."""
    if all(_NUMBER.fullmatch(id) for id in ids) and len(set(ids)) == len(ids):
        return ids
    return [str(number) for number in range(len(ids))]
