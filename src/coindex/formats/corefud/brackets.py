"""Parse the header and the brackets of `Entity=` into mentions and entities."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from ...document import Bridge, Entity, Kind, Mention, SplitAntecedent, Tokens, mention_order
from ...errors import quote
from ..detection import is_columns_line
from ..registry import Border
from ..source import BOM, HEAD, Source
from ..surface import each_once

GLOBAL = "# global.Entity = "
DEFAULT_FIELDS = ("eid", "etype", "head", "other")


class _Spelling:
    """Percent encoding of the characters that have a meaning in a kind of value, and of no others:
    a %2C in a place where a comma has no meaning is kept as it is."""

    def __init__(self, special: str) -> None:
        codes = "|".join(f"{ord(char):02X}" for char in special)
        self._encoded = re.compile(f"%(25(?=25|{codes})|{codes})")
        self._ambiguous = re.compile(f"%(?=25|{codes})")
        self._table = str.maketrans({char: f"%{ord(char):02X}" for char in special})

    def decode(self, value: str) -> str:
        if "%" not in value:
            return value
        return self._encoded.sub(lambda match: chr(int(match.group(1), 16)), value)

    def encode(self, value: str) -> str:
        return self._ambiguous.sub("%25", value).translate(self._table)


IN_FIELD = _Spelling("|=()-\t\n\r ")
IN_LIST = _Spelling("|=()-\t\n\r ,:<[]")


@dataclass(frozen=True)
class Header:
    """The fields of a bracket in order; `GRP` instead of `eid` means ids that are local to a document."""

    fields: tuple[str, ...] = DEFAULT_FIELDS

    @cached_property
    def id_index(self) -> int:
        return self.fields.index("eid" if "eid" in self.fields else "GRP")

    @cached_property
    def id_first(self) -> bool:
        return self.id_index == 0

    def id_in(self, content: str) -> str:
        return self.value(self.fields[self.id_index], content)

    @property
    def shared_ids(self) -> bool:
        return "eid" in self.fields

    @cached_property
    def type_index(self) -> int:
        """The index of the type, -1 if there is none."""
        return self.fields.index("etype") if "etype" in self.fields else -1

    @cached_property
    def head_index(self) -> int:
        return self.fields.index("head") if "head" in self.fields else -1

    def value(self, name: str, content: str) -> str:
        """Return the value of a field in a bracket, empty if it is missing."""
        values = content.split("-")
        index = self.fields.index(name) if name in self.fields else len(values)
        return values[index] if index < len(values) else ""


@lru_cache(maxsize=64)
def parse_header(value: str) -> Header | None:
    """Return the header for the value of a `# global.Entity` line, None if it names no id."""
    fields = tuple(value.strip().split("-"))
    return Header(fields) if ("eid" in fields) != ("GRP" in fields) else None


def decode_other(value: str) -> dict[str, str]:
    """Parse the field `other`: "a:b,kind:event" -> {"a": "b", "kind": "event"}; a word without a colon is a name."""
    pairs = (item.partition(":") for item in value.split(",") if item)
    return {IN_LIST.decode(name): IN_LIST.decode(content) for name, _, content in pairs}


def encode_other(values: Mapping[str, str]) -> str:
    items = ((IN_LIST.encode(name), IN_LIST.encode(content)) for name, content in values.items())
    return ",".join(f"{name}:{content}" if content else name for name, content in items)


_PART = re.compile(r"(.*)\[([1-9]\d{0,4})/([1-9]\d{0,4})\]$", re.ASCII)
_NUMBERS = {str(number): number for number in range(1000)}

_Read = tuple[int, int, str, int, tuple[int, ...]]
"""A mention whose brackets are closed: start, minus its end, its fields, its line, its positions if it has gaps.

