"""Pack a document into plain values, for storage and for the editor.

Packing is lossless like the format `json`, but tokens are columns and nothing computed is written, so a novel is packed
and unpacked in a fraction of the time. Positions are 0-based, spans half-open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..document import Bridge, Document, Entity, Mention, Multiword, Sentence, SplitAntecedent, Token, Tokens
from ..document.entities import runs
from ..document.tokens import Extra

Packed = dict[str, Any]

_FIELDS = ("id", "language", "genre", "topic", "subtopic")
_COLUMNS = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_EMPTY = "_"
_SPACE = " "


def pack(doc: Document) -> Packed:
    """Return the document as JSON values."""
    packed: Packed = {name: value for name in _FIELDS if (value := getattr(doc, name)) is not None}
    if doc.shared_ids:
        packed["shared_ids"] = True
    if doc.meta:
        packed["meta"] = dict(doc.meta)
    if doc.columns:
        packed["columns"] = list(doc.columns)
    packed.update(_pack_tokens(doc.tokens))
    packed["sentences"] = [_pack_sentence(sentence) for sentence in doc.sentences]
    packed["entities"] = [_pack_entity(entity) for entity in doc.entities]
    if doc.bridges:
        packed["bridges"] = [[b.entity, _pack_mention(b.anaphor), b.antecedent, b.relation] for b in doc.bridges]
    if doc.split_antecedents:
        packed["splits"] = [[s.entity, _pack_mention(s.anaphor), list(s.antecedents)] for s in doc.split_antecedents]
    return packed


def _pack_tokens(tokens: Tokens) -> Packed:
    """Pack all forms and ids, other columns that are not empty, and spaces that are not a single space."""
    columns = dict(zip(Token._fields, zip(*tokens, strict=True), strict=True)) if tokens else {}
    packed: Packed = {"forms": list(columns.get("form", ())), "ids": list(columns.get("id", ()))}
    for name in _COLUMNS:
        if any(value != _EMPTY for value in columns.get(name, ())):
            packed[name] = list(columns[name])
    spaces: dict[str, list[int]] = {}
    for position, space in enumerate(columns.get("space", ())):
        if space != _SPACE:
            spaces.setdefault(space, []).append(position)
    if spaces:
        packed["spaces"] = spaces
    extra = [[at, *pair] for at, pairs in enumerate(columns.get("extra", ())) for pair in pairs]
    if extra:
        packed["extra"] = extra
    if tokens.prefix:
        packed["prefix"] = tokens.prefix
    if tokens.multiwords:
        packed["multiwords"] = [
            _short([m.start, m.end, m.form, m.misc, m.space, list(map(list, m.extra))], least=5)
            for m in tokens.multiwords
        ]
    return packed


def _pack_sentence(sentence: Sentence) -> list[Any]:
    return _short([sentence.start, sentence.end, sentence.id, sentence.speaker, list(sentence.comments)])


def _pack_entity(entity: Entity) -> list[Any]:
    mentions = [_pack_mention(mention) for mention in entity.mentions]
    return _short([entity.id, mentions, entity.type, entity.kind == "event", dict(entity.attributes)], least=2)


def _pack_mention(mention: Mention) -> list[Any]:
    """Pack the borders of its spans, then head and attributes if there are any."""
    positions = mention.positions
    if mention.is_contiguous:
        borders = [positions[0], positions[-1] + 1]
    else:
        borders = [border for span in runs(positions) for border in span]
    return _short([borders, mention.head, dict(mention.attributes)])


def _short(values: list[Any], least: int = 1) -> list[Any]:
    """Remove empty values from the end; a number is not empty."""
    while len(values) > least and (values[-1] is None or values[-1] is False or values[-1] in ([], {})):
        values.pop()
    return values


def unpack(packed: Packed) -> Document:
    """Return the document that was packed."""
    tokens = _unpack_tokens(packed)
    return Document(
        tokens,
        tuple(_unpack_sentence(tokens, *values) for values in packed["sentences"]),
        tuple(_unpack_entity(tokens, *values) for values in packed["entities"]),
        bridges=tuple(Bridge(_unpack_mention(tokens, *m), e, a, r) for e, m, a, r in packed.get("bridges", ())),
        split_antecedents=tuple(
            SplitAntecedent(_unpack_mention(tokens, *m), e, tuple(many)) for e, m, many in packed.get("splits", ())
        ),
        shared_ids=packed.get("shared_ids", False),
        meta=packed.get("meta", {}),
        columns=tuple(packed.get("columns", ())),
        **{name: packed.get(name) for name in _FIELDS},
    )


def _unpack_tokens(packed: Packed) -> Tokens:
    forms: list[str] = packed["forms"]
    spaces = [_SPACE] * len(forms)
    for space, positions in packed.get("spaces", {}).items():
        for position in positions:
            spaces[position] = space
    columns: Iterator[Iterable[str]] = (packed.get(name) or [_EMPTY] * len(forms) for name in _COLUMNS)
    extra: list[Extra] = [()] * len(forms)
    for position, name, value in packed.get("extra", ()):
        extra[position] += ((name, value),)
    tokens = map(Token._make, zip(packed["ids"], forms, *columns, spaces, extra, strict=True))
    multiwords = [_unpack_multiword(*values) for values in packed.get("multiwords", ())]
    return Tokens(tokens, multiwords=multiwords, prefix=packed.get("prefix", ""))


def _unpack_multiword(
    start: int, end: int, form: str, misc: str, space: str, extra: Iterable[tuple[str, str]] = ()
) -> Multiword:
    return Multiword(start, end, form, misc, space, tuple((name, value) for name, value in extra))


def _unpack_sentence(
    tokens: Tokens,
    start: int,
    end: int,
    id: str | None = None,
    speaker: str | None = None,
    comments: Iterable[str] = (),
) -> Sentence:
    return Sentence(tokens, start, end, id, speaker, tuple(comments))


def _unpack_entity(
    tokens: Tokens,
    id: str,
    mentions: list[list[Any]],
    type: str | None = None,
    is_event: bool = False,
    attributes: Mapping[str, str] | None = None,
) -> Entity:
    unpacked = tuple(_unpack_mention(tokens, *values) for values in mentions)
    return Entity(id, unpacked, type, "event" if is_event else "entity", attributes)


def _unpack_mention(
    tokens: Tokens, borders: list[int], head: int | None = None, attributes: Mapping[str, str] | None = None
) -> Mention:
    positions = tuple(at for start, end in zip(borders[::2], borders[1::2], strict=True) for at in range(start, end))
    return Mention(tokens, positions, head, attributes)
