"""Render the text of a document as HTML: words in nested spans, with a colour for each entity.

An entity has the same colour in the terminal, on the page and in a notebook. The colour is computed from the number at
the end of its id ("e12" -> 12), or from a checksum of the id, so that it stays the same when other entities are added
or removed. The hue is the number times the golden angle, so that neighbouring numbers differ
clearly, and the lightness cycles through three values. Colours are defined in OKLCH, where equal steps look equal. The
lightness is chosen so that every colour has a contrast of at least 3 to 1 on white and on near black (`DARK`), as lines
and marks require. Words in the colour of an entity need more contrast, so they are mixed with the colour of the text.

Two entities can still get similar colours. If an entity with several mentions looks like one of the four before it, or
like a larger one among the seven largest, the next number that differs is used. Only in corpora with topics, whose
documents share entities, does the colour depend on the id alone.

Everything that is not the text of the document (labels, the ∅ of zeros, sentence numbers) is drawn by the style sheet
from attributes, so that copying from the page yields exactly the text.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from ..document.documents import Document
from ..document.entities import is_weak
from .escaping import escape
from .layout import Close, Layout, Line, Mark, Open, Piece, Unit

GOLDEN_ANGLE = 180 * (3 - math.sqrt(5))
LIGHTNESSES = (0.595, 0.535, 0.645)
CHROMA = 0.16
WHITE, DARK = "#ffffff", "#16181d"
LARGEST, NEIGHBOURS = 7, 4  # how many entities must differ; with more, most entities would change
ALIKE = 20.0  # degrees of hue
TRIES = 100


def colours(doc: Document) -> list[str]:
    """Return a colour ("#rrggbb") for each entity of a document."""
    numbers = [entity_number(entity.id) for entity in doc.entities]
    if not (doc.shared_ids and doc.topic is not None):
        _separate(numbers, [index for index, entity in enumerate(doc.entities) if not entity.is_singleton], doc)
    return [colour(number) for number in numbers]


def _separate(numbers: list[int], entities: list[int], doc: Document) -> None:
    """Change the numbers of entities with similar colours that are large or near each other."""
    largest = sorted(entities, key=lambda index: -len(doc.entities[index]))[:LARGEST]
    _separate_in_order(numbers, largest, LARGEST)
    _separate_in_order(numbers, entities, NEIGHBOURS, fixed=set(largest))


def _separate_in_order(numbers: list[int], order: list[int], window: int, fixed: Set[int] = frozenset()) -> None:
    recent: deque[float] = deque(maxlen=window)
    for index in order:
        tries = 0 if index in fixed else TRIES
        while tries and any(_hue_distance(_hue(numbers[index]), hue) < ALIKE for hue in recent):
            numbers[index] += 1
            tries -= 1
        recent.append(_hue(numbers[index]))


def entity_number(id: str) -> int:
    """Return the number at the end of an id, or a checksum of the id if there is none."""
    digits = re.search(r"[0-9]{1,9}\Z", id)
    return int(digits[0]) if digits else zlib.crc32(id.encode("utf-8", "replace"))


def _hue(number: int) -> float:
    return number * GOLDEN_ANGLE % 360


def _hue_distance(hue: float, other: float) -> float:
    return abs((hue - other + 180) % 360 - 180)


def colour(number: int) -> str:
    """Return the colour of a number."""
    return _rgb(LIGHTNESSES[number % len(LIGHTNESSES)], round(_hue(number)))


@cache
def _rgb(lightness: float, hue: int) -> str:
    """Convert OKLCH to "#rrggbb", with the chroma reduced until sRGB can represent it."""
    chroma = CHROMA
    while True:
        linear = _linear_rgb(lightness, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue)))
        if chroma <= 0 or all(0 <= part <= 1 for part in linear):
            return "#" + "".join(f"{round(255 * _gamma_encode(part)):02x}" for part in linear)
        chroma -= 0.005


def _linear_rgb(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    """Convert OKLab to linear sRGB (Ottosson 2020, "A perceptual color space for image processing")."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _gamma_encode(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast of two colours, from 1 (none) to 21 (black on white)."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(hex_colour: str) -> float:
    parts = [int(hex_colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


LONGEST_PARAGRAPH = 40  # lines; longer ones are split, so that browsers can skip what is not visible


@dataclass(frozen=True, slots=True)
class Pen:
    """How the marks of a document are drawn; `titles`, one per mention, are for pages without a script."""

    layout: Layout
    colours: Sequence[str]
    labels: Sequence[str]
    titles: Sequence[str] | None = None

    def open_tag(self, mark: Mark, *, is_start: bool, is_end: bool) -> str:
        """Return the tag that opens a mark, or a part of an interrupted mark."""
        style = f'style="--c:{self.colours[mark.entity]};--lane:{mark.lane}"'
        if mark.is_gap:
            return f'<span class="gap" data-m="{mark.mention}" {style}>'
        is_whole_start, is_whole_end = is_start and mark.part == 1, is_end and mark.part == mark.parts
        classes = self._classes(mark)
        classes += ["from"] * (not is_whole_start) + ["to"] * (not is_whole_end)
        part = f' data-p="{mark.part}"' if is_start and mark.part > 1 else ""
        label = f' data-l="{escape(self.labels[mark.entity])}"' if is_whole_end else ""
        title = f' title="{escape(self.titles[mark.mention])}"' if self.titles else ""
        return f'<span class="{" ".join(classes)}" data-m="{mark.mention}"{part}{label} {style}{title}>'

    def _classes(self, mark: Mark) -> list[str]:
        entity = self.layout.doc.entities[mark.entity]
        classes = ["m"] if self.titles is None else ["m", f"e{mark.entity}"]
        classes += ["one"] * entity.is_singleton + ["event"] * (entity.kind == "event")
        return classes + ["weak"] * is_weak(self.layout.mentions[mark.mention][0])


def paragraphs(lines: Iterable[Line], pen: Pen) -> Iterator[str]:
    """Yield the paragraphs of a document as HTML elements."""
    for _, group in groupby(_number_paragraphs(lines), key=lambda pair: pair[0]):
        yield '<div class="par">\n'
        for _, line in group:
            if line.turn:
                yield f'<div class="who" dir="auto">{escape(line.turn)}</div>\n'
            yield _line(line, pen)
        yield "</div>\n"


def _number_paragraphs(lines: Iterable[Line]) -> Iterator[tuple[int, Line]]:
    """Yield each line with the number of its paragraph."""
    paragraph = size = 0
    for line in lines:
        if line.is_paragraph or size == LONGEST_PARAGRAPH:
            paragraph += 1
            size = 0
        size += 1
        yield paragraph, line


def _line(line: Line, pen: Pen) -> str:
    interrupted = _find_interrupted(line.pieces)
    inside = "".join(_piece(piece, pen, is_end=at not in interrupted) for at, piece in enumerate(line.pieces))
    number = "" if line.number is None else f' data-n="{line.number + 1}"'
    depth = f' style="--depth:{line.depth}"' if line.depth else ""
    return f'<div class="line" dir="auto"{number}{depth}>{inside}</div>\n'


def _find_interrupted(pieces: Sequence[Piece]) -> set[int]:
    """Return the indexes of pieces that open a mark which is interrupted where it is closed."""
    stack: list[int] = []
    interrupted = set()
    for at, piece in enumerate(pieces):
        if isinstance(piece, Open):
            stack.append(at)
        elif isinstance(piece, Close):
            opened = stack.pop()
            if not piece.is_end:
                interrupted.add(opened)
    return interrupted


def _piece(piece: Piece, pen: Pen, *, is_end: bool) -> str:
    if isinstance(piece, str):
        return escape(piece)
    if isinstance(piece, Open):
        return pen.open_tag(piece.mark, is_start=piece.is_start, is_end=is_end)
    if isinstance(piece, Close):
        return "</span>"
    return _unit(piece, is_head=piece.position in pen.layout.heads)


def _unit(unit: Unit, *, is_head: bool) -> str:
    if unit.is_zero:
        hint = f' data-hint="{escape(unit.hint)}"' if unit.hint else ""
        return f'<span class="zero"{hint}></span>'
    text = escape(unit.text)
    return f'<span class="head">{text}</span>' if is_head else text