In this order the tuples sort into reading order."""


@dataclass(slots=True)
class _Part:
    """The parts so far of a discontinuous mention."""

    total: int
    number: int
    positions: list[int]
    line: int


@dataclass(slots=True)
class MentionBuilder:
    """Collects the brackets of a document word by word."""

    mentions: dict[str, list[_Read]] = field(default_factory=dict)
    bridges: list[tuple[str, int, int]] = field(default_factory=list)
    splits: list[tuple[str, int, int]] = field(default_factory=list)
    has_gaps: bool = False
    _parts: dict[str, list[_Part]] = field(default_factory=dict)

    def read_sentence(
        self, lines: list[str], positions: Sequence[int | None], line: int, header: Header, source: Source
    ) -> None:
        """Read the brackets of a sentence from its word lines; mentions end with their sentence.

        This is the innermost loop of reading a corpus, so it reads each line once and makes few calls.
        """
        mentions = self.mentions
        id_first = header.id_first
        opened: list[tuple[str, int, str, int]] = []
        for number, text in enumerate(lines):
            if "Entity=" not in text:
                continue
            before, _, rest = text.rpartition("Entity=")
            is_plain = before[-1:] in "\t|" and "\t" not in rest
            value = rest.partition("|")[0] if is_plain else in_misc(text, "Entity=")
            if not value:
                continue
            position = positions[number]
            if position is None:
                continue
            if value.count("(") + value.count(")") == 1:
                pieces = [value]
            else:
                pieces = list(filter(None, value.replace("(", " (").replace(")", ") ").split(" ")))
            for piece in pieces:
                if piece[0] == "(":
                    closed = piece[-1] == ")"
                    content = piece[1:-1] if closed else piece[1:]
                    label = content.partition("-")[0] if id_first else header.id_in(content)
                    if not label:
                        _report_brackets(value, line + number, source)
                    elif not closed:
                        opened.append((label, position, content, line + number))
                    elif label[-1] == "]":
                        self._add_part(label, position, position, content, line + number, source)
                    else:
                        mentions.setdefault(label, []).append((position, -position - 1, content, line + number, ()))
                elif piece[-1] == ")":
                    self._close(piece[:-1], opened, position, line + number, source)
                else:
                    _report_brackets(value, line + number, source)
        self._end_sentence(opened, source)

    def _close(
        self, label: str, opened: list[tuple[str, int, str, int]], position: int, line: int, source: Source
    ) -> None:
        """Close the mention with a label that was opened last."""
        for index in range(len(opened) - 1, -1, -1):
            if opened[index][0] == label:
                _, start, content, at = opened.pop(index)
                if label[-1] == "]":
                    self._add_part(label, start, position, content, at, source)
                else:
                    self.mentions.setdefault(label, []).append((start, -position - 1, content, at, ()))
                return
        source.problem(
            line,
            f"a closing bracket {quote(label + ')')} of a mention that was never opened in this sentence",
            f"{quote('(' + label)} at an earlier word",
            "add the opening bracket or remove this one",
            code="unopened-mention",
            fragment=label + ")",
        )

    def _add_part(self, label: str, start: int, last: int, content: str, line: int, source: Source) -> None:
        part = _PART.match(label)
        if part is None:
            self.mentions.setdefault(label, []).append((start, -last - 1, content, line, ()))
            return
        id, number, total = part[1], int(part[2]), int(part[3])
        waiting = self._parts.setdefault(id, [])
        if number == 1:
            waiting.append(_Part(total, 0, [], line))
        fitting = [w for w in waiting if w.total == total and w.number == number - 1]
        if not fitting:
            source.problem(
                line,
                f"part {number}/{total} of a mention of {quote(id)}",
                f"part {number - 1}/{total} before it in this sentence",
                "number the parts of a discontinuous mention [1/n] … [n/n]",
                code="mention-part-order",
                fragment=id,
            )
            return
        whole = fitting[-1]
        whole.number = number
        whole.positions += range(start, last + 1)
        if number == total:
            waiting.remove(whole)
            self.has_gaps = True
            positions = tuple(sorted(set(whole.positions)))
            read = (positions[0], -positions[-1] - 1, content, line, positions)
            self.mentions.setdefault(id, []).append(read)

    def _end_sentence(self, opened: list[tuple[str, int, str, int]], source: Source) -> None:
        for label, _, _, line in opened:
            source.problem(
                line,
                f"a mention of {quote(label)} that is never closed in its sentence",
                f"{quote(label + ')')} at a later word of the sentence",
                "add the closing bracket or remove the opening one",
                code="unclosed-mention",
                fragment=label,
            )
        if self._parts:
            for id, waiting in self._parts.items():
                for part in waiting:
                    source.problem(
                        part.line,
                        f"only {part.number} of {part.total} parts of a mention of {quote(id)}",
                        "all its parts in one sentence",
                        "add the missing parts or correct the numbers",
                        code="missing-mention-part",
                        fragment=id,
                    )
            self._parts.clear()

    def finish(
        self, tokens: Tokens, header: Header, source: Source
    ) -> tuple[tuple[Entity, ...], tuple[Bridge, ...], tuple[SplitAntecedent, ...]]:
        """Return the entities in the order of their first mention, and the other relations."""
        for reads in self.mentions.values():
            if len(reads) > 1:
                reads.sort()
        grouped = sorted((reads[0][:2], id, reads) for id, reads in self.mentions.items())
        entities = [_entity(id, reads, tokens, header, source) for _, id, reads in grouped]
        if self.has_gaps:  # of two mentions with the same start and end, the one with fewer words comes later
            entities.sort(key=lambda entity: (mention_order(entity.mentions[0]), entity.id))
        return tuple(entities), *self._relations(entities, source)

    def _relations(
        self, entities: list[Entity], source: Source
    ) -> tuple[tuple[Bridge, ...], tuple[SplitAntecedent, ...]]:
        if not self.bridges and not self.splits:
            return (), ()
        anaphors = {position for _, position, _ in self.bridges + self.splits}
        starting = {(e.id, m.start): m for e in entities for m in reversed(e.mentions) if m.positions[0] in anaphors}
        bridges = []
        for value, position, line in self.bridges:
            for antecedent, anaphor, relation in _pairs(value, line, source):
                mention = starting.get((anaphor, position))
                if mention is None:
                    source.count(
                        "bridging relations at a word where no mention of their entity begins",
                        code="unresolved-reference",
                    )
                else:
                    bridges.append(Bridge(mention, anaphor, antecedent, relation or None))
        splits: dict[tuple[str, int], list[str]] = {}
        for value, position, line in self.splits:
            for antecedent, anaphor, _ in _pairs(value, line, source):
                if (anaphor, position) in starting:
                    splits.setdefault((anaphor, position), []).append(antecedent)
                else:
                    source.count(
                        "split antecedents at a word where no mention of their entity begins",
                        code="unresolved-reference",
                    )
        antecedents = (SplitAntecedent(starting[key], key[0], tuple(members)) for key, members in splits.items())
        return tuple(bridges), tuple(antecedents)


def in_misc(line: str, name: str) -> str:
    """Return the value of an attribute in the last column of a line that contains its name; otherwise empty."""
    start = line.rfind(name)
    while start > 0:
        rest = line[start + len(name) :]
        if "\t" in rest:
            break
        if line[start - 1] in "\t|":
            return rest.partition("|")[0]
        start = line.rfind(name, 0, start)  # the match was the end of a longer name
    return ""


def _report_brackets(value: str, line: int, source: Source) -> None:
    source.problem(
        line,
        f"invalid brackets: Entity={quote(value)}",
        "(id-fields to open, id) to close, (id-fields) for one word",
        "fix the brackets",
        code="invalid-brackets",
        fragment=value,
    )


def _pairs(value: str, line: int, source: Source) -> list[tuple[str, str, str]]:
    """Parse "e1<e5:subset,e2<e5" into [("e1", "e5", "subset"), ("e2", "e5", "")]."""
    pairs = []
    for item in value.split(","):
        antecedent, arrow, rest = item.partition("<")
        anaphor, _, relation = rest.partition(":")
        if not (antecedent and arrow and anaphor):
            source.problem(
                line,
                f"the relation {quote(item)}",
                "ANTECEDENT<ANAPHOR or ANTECEDENT<ANAPHOR:RELATION",
                "fix Bridge= or SplitAnte=",
                code="invalid-relation",
                fragment=item,
            )
            continue
        pairs.append((antecedent, anaphor, IN_LIST.decode(relation)))
    return pairs


class Fields(Mapping[str, str]):
    """The attributes of a mention, parsed on first access."""

    __slots__ = ("_content", "_header", "_parsed", "_type")

    def __init__(self, content: str, header: Header, type: str | None) -> None:
        self._content = content
        self._header = header
        self._type = type
        self._parsed: dict[str, str] | None = None

    def _dict(self) -> dict[str, str]:
        if self._parsed is None:
            parsed: dict[str, str] = {}
            for name, value in zip(self._header.fields, self._content.split("-"), strict=False):
                if not value or name in ("eid", "GRP", "head"):
                    continue
                if name == "other":
                    parsed |= decode_other(value)
                else:
                    parsed[name] = IN_FIELD.decode(value)
            if parsed.get("etype") == self._type:
                parsed.pop("etype", None)
            if parsed.get("kind") == "event":
                del parsed["kind"]
            self._parsed = parsed
        return self._parsed

    def __getitem__(self, name: str) -> str:
        return self._dict()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._dict())

    def __len__(self) -> int:
        return len(self._dict())

    def __repr__(self) -> str:
        return repr(self._dict())


def _entity(id: str, reads: list[_Read], tokens: Tokens, header: Header, source: Source) -> Entity:
    at_type, at_head, dashes = header.type_index, header.head_index, len(header.fields) - 1
    type_: str | None = None  # that of the first mention with a type
    kind: Kind = "entity"
    gaps = False
    mentions: list[Mention] = []
    for start, minus_end, content, line, gappy in reads:
        if content.count("-") > dashes:
            _too_many_fields(content, line, header, source)
        if gappy:
            gaps = True
        positions = gappy or tuple(range(start, -minus_end))
        if (
            mentions and positions == mentions[-1].positions
        ):  # without gaps, mentions at the same words follow each other
            source.count("mentions given twice in one entity", code="duplicate-mention")
            continue
        head = None
        if at_head >= 0 or (type_ is None and at_type >= 0):
            values = content.split("-", max(at_head, at_type) + 1)
            if type_ is None and 0 <= at_type < len(values) and values[at_type]:
                type_ = IN_FIELD.decode(values[at_type])
            if 0 <= at_head < len(values) and values[at_head]:
                head = _head(values[at_head], positions, line, source)
        if "event" in content and _is_event(content, header):
            kind = "event"
        mentions.append(Mention(tokens, positions, head, Fields(content, header, type_)))
    return Entity(id, each_once(mentions, source) if gaps else tuple(mentions), type_, kind)


def _is_event(content: str, header: Header) -> bool:
    """Return whether a mention has the kind event, as a field or in the field `other`."""
    return "event" in (header.value("kind", content), decode_other(header.value("other", content)).get("kind"))


def _too_many_fields(content: str, line: int, header: Header, source: Source) -> None:
    source.problem(
        line,
        f"{content.count('-') + 1} fields in {quote(content)}",
        f"at most {len(header.fields)}: {'-'.join(header.fields)}",
        "correct the global.Entity line, or write '-' inside a value as %2D",
        code="invalid-entity-fields",
        fragment=content,
    )


def _head(value: str, positions: tuple[int, ...], line: int, source: Source) -> int | None:
    """Return the position of the head; the field counts the mention's words from 1, and 0 means not given."""
    number = _NUMBERS.get(value)
    if number is None and value.isascii() and value.isdigit() and len(value) < 10:
        number = int(value)
    if number is None or number > len(positions):
        source.problem(
            line,
            f"head {quote(value)} of a mention of {len(positions)} words",
            f"a number from 1 to {len(positions)}",
            "correct the head, or leave it empty and run: coindex heads",
            code="invalid-head",
            fragment=value,
        )
        return None
    return positions[number - 1] if number else None


