"""The texts of the suite, one file per capability in `texts/`.

A file starts with a title line (`# Co-arguments`) and a line or two that describe the capability. Each text follows a
line `---`. Expressions to check are marked in the text:

    [Peter]1 thanked [him]2. [He]1 was glad that [it]0 had stopped raining when [the woman]3 [who]~3 ran the shop left.

- The number names an entity of this text: marks with the same number must be linked, marks with different numbers must
  not be linked.
- `0` marks an expression that must not be linked to anything, such as pleonastic *it*.
- `~` before the number makes a mention optional: it may be missing or unlinked, but must not be linked to another
  entity. Annotation schemes differ on these, for example on relative pronouns.

A mark covers a noun phrase up to its head (`[the mayor]1 of Lund`), a name together with the nouns before it
(`[[my]1 brother Stefan]2`), or a whole coordination (`[[Ann]1 and [Bo]2]3`). Line breaks are part of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from coindex.errors import CoindexError, quote

Half = Literal["dev", "held"]
HALVES: tuple[Half, ...] = ("dev", "held")
FOLDER = Path(__file__).parent / "texts"
UNLINKED = 0
_MARKUP = re.compile(r"\[|\](?:(?P<optional>~?)(?P<entity>\d+)(?!\w))?")
_REMEDY = "mark mentions as [Peter]1, optional ones as [who]~1, unlinked ones as [It]0"


@dataclass(frozen=True, slots=True)
class Mark:
    """An expression to check: the characters it covers, and the number of its entity."""

    start: int
    end: int
    entity: int
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A text without its markup; `number` counts the texts of a capability from 1."""

    capability: str
    number: int
    text: str
    marks: tuple[Mark, ...]

    @property
    def id(self) -> str:
        return f"{self.capability}/{self.number}"

    @property
    def half(self) -> Half:
        """Every second text is held out."""
        return "dev" if self.number % 2 else "held"

    def label(self, mark: Mark) -> str:
        """Return the marked words, with `#2` if it is their second occurrence in the text."""
        words = self.text[mark.start : mark.end]
        before = len(re.findall(rf"(?<!\w){re.escape(words)}(?!\w)", self.text[: mark.end]))
        return f"{words}#{before}" if before > 1 else words


@dataclass(frozen=True)
class Capability:
    """What the texts of a file test."""

    name: str
    title: str
    description: str
    texts: tuple[Text, ...]


def read_suite(folder: Path = FOLDER) -> list[Capability]:
    """Return all capabilities, by title."""
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        raise CoindexError(f"{folder}: no files *.txt; expected one file of texts per capability")
    return sorted(map(read_capability, paths), key=lambda capability: capability.title)


def read_capability(path: Path) -> Capability:
    """Return the texts of a file; anything that cannot be checked is an error."""
    head, *blocks = _blocks(path)
    title, _, description = head[1].partition("\n")
    if not title.startswith("# ") or not description.strip():
        raise _problem(path, 1, "no title and description", "start with '# Title' and a line that describes the texts")
    texts = []
    for number, (line, marked) in enumerate(blocks, 1):
        text, marks = parse(marked, path, line)
        texts.append(Text(path.stem, number, text, marks))
    if not texts:
        raise _problem(path, 1, "no texts", "put a line '---' before each text")
    return Capability(path.stem, title[2:], " ".join(description.split()), tuple(texts))


def parse(marked: str, path: Path, line: int) -> tuple[str, tuple[Mark, ...]]:
    """Return a text without its markup, and its marks in order."""
    pieces: list[str] = []
    opened: list[int] = []
    marks: list[Mark] = []
    length = last = 0
    for match in _MARKUP.finditer(marked):
        pieces.append(marked[last : match.start()])
        length += match.start() - last
        last = match.end()
        here = line + marked.count("\n", 0, match.start())
        if match[0] == "[":
            opened.append(length)
        elif match["entity"] is None or not opened:
            raise _problem(path, here, "']' without '[' or without a number", _REMEDY)
        else:
            mark = Mark(opened.pop(), length, int(match["entity"]), bool(match["optional"]))
            words = "".join(pieces)[mark.start :]
            if not words or words != words.strip():
                raise _problem(path, here, f"{quote(words)} is empty or has space at its ends", _REMEDY)
            if any((mark.start, mark.end) == (other.start, other.end) for other in marks):
                raise _problem(path, here, f"{quote(words)} is marked twice", "keep one of the marks")
            marks.append(mark)
    if opened:
        raise _problem(path, line, "'[' without ']'", _REMEDY)
    if not _has_checks(marks):
        raise _problem(path, line, "nothing to check in this text", "mark two mentions, or one as [It]0")
    return "".join(pieces) + marked[last:], tuple(sorted(marks, key=lambda mark: (mark.start, -mark.end)))


def _has_checks(marks: list[Mark]) -> bool:
    required = [mark.entity for mark in marks if not mark.optional]
    return UNLINKED in required or len({mark.entity for mark in marks}) > 1 or len(required) > 1


def _blocks(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the parts between lines `---`, each with the number of its first line that is not empty."""
    lines: list[str] = []
    start = 1
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), "---"], 1):
        if line != "---":
            lines.append(line)
            continue
        empty = next((at for at, text in enumerate(lines) if text.strip()), None)
        if empty is None:
            raise _problem(path, start, "an empty text", "remove one of the lines '---'")
        yield start + empty, "\n".join(lines).strip()
        lines, start = [], number + 1


def _problem(path: Path, line: int, found: str, remedy: str) -> CoindexError:
    return CoindexError(f"{path}:{line}: {found}; {remedy}")
