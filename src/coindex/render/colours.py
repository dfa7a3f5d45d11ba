"""One steady colour an entity, the same in the terminal, on the page and in a notebook, light or dark.

An entity's number is the number at the end of its id ("e12" -> 12), or a checksum of the id where it ends
in none, so that the colour stays when other entities come and go. The number times the golden angle is the
hue, which keeps neighbouring numbers far apart; the lightness goes round in three steps. All of it is in
OKLCH, where equal steps look equal, and the lightness is such that every colour has a contrast of at least
3 to 1 on white and on near black (`DARK`): what lines and marks need. Words in an entity's colour need
more, and are mixed with the colour of the text.

Two entities may still come out alike. One that is like a chain (an entity of several mentions) among the
four chains before it, or like a larger one among the seven largest, takes the next number that is not.
Only in corpora with topics, whose documents share entities, does the colour depend on nothing but the id.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import deque
from collections.abc import Set
from functools import cache

from ..document.documents import Document

GOLDEN_ANGLE = 180 * (3 - math.sqrt(5))
LIGHTNESSES = (0.595, 0.535, 0.645)
CHROMA = 0.16
WHITE, DARK = "#ffffff", "#16181d"
LARGEST, NEIGHBOURS = 7, 4  # how many chains must differ; more would have most entities moved
ALIKE = 20.0  # degrees of hue
TRIES = 100


def colours(doc: Document) -> list[str]:
    """A colour ("#rrggbb") for each of the document's entities."""
    numbers = [entity_number(entity.id) for entity in doc.entities]
    if not (doc.shared_ids and doc.topic is not None):
        _part(numbers, [index for index, entity in enumerate(doc.entities) if not entity.is_singleton], doc)
    return [colour(number) for number in numbers]


def _part(numbers: list[int], chains: list[int], doc: Document) -> None:
    """Move the numbers of chains that are alike and near each other, or large."""
    largest = sorted(chains, key=lambda index: -len(doc.entities[index]))[:LARGEST]
    _part_in_order(numbers, largest, LARGEST)
    _part_in_order(numbers, chains, NEIGHBOURS, fixed=set(largest))


def _part_in_order(numbers: list[int], order: list[int], apart: int, fixed: Set[int] = frozenset()) -> None:
    recent: deque[float] = deque(maxlen=apart)
    for index in order:
        tries = 0 if index in fixed else TRIES
        while tries and any(_apart(_hue(numbers[index]), hue) < ALIKE for hue in recent):
            numbers[index] += 1
            tries -= 1
        recent.append(_hue(numbers[index]))


def entity_number(id: str) -> int:
    """The number that an id ends in, else one made of its letters."""
    digits = re.search(r"[0-9]{1,9}\Z", id)
    return int(digits[0]) if digits else zlib.crc32(id.encode("utf-8", "replace"))


def _hue(number: int) -> float:
    return number * GOLDEN_ANGLE % 360


def _apart(hue: float, other: float) -> float:
    return abs((hue - other + 180) % 360 - 180)


def colour(number: int) -> str:
    """The colour of a number."""
    return _rgb(LIGHTNESSES[number % len(LIGHTNESSES)], round(_hue(number)))


@cache
def _rgb(lightness: float, hue: int) -> str:
    """OKLCH as "#rrggbb"; the chroma is lowered until a screen can show it."""
    chroma = CHROMA
    while True:
        linear = _linear_rgb(lightness, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue)))
        if chroma <= 0 or all(0 <= part <= 1 for part in linear):
            return "#" + "".join(f"{round(255 * _companded(part)):02x}" for part in linear)
        chroma -= 0.005


def _linear_rgb(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    """OKLab to linear sRGB (Ottosson 2020, "A perceptual color space for image processing")."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _companded(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def contrast(one: str, other: str) -> float:
    """The WCAG contrast of two colours, from 1 (none) to 21 (black on white)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(hex_colour: str) -> float:
    parts = [int(hex_colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
