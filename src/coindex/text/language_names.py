"""Names and codes of languages: "Spanish", "español", "spa" and "es" are one language.

`languages.tsv` has a line for each language: its code (ISO 639-1, or 639-3 if there is none), other codes, the
English name, and other names. Names and codes are those of the Unicode CLDR and of ISO 639.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from functools import cache
from importlib.resources import files

from ..errors import CoindexError, quote

UNDETERMINED = ("und", "mis", "mul", "zxx")
"""ISO 639 codes that do not name a single language."""
_TAG = re.compile(r"(?P<code>[A-Za-z]{2,3})(?P<region>(?:[-_][A-Za-z0-9]{1,8})*)")


class UnknownLanguageError(CoindexError):
    """A language code or name that is not known."""

    default_code = "unknown-language"


def language_code(text: str | None, *, where: str = "language") -> str | None:
    """Return the code of a language: ISO 639-1, or ISO 639-3 if there is no shorter one.

    `text` is a code ("es", "spa", "pt-BR") or an English or native name ("Spanish", "español"), in upper or lower case.
    A region is kept ("pt-BR"). A three-letter code that is not in the table is returned as it is: there are thousands.
    The result is None for None and for the codes of no single language ("und"). `where` begins the message of an
    `UnknownLanguageError`.
    """
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"{where}: {type(text).__name__}; expected a str such as 'es' or 'Spanish'")
    known = _codes()
    if (code := known.get(_key(text))) is not None:
        return code
    tag = _TAG.fullmatch(text.strip())
    if tag is not None:
        code = tag["code"].lower()
        if code in UNDETERMINED:
            return None
        if code in known or len(code) == 3:
            return known.get(code, code) + tag["region"].replace("_", "-")
    near = difflib.get_close_matches(_key(text), known, n=1, cutoff=0.75)
    hint = f"did you mean {known[near[0]]!r} ({language_name(known[near[0]])})?" if near else "check the code"
    expected = "an ISO 639 code or a name, such as 'es' or 'Spanish'"
    raise UnknownLanguageError(
        f"{where and f'{where}: '}unknown language {quote(text)}; expected {expected}; {hint}", code="unknown-language"
    )


def language_name(code: str) -> str:
    """Return the English name of a language by its code; the code itself if the name is not known."""
    return _names().get(code.replace("_", "-").partition("-")[0], code)


def known_codes() -> tuple[str, ...]:
    """Return the codes of the languages in the table."""
    return tuple(code for code, _, _, _ in _rows())


def _key(name: str) -> str:
    """Return a name without case and accents: "Español" and "espanol" are the same."""
    decomposed = unicodedata.normalize("NFKD", name.strip().casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@cache
def _rows() -> list[tuple[str, list[str], str, list[str]]]:
    table = files(__package__).joinpath("languages.tsv").read_text(encoding="utf-8")
    rows = []
    for line in table.splitlines():
        code, codes, name, *more = line.split("\t")
        rows.append((code, codes.split(), name, more[0].split(", ") if more else []))
    return rows


@cache
def _codes() -> dict[str, str]:
    """Return the code by each code and name. Codes take precedence: *ewe* is a code and a name of the same language."""
    named = {_key(name): code for code, _, first, more in _rows() for name in (first, *more)}
    return named | {other: code for code, codes, _, _ in _rows() for other in (code, *codes)}


@cache
def _names() -> dict[str, str]:
    return {code: name for code, _, name, _ in _rows()}
