"""CoNLL-U Plus: a `# global.columns` line names the columns of a file, in any order, more or fewer than ten.

Inside this package every word line has the same order: the ID, the other columns of CoNLL-U, the further columns of
the file, and MISC last. A `Layout` converts lines from the order of a file to this order and back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
GLOBAL_COLUMNS = "# global.columns = "
BAD = "?"
"""In the place of a line with a wrong number of columns: it has too few columns itself."""


def problem_of(names: Sequence[str]) -> str | None:
    """Return what is wrong with these names of columns, None if they can stand in a file."""
    if odd := [name for name in names if not name or any(map(str.isspace, name))]:
        return f"the column name {odd[0]!r}"
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        return f"the column {repeated[0]} {'twice' if names.count(repeated[0]) == 2 else 'several times'}"
    return None if "FORM" in names else "no column FORM"


def further_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are not columns of CoNLL-U, in their order."""
    return tuple(name for name in names if name not in STANDARD)


@dataclass(frozen=True)
class Layout:
    """The columns of a file, in the order of the file."""

    names: tuple[str, ...]
    line: str = field(default="", compare=False)
    """The comment that names them, as it was read."""

    @cached_property
    def comment(self) -> str:
        return self.line or GLOBAL_COLUMNS + " ".join(self.names)

    @cached_property
    def further(self) -> tuple[str, ...]:
        return further_columns(self.names)

    @cached_property
    def _inside(self) -> tuple[str, ...]:
        """The names in the order used inside this package."""
        return (*STANDARD[:-1], *self.further, STANDARD[-1])

    @cached_property
    def _sources(self) -> list[int | None]:
        """For each column inside, its place in the file."""
        places = {name: place for place, name in enumerate(self.names)}
        return [places.get(name) for name in self._inside]

    @cached_property
    def _targets(self) -> list[int]:
        places = {name: place for place, name in enumerate(self._inside)}
        return [places[name] for name in self.names]

    def to_inside(self, lines: Sequence[str]) -> list[str]:
        """Return the lines of a sentence in the order used inside; lines that cannot be converted become `BAD`."""
        number = 0
        converted = []
        for line in lines:
            if not line or self._is_comment(line):
                converted.append(line if number == 0 else BAD)
                continue
            cells = line.split("\t")
            number += 1
            if len(cells) != len(self.names):
                converted.append(BAD)
                continue
            picked = ["_" if place is None else cells[place] for place in self._sources]
            if self._sources[0] is None:
                picked[0] = str(number)
            converted.append("\t".join(picked))
        return converted

    def _is_comment(self, line: str) -> bool:
        """A line that begins with "#"; where the first column is not the ID, a word may begin with it too."""
        if not line.startswith("#"):
            return False
        return len(self.names) == 1 or self.names[0] == "ID" or line.count("\t") != len(self.names) - 1

    def to_file(self, text: str) -> str:
        """Return text whose lines are in the order used inside, in the order of the file."""
        if self._inside == self.names:
            return text
        lines = text.split("\n")
        for at, line in enumerate(lines):
            if line and not line.startswith("#"):
                cells = line.split("\t")
                lines[at] = "\t".join([cells[place] for place in self._targets])
        return "\n".join(lines)

    def missing(self, text: str) -> list[str]:
        """Return the columns of CoNLL-U that a text inside has values in and the file has no place for."""
        absent = [(place, name) for place, name in enumerate(self._inside) if name not in self.names]
        if not absent:
            return []
        needed = set()
        number = 0
        for line in text.split("\n"):
            if not line or line.startswith("#"):
                number = 0
                continue
            number += 1
            cells = line.split("\t")
            needed |= {name for place, name in absent if place and cells[place] != "_"}
            if cells[0] != str(number) or (len(self.names) == 1 and cells[1].startswith("#")):
                needed.add("ID")
        return [name for _, name in absent if name in needed]

    def with_columns(self, names: Iterable[str]) -> Layout:
        """Return a layout that has these columns too: the ID first, others at the end."""
        new = [name for name in dict.fromkeys(names) if name not in self.names]
        if not new:
            return self
        first = ["ID"] if "ID" in new else []
        return Layout((*first, *self.names, *[name for name in new if name != "ID"]))


def with_further(text: str, old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """Return text inside, with `old` further columns, as text with the `new` ones; columns without a value get "_"."""
    if old == new:
        return text
    places = {name: place for place, name in enumerate(old, len(STANDARD) - 1)}
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line and not line.startswith("#"):
            cells = line.split("\t")
            further = [cells[places[name]] if name in places else "_" for name in new]
            lines[at] = "\t".join([*cells[: len(STANDARD) - 1], *further, cells[-1]])
    return "\n".join(lines)
