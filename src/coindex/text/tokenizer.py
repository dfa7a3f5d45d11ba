"""Tokenize raw text in any language; tokens are character spans of the text itself.

One regular expression per language splits the shape of the text (see character_classes.py). All its repetitions are
possessive or bounded, so the time is linear in the length of any text.

What a token is
    English follows the Penn Treebank, UD GUM and LitBank: do|n't, can|not, I|'m, John|'s, dogs|'. Elision
    is split in French, Italian and Catalan (l'|homme), and so are the pronouns that French, Portuguese,
    Catalan and Dutch attach to the verb (dit|-il). Words with a hyphen are not split (well-known, 63-year-old,
    2014-05-01, 2-1); dashes (–, —, --) are tokens. The dot of an abbreviation, an initial or an ordinal
    belongs to it, but is separate in Czech, Slovak and Polish, as in their treebanks. A run of one sign is
    one token (!!!, ...); quotes and brackets are single. A number is split from %, from its currency and
    from common units (5|km). Han characters are a token each, runs of hiragana and of katakana are one;
    Hangul goes by white space. Characters without width inside a word belong to it; at its edges they are
    in no token, like white space. A zero width space ends a token, but not inside a Latin word.
    A run of more than 200 characters without white space is one token.

What a sentence is
    It ends with a stop, then closing quotes and brackets, then white space before what can open a sentence:
    a capital, a digit, a letter of a script without case; not a lower-case word, unless the text has no
    capitals at all. A blank line always ends a sentence, a single line break where the lines are not
    wrapped prose (see structure.py). The stops of Chinese, Japanese, Hindi and others need no white space.

Known limits
    Thai, Lao, Khmer and Burmese write words without spaces: a run is one token unless zero width spaces
    divide it. Words are not looked up, so a Chinese word of two characters is two tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from typing import NamedTuple

from .character_classes import (
    BREAK,
    CASELESS,
    EMOJI,
    FLAG,
    GHOSTS,
    HAN,
    HEBREW,
    HIRAGANA,
    INVISIBLE,
    JOINER,
    KATAKANA,
    LONG,
    MARK,
    SPACES,
    shape_of,
)
from .sentences import Splitter
from .spans import Span
from .structure import Range, blobs, find_lines, find_protected, merge_ranges
from .turns import Speech, find_turns

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


_WORD = f"A-Za-z{CASELESS}{HEBREW}0-9{MARK}{JOINER}"
_NAMES = {  # <WORD> in a pattern stands for the entry of that name
    "LETTER": f"A-Za-z{CASELESS}{HEBREW}",
    "WORD": _WORD,
    "END": f"(?![{_WORD}])",
    "ZERO": MARK + JOINER,
    "EDGE": INVISIBLE,
    "SPACE": SPACES,
    "OPENING": f"(?<![^{SPACES}(])",
    "LINK": rf"-{_WORD}%/_~\#@$&*+=",
    "TRAIL": ".:?!',;",
    "HAN": HAN,
    "HIRAGANA": HIRAGANA,
    "KATAKANA": KATAKANA,
    "LONG": LONG,
    "HEBREW": HEBREW,
    "EMOJI": EMOJI,
    "JOINER": JOINER,
    "FLAG": FLAG,
}

# Tokens that begin inside a word: the word stops before them.
_ENGLISH_TAILS = "'(?i:s|m|d|ll|re|ve)"
_TAILS = {
    None: _ENGLISH_TAILS,
    "en": _ENGLISH_TAILS,
    "de": "'s",
    "nl": "(?<=[A-Za-z])-ie(?!-)",
    "ca": "'(?:ls?|ns?|m|t|s|hi|ho) | (?<=[A-Za-z])-(?:[mts]e|l[aio]|l[oe]s|n[eo]s?|vos|h[io])(?!-)",
    "fr": """(?<=[A-Za-z])-(?: t(?=-(?:ils?|elles?|on)<END>) | (?<!rendez-)vous(?!-)
        | (?:je|tu|ils?|elles?|on|nous|ce|moi|toi|lui|leur|les?|la|y|en)(?!-) )""",
    "pt": "(?<=[A-Za-z])-(?:[mts]e|lhes?|[nv]os|[nl]?[oa]s?)(?!-)",
}
# Tokens that end inside a word, and words with an apostrophe at their edge.
_ENGLISH_HEADS = """
      [A-Za-z]{2,6}?(?=(?i:n't)<END>) | [Nn]'[Tt]<END>
    | [Cc](?i:an)(?=(?i:not)<END>) | [GgWw](?i:on|an)(?=(?i:na)<END>) | [Gg](?i:ot)(?=(?i:ta)<END>)
    | [GgLl](?i:im|em)(?=(?i:me)<END>) | [Yy]'(?=(?i:all)<END>)
    | [DdGgNnSs](?i:oin|othin|omethin)'<END> | 1[0-9]{2}0's<END>
    | '(?: [Tt](?=(?i:is|was|were|will)?<END>) | (?i:em|til|cause|bout|cos|cuz|n'?)<END> | [0-9]0'?s<END> )
"""
_HEADS = {
    None: _ENGLISH_HEADS,
    "en": _ENGLISH_HEADS,
    "fr": "(?i:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'(?=[<WORD>])",
    "it": "[<WORD>]++'(?=[<WORD>]) | (?i:po|mo|be|di|da|fa|sta|va)'<END>",
    "ca": "(?i:[ldmtsn])'(?=[<WORD>])",
    "nl": "'(?i:s-[<WORD>]++|[stnmkr]<END>)",
}

_COLONS = ("fi", "sv")  # EU:n, SVT:s
_RULED = {*_TAILS, *_HEADS, *_COLONS}

# A repeated group is never possessive: until 3.11.4, Python continues at the wrong place after one (gh-106052).
_TOKEN = r"""
( [<EDGE>]*+
  (?: [()"] | ,(?!,) | \.(?![.0-9]) | <HAN> | 。++ | [、，]++  # the common signs
    | <HEADS>
    | [A-Za-z]++(?=[ \n,])  # the common words; what follows is for the others
    | (?:<TAILS>)<END>
    | (?i:(?:https?|ftp)://|www\.)[<LINK>]<REST> | (?:[A-Za-z0-9-]{1,63}+\.){1,5}[a-z]{2,6}/<REST>
    | [A-Za-z0-9][A-Za-z0-9._%+-]{0,63}+@(?:[A-Za-z0-9-]{1,63}+\.){1,6}[A-Za-z]{2,24}
    | [@\#](?=[<LETTER>_])[<WORD>_]++
    | (?:[<LETTER>][<ZERO>]*+\.(?:-(?=[<LETTER>]\.))?){2,}(?:[<LETTER>]<END>)?  # U.S., J.-P., U.S.A
    | [<LETTER>]\.[<LETTER>]<END>  # i.e
    | (?:(?:Ph|Ed|Psy)\.D|[BM]\.(?:Sc|Ed|Eng))\b\.?
    | [<LETTER>]/[<LETTER>]++<END> | [A-Za-z]{2,3}/[A-Za-z]<END>  # s/he, km/h
    | [A-Z]{1,2}\$
    | <OPENING>(?:[:;=]'?-?[()DPp|/\\]++(?![<WORD>/])|<3<END>)
    | [0-9]++(?:(?:[.:]|<COMMA>)(?=[0-9])[0-9]++)*(?=<UNIT>0?<END>)  # 5|km; ² has the shape 0
    | (?:<OPENING>[-+−](?=\.?[0-9]))?(?:(?<![^<SPACE>(+−-])\.(?=[0-9]))?
      [<WORD>]++(?:(?:<INSIDE>)[<WORD>]++)*(?:-(?=[ \n,]))?  # pre- and post-war
    | <HIRAGANA>[<HIRAGANA><LONG><ZERO>]*+ | [<KATAKANA><LONG>][<KATAKANA><LONG><ZERO>]*+
    | <EMOJI>[<ZERO>]*+(?:(?<=<JOINER>)<EMOJI>[<ZERO>]*+)* | <FLAG>{1,2}
    | [!?！？‼⁇⁈⁉‽]++ | ''?
    | (?P<same>[^<SPACE><EDGE>])(?P=same)*+
  ) [<EDGE>]*+
| [<EDGE>]++ )
[<SPACE>]*+
"""
_UNIT = r"(?:[kcm]?m|[km]?g|m?l|lbs?|oz|ft|mph|[kKMG]Hz|[kKMGT]B|[ap]\.?m|[AP]M)"
# The rest of an address: it does not end in a stop, and a bracket belongs to it only with its partner.
_REST = r"(?:[<TRAIL>]*+(?:[<LINK>]++|\([<LINK><TRAIL>]*+\)))*"
# What may be between two parts of a word.
_INSIDE = r"""
    <STOP>[-'](?=[<WORD>]) | (?<=[0-9])(?:[.:/٫٬]|<COMMA>)(?=[0-9]) | (?<=[A-Za-z0-9])\.(?=[a-z])
  | [&·‧](?=[<LETTER>]) | _++(?=[<WORD>]) | (?<=[a-z])\*++(?=[a-z]) | (?<=<HEBREW>)["״](?=<HEBREW>) | <COLON>
"""
_NOTHING = "(?!)"
_WHITE = re.compile(f"[{SPACES}]*+")
_GHOST = re.compile(f"[{GHOSTS}]")
# A zero width space divides words of scripts without spaces; inside a Latin word it means nothing.
_BROKEN_WORD = re.compile(f"(?<=[A-Za-z0-9{MARK}{JOINER}]){BREAK}++(?=[A-Za-z0-9])")


def _pattern(template: str, **names: str) -> str:
    return re.sub("<([A-Z]+)>", lambda match: {**_NAMES, **names}[match[1]], template)


@cache
def _token_pattern(code: str | None) -> re.Pattern[str]:
    """Return the pattern that matches a token of a shape up to the next token; the token is group 1."""
    tails = _pattern(_TAILS.get(code, _NOTHING))
    comma = ",(?=[0-9]{3}(?![0-9]))" if code == "en" else ","  # elsewhere it may be the decimal sign
    inside = _pattern(
        _INSIDE,
        STOP=_pattern("(?!(?:<TAILS>)<END>)", TAILS=tails),
        COMMA=comma,
        COLON=_pattern("(?<=[<LETTER>]):(?=[a-z])") if code in _COLONS else _NOTHING,
    )
    token = _pattern(
        _TOKEN,
        HEADS=_pattern(_HEADS.get(code, _NOTHING)),
        TAILS=tails,
        REST=_pattern(_REST),
        INSIDE=inside,
        COMMA=comma,
        UNIT=_UNIT,
    )
    return re.compile(token, flags=re.VERBOSE)


class Segments(NamedTuple):
    """Sentences, each a list of half-open character spans of tokens; ranges that are not prose; turns of speakers."""

    sentences: list[list[Span]]
    protected: list[Range]
    turns: list[Speech]


def segment(text: str, *, language: str | None = None, markdown: bool = False) -> list[list[Span]]:
    """Return sentences, each a list of half-open character spans of tokens.

    No sentence is empty, no token contains white space or begins or ends with a character without width, and each other
    character is in exactly one token. `language` is an ISO 639-1 code ("de", "pt-BR"): it selects clitics, elision,
    abbreviations and ordinals. Without one, English clitics and English and Russian abbreviations are used, which do
    little harm elsewhere (Dutch "foto's" becomes two tokens); a code that is not known selects none.
    """
    return segment_raw(text, language=language, markdown=markdown).sentences


def segment_raw(text: str, *, language: str | None = None, markdown: bool = False, speakers: bool = False) -> Segments:
    """Return sentences and protected ranges; with `markdown`, also those that only Markdown has.

    With `speakers`, also the turns of speakers in English text; a sentence begins and ends with each of them.
    """
    code = language and language.replace("_", "-").partition("-")[0].lower()
    shape = shape_of(text)
    if BREAK in shape:
        shape = _BROKEN_WORD.sub(lambda match: MARK * len(match[0]), shape)
    protected = find_protected(text, shape, markdown=markdown)
    lines = find_lines(text, shape, protected)
    tokens = _tokens(shape, _token_pattern(code if code in _RULED else ""))
    if _GHOST.search(text):
        tokens = _without_ghosts(text, tokens)
    turns = find_turns(text) if speakers and code in (None, "en") else []
    borders = lines.borders.union(_turn_borders(turns, tokens)) if turns else lines.borders
    sentences = Splitter(text, shape, tokens, code, borders).sentences()
    return Segments(sentences, merge_ranges([*protected, *lines.markers]), turns)


def _turn_borders(turns: list[Speech], tokens: list[Span]) -> Iterator[int]:
    """Return the first tokens of turns and those after them."""
    for turn in turns:
        for border in (turn.start, turn.end):
            at = bisect_left(tokens, (border, border))
            if at < len(tokens):
                yield tokens[at][0]


def _tokens(shape: str, pattern: re.Pattern[str]) -> list[Span]:
    """Return the tokens of a shape; an overlong run without white space is one token."""
    at = _next_token(shape, 0)
    tokens: list[Span] = []
    for start, end in blobs(shape):
        tokens += [match.span(1) for match in pattern.finditer(shape, at, start)]
        tokens.append((start, end))
        at = _next_token(shape, end)
    return [*tokens, *(match.span(1) for match in pattern.finditer(shape, at))]


def _next_token(shape: str, at: int) -> int:
    white_space = _WHITE.match(shape, at)
    assert white_space is not None
    return white_space.end()


def _without_ghosts(text: str, tokens: list[Span]) -> list[Span]:
    """Return tokens without zero-width characters at their ends."""
    trimmed = []
    for start, end in tokens:
        if text[start] in GHOSTS or text[end - 1] in GHOSTS:
            form = text[start:end]
            end = start + len(form.rstrip(GHOSTS))
            start += len(form) - len(form.lstrip(GHOSTS))
        if start < end:
            trimmed.append((start, end))
    return trimmed
