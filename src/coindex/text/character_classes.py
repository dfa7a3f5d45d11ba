"""Shapes: strings as long as a text, in which all characters of a class are the same character.

"Ž" is "A", "ж" is "a", "٣" is "0", every combining mark is U+0301; ASCII, and punctuation without a kind,
stays as it is. Rules for any language can use this small alphabet, and offsets are those of the text.
"""

from __future__ import annotations

import unicodedata

# Each of these represents all characters of its class, and belongs to it.
MARK, JOINER, BREAK = "\u0301", "\u200d", "\u200b"
CASELESS, HEBREW, HAN, HIRAGANA, KATAKANA, LONG = "ªש一あアー"
EMOJI, FLAG, CONTROL = "☺", "\U0001f1e6", "\x00"
SPACES = " \n\r\f"
INVISIBLE = MARK + JOINER + BREAK
_GHOST_BLOCKS = (
    "\xad\xad",
    "\u061c\u061c",
    "\u180e\u180e",
    "\u200b\u200f",
    "\u202a\u202e",
    "\u2060\u2064",
    "\u2066\u2069",
)
GHOSTS = "\ufeff" + "".join(chr(code) for block in _GHOST_BLOCKS for code in range(ord(block[0]), ord(block[1]) + 1))
"""Characters without width: soft hyphens, joiners, direction marks, byte order marks. No token ends with one."""

_FIXED = {
    **dict.fromkeys("\n\v\x85\u2028", "\n"),
    "\r": "\r",
    "\f": " ",
    "\u2029": "\f",  # in a shape the form feed separates paragraphs; in a text it may be anywhere
    **dict.fromkeys("[{", "("),
    **dict.fromkeys("]}", ")"),
    **dict.fromkeys("’＇", "'"),
    **dict.fromkeys("„‚＂", '"'),
    **dict.fromkeys("‐‑", "-"),
    **dict.fromkeys("\u200b་", BREAK),  # zero width space; the Tibetan tsheg, which ends a syllable
    **dict.fromkeys("՛՜՞", MARK),  # Armenian writes these inside the word, over its vowel
    **dict.fromkeys("々〆〇", HAN),
    **dict.fromkeys("ーｰ", LONG),
    JOINER: JOINER,
}
_CATEGORIES = {
    **dict.fromkeys(("Lu", "Lt", "Nl"), "A"),
    "Ll": "a",
    **dict.fromkeys(("Nd", "No"), "0"),
    **dict.fromkeys(("Mn", "Mc", "Me", "Cf"), MARK),
    **dict.fromkeys(("Cc", "Cs"), CONTROL),
    **dict.fromkeys(("Lo", "Lm", "Co", "Cn"), CASELESS),
    **dict.fromkeys(("Pi", "Pf"), '"'),
    "Ps": "(",
    "Pe": ")",
}
_SCRIPTS = {"CJK": HAN, "HIRAGANA": HIRAGANA, "KATAKANA": KATAKANA, "HEBREW": HEBREW}
_BLOCKS = (  # first and last character, category or None, shape
    ("\x21", "\x7e", None, None),
    ("\u10d0", "\u10ff", None, CASELESS),  # Georgian: lower case in Unicode, but without capitals in text
    ("\U0001f1e6", "\U0001f1ff", None, FLAG),
    ("\U0001f3fb", "\U0001f3ff", None, MARK),  # skin tones
    ("\u2300", "\u23ff", "So", EMOJI),
    ("\u2600", "\u27bf", "So", EMOJI),
    ("\u2b00", "\u2bff", "So", EMOJI),
    ("\U0001f000", "\U0001faff", "So", EMOJI),
    ("\U0001f000", "\U0001faff", "Cn", EMOJI),  # Python's Unicode may be older than the text's
)


def _shape_of(char: str) -> str:
    if char in _FIXED:
        return _FIXED[char]
    if char.isspace():
        return " "
    category = unicodedata.category(char)
    for first, last, of_category, shape in _BLOCKS:
        if first <= char <= last and of_category in (None, category):
            return shape or char
    if category in ("Lo", "Lm"):
        script = unicodedata.name(char, "").removeprefix("HALFWIDTH ").partition(" ")[0]
        return _SCRIPTS.get(script, CASELESS)
    return _CATEGORIES.get(category, char)


class _Shapes(dict[int, str]):
    """The table for str.translate, filled as characters occur."""

    def __missing__(self, code: int) -> str:
        shape = self[code] = _shape_of(chr(code))
        return shape


_SHAPES = _Shapes()


def shape_of(text: str) -> str:
    """Return the shape of a text, which has the same length."""
    return text.translate(_SHAPES)
