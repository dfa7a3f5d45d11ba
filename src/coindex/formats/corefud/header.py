"""The `# global.Entity` line: which fields stand in a bracket, and how their values are spelt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

GLOBAL = "# global.Entity = "
DEFAULT_FIELDS = ("eid", "etype", "head", "other")


class _Spelling:
    """Percent signs for the characters that mean something where a value stands, and for no others:
    so what others wrote as %2C in a place where a comma is harmless stays as it is."""

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
    """The fields of a bracket in their order; `GRP` instead of `eid` means ids local to a document."""

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
        """Where the type stands, -1 if nowhere; the head likewise."""
        return self.fields.index("etype") if "etype" in self.fields else -1

    @cached_property
    def head_index(self) -> int:
        return self.fields.index("head") if "head" in self.fields else -1

    def value(self, name: str, content: str) -> str:
        """The value of a field in a bracket, empty if it is not there."""
        values = content.split("-")
        index = self.fields.index(name) if name in self.fields else len(values)
        return values[index] if index < len(values) else ""


@lru_cache(maxsize=64)
def parse_header(value: str) -> Header | None:
    """The header of a `# global.Entity` line's value, None if it names no id."""
    fields = tuple(value.strip().split("-"))
    return Header(fields) if ("eid" in fields) != ("GRP" in fields) else None


def decode_other(value: str) -> dict[str, str]:
    """The field `other`: "gstype:spec,kind:event" -> {"gstype": "spec", "kind": "event"}; a bare word is a name."""
    pairs = (item.partition(":") for item in value.split(",") if item)
    return {IN_LIST.decode(name): IN_LIST.decode(content) for name, _, content in pairs}


def encode_other(values: Mapping[str, str]) -> str:
    items = ((IN_LIST.encode(name), IN_LIST.encode(content)) for name, content in values.items())
    return ",".join(f"{name}:{content}" if content else name for name, content in items)