_NEWDOC = b"# newdoc"
_GLOBAL = b"# global.Entity"


def find_borders(path: Path) -> list[Border]:
    """Return where the documents of a file begin; empty if the file must be read as a whole.

    That is the case if it is compressed, has unusual line ends or columns, or documents without ids.
    """
    if not path.is_file() or not path.stat().st_size:
        return []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[:2] == b"\x1f\x8b" or data[:3] == BOM or b"\r" in data[:HEAD]:
            return []
        if is_columns_line(data[:HEAD].decode("utf-8", errors="replace")):  # the first line applies to all documents
            return []
        return _borders(data)


def _borders(data: mmap.mmap) -> list[Border]:
    """Yield the documents of the data; everything before the second one belongs to the first."""
    comments = sorted([*_lines(data, _NEWDOC), *_lines(data, _GLOBAL)])
    borders: list[Border] = []
    context = ""
    line, counted = 1, 0
    for offset in comments:
        text = data[offset : _end(data, offset)].decode("utf-8", errors="replace")
        value = text.partition("=")[2].strip()
        if text.startswith(_GLOBAL.decode()):
            context = value
            continue
        if not value:
            return []
        start = data.rfind(b"\n\n", 0, offset) + 2 if borders else 0
        line += data[counted:start].count(b"\n")
        counted = start
        borders.append(Border(start, line, value, context))
    return borders


def _lines(data: mmap.mmap, start: bytes) -> Iterator[int]:
    """Yield the offsets of lines with a prefix."""
    if data[: len(start)] == start:
        yield 0
    at = data.find(b"\n" + start)
    while at >= 0:
        yield at + 1
        at = data.find(b"\n" + start, at + 1)


def _end(data: mmap.mmap, offset: int) -> int:
    end = data.find(b"\n", offset)
    return end if end >= 0 else len(data)
