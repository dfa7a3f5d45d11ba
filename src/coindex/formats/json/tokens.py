"""The tokens of a JSON document, checked against its text."""

from __future__ import annotations

from dataclasses import replace

from ...document import Multiword, Span, Token, Tokens
from ...document.tokens import Extra, extra_columns
from ..corefud.columns import STANDARD, problem_of
from .fields import Fields
from .schema import COLUMNS

FIT = "tokens in order that are in 'text' as their offsets say"


def read_tokens(fields: Fields) -> Tokens:
    """The tokens with the text between them."""
    text = fields.need("text")
    records = fields.records("tokens")
    groups = _multiwords(fields, len(records))
    inside = {at for group in groups for at in range(group.start, group.end)}
    ids = _ids(fields, records)
    tokens = [_token(one, id, hidden=at in inside) for at, (one, id) in enumerate(zip(records, ids, strict=True))]
    pieces = _surface(fields, records, tokens, groups, inside)
    after = _spaces(fields, text, pieces)
    for at, space in after.items():
        if at not in inside:
            tokens[at] = tokens[at]._replace(space=space)
    multiwords = [replace(group, space=after[group.start]) for group in groups]
    prefix = text[: pieces[0][1][0]] if pieces else text
    return Tokens(tokens, multiwords=multiwords, prefix=prefix)


def _ids(fields: Fields, records: list[Fields]) -> list[str]:
    """The ids: as written, else the next number in the sentence."""
    starts = {value for one in fields.records("sentences") if type(value := one.values.get("start")) is int}
    ids, number = [], 0
    for position, one in enumerate(records):
        number = 1 if position in starts else number + 1
        id = one.text("id") or str(number)
        if "." in id:
            number -= 1
        ids.append(id)
    return ids


def _token(fields: Fields, id: str, *, hidden: bool) -> Token:
    columns = {name: value for name in COLUMNS if (value := fields.text(name)) is not None}
    space = fields.text("space") if hidden or "." in id else None
    extra = _extra(fields)
    return Token(id, fields.need("form"), space=" " if space is None else space, extra=extra, **columns)


def _extra(fields: Fields) -> Extra:
    values = fields.strings("extra")
    if values and (wrong := problem_of([*STANDARD, *values])):
        raise fields.wrong(f"{wrong} in 'extra'", "names without spaces that are not columns of CoNLL-U")
    return extra_columns(values)


def _multiwords(fields: Fields, size: int) -> list[Multiword]:
    groups = []
    before = 0
    for one in fields.records("multiwords"):
        start, end = one.number("start", most=size), one.number("end", most=size)
        if not before <= start < end:
            raise one.wrong(f"the multiword token {start} to {end}", "spans of tokens in order, apart from each other")
        extra = _extra(one)
        groups.append(Multiword(start, end, one.need("form"), one.text("misc") or "_", extra=extra))
        before = end
    return groups


def _surface(
    fields: Fields, records: list[Fields], tokens: list[Token], groups: list[Multiword], inside: set[int]
) -> list[tuple[int, Span, str]]:
    """What is seen of the text, in order: the first position, the characters, the form."""
    first = {group.start: group for group in groups}
    pieces = []
    for position, (one, token) in enumerate(zip(records, tokens, strict=True)):
        group = first.get(position)
        if group is None and (position in inside or token.is_empty):
            continue
        form = token.form if group is None else group.form
        start = one.number("start_char", most=10**15)
        pieces.append((position, (start, start + len(form)), form))
    return pieces


def _spaces(fields: Fields, text: str, pieces: list[tuple[int, Span, str]]) -> dict[int, str]:
    """The text after each piece, by its first position."""
    after: dict[int, str] = {}
    at = 0
    for index, (position, (start, end), form) in enumerate(pieces):
        if start < at or text[start:end] != form:
            raise fields.wrong(f"the token {position}, which is not at character {start} of the text,", FIT)
        following = pieces[index + 1][1][0] if index + 1 < len(pieces) else len(text)
        after[position] = text[end:following]
        at = end
    return after
