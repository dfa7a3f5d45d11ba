"""Find dates in a text: 6 January 2009, Jan. 6, 2009, 2009-01-06, January 6, 2009. English month names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
_ISO = re.compile(r"(1[5-9]\d\d|20\d\d)[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")


class Date(NamedTuple):
    """A day, a month or a year; missing parts are None. A month without a year has at least a day."""

    year: int | None
    month: int | None
    day: int | None

    def __str__(self) -> str:
        parts = ("????" if self.year is None else f"{self.year:04}", self.month, self.day)
        return "-".join(part if isinstance(part, str) else f"{part:02}" for part in parts if part is not None)

    def fits(self, other: Date) -> bool:
        """Return whether both may be the same day."""
        return all(
            first is None or second is None or first == second for first, second in zip(self, other, strict=True)
        )


def find_dates(forms: Sequence[str]) -> list[Date]:
    """Return the dates of a sentence in order."""
    return list(_dates([form.strip(".,()") for form in forms]))


def _dates(words: list[str]) -> Iterator[Date]:
    kept = [word for word in words if word]
    at = 0
    while at < len(kept):
        date, length = _date_at(kept, at)
        if date is not None:
            yield date
        at += length


def _date_at(words: list[str], at: int) -> tuple[Date | None, int]:
    """Return the date that begins at a word, if any, and the number of words to advance."""
    word = words[at]
    if iso := _ISO.match(word):
        return _check_date(int(iso[1]), int(iso[2]), int(iso[3])), 1
    if (month := _month(words, at)) is not None:
        return _after_month(words, at, month)
    day = _day(words, at)
    if day is not None and (named := _month(words, at + 1)) is not None:
        year = _year(words, at + 2)
        return _check_date(year, named, day), 2 if year is None else 3
    return (Date(int(word), None, None) if _YEAR.fullmatch(word) else None), 1


def _after_month(words: list[str], at: int, month: int) -> tuple[Date | None, int]:
    """Parse January 6, 2009; January 6; January 2009."""
    day = _day(words, at + 1)
    year = _year(words, at + (1 if day is None else 2))
    if day is not None:
        return _check_date(year, month, day), 2 if year is None else 3
    return (None, 1) if year is None else (Date(year, month, None), 2)


def _month(words: list[str], at: int) -> int | None:
    """Return the number of a month by its name; *may* and *march* need a capital."""
    word = words[at] if at < len(words) else ""
    is_other = word in ("may", "march", "mar")
    return None if is_other else MONTHS.get(word.lower())


def _day(words: list[str], at: int) -> int | None:
    day = _DAY.fullmatch(words[at]) if at < len(words) else None
    return int(day[1]) if day and 1 <= int(day[1]) <= 31 else None


def _year(words: list[str], at: int) -> int | None:
    return int(words[at]) if at < len(words) and _YEAR.fullmatch(words[at]) else None


def _check_date(year: int | None, month: int, day: int) -> Date | None:
    """Return the date, None for a day that does not exist."""
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    return Date(year, month, day)
