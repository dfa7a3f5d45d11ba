"""Annotation schemas: types of entities, attributes of mentions, heads, and rules for annotators.

A schema of one's own is JSON of the same shape as `Schema.to_json` gives:

    {"title": "Birds", "types": ["person", "bird"], "heads": true, "rules": ["Mark every bird."],
     "attributes": [{"name": "func", "title": "Function", "values": ["def", "pred"]}]}

No types means that anything may be written; so do no values of an attribute.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..document import Document, Mention
from ..document.naming import mention_name
from ..errors import CoindexError, UnknownNameError, quote

MOST = 200
"""Types, attributes, values of one attribute, rules."""
LONGEST = 100
LONGEST_RULE = 2000
_KEYS = ("name", "title", "types", "attributes", "heads", "rules")
_ATTRIBUTE_KEYS = ("name", "title", "values")


class SchemaError(CoindexError):
    """An invalid schema: the place, the value, and what was expected."""

    default_code = "invalid-schema"

    def __init__(self, place: str, found: object, expected: str, *, lacks: str = "") -> None:
        shown = f"no {lacks}" if lacks else reprlib.repr(found)
        details = {"place": place, "expected": expected}
        super().__init__(f"the schema, {place}: {shown}; expected {expected}", details=details)


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of mentions; without values, free text."""

    name: str
    title: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema. With `heads`, every mention longer than one word needs a head."""

    name: str
    title: str
    types: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    heads: bool = False
    rules: tuple[str, ...] = field(default=(), repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return the schema as JSON data."""
        return {
            "name": self.name,
            "title": self.title,
            "types": list(self.types),
            "attributes": [{"name": a.name, "title": a.title, "values": list(a.values)} for a in self.attributes],
            "heads": self.heads,
            "rules": list(self.rules),
        }

    @classmethod
    def from_json(cls, data: object) -> Schema:
        """Parse a schema from JSON data; raise SchemaError if it is invalid."""
        record = _record(data, "the whole", _KEYS)
        heads = record.get("heads", False)
        if not isinstance(heads, bool):
            raise SchemaError("heads", heads, "true or false")
        return cls(
            _text(record.get("name", OWN), "name"),
            _text(record.get("title", "Own schema"), "title"),
            _texts(record.get("types", []), "types"),
            tuple(_attributes(record.get("attributes", []))),
            heads,
            _texts(record.get("rules", []), "rules", longest=LONGEST_RULE),
        )


OWN = "own"


def parse_schema(text: str) -> Schema:
    """Parse a custom schema from JSON text; errors name the place."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise SchemaError(f"line {error.lineno} column {error.colno}", text[error.pos :][:20], error.msg) from error
    except RecursionError as error:
        raise SchemaError("the whole", text[:20], "a schema with fewer nested brackets") from error
    except ValueError as error:  # the one that is left: a number of thousands of digits
        raise SchemaError("the whole", text[:20], "a schema without numbers of thousands of digits") from error
    if isinstance(data, dict):
        data = {**data, "name": OWN}  # a custom schema must not have the name of a predefined one
    return Schema.from_json(data)


def _record(data: object, place: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise SchemaError(place, data, f"an object with {', '.join(keys)}")
    for name in data:
        if name not in keys:
            raise SchemaError(place, name, f"one of the keys {', '.join(keys)}")
    return data


def _attributes(data: object) -> Iterator[Attribute]:
    seen: set[str] = set()
    for number, attribute in enumerate(_list(data, "attributes"), 1):
        place = f"attribute {number}"
        record = _record(attribute, place, _ATTRIBUTE_KEYS)
        if "name" not in record:
            raise SchemaError(place, None, "a name, a title and values", lacks="name")
        name = _text(record["name"], f"{place}, name")
        if name in seen:
            raise SchemaError(f"{place}, name", name, "a name that is not used yet")
        seen.add(name)
        values = _texts(record.get("values", []), f"attribute {quote(name)}, values")
        for value in values:
            if "," in value:
                raise SchemaError(
                    f"attribute {quote(name)}, values", value, "a value without a comma, which separates values"
                )
        yield Attribute(name, _text(record.get("title", name), f"{place}, title"), values)


def _list(data: object, place: str) -> list[Any]:
    if not isinstance(data, list) or len(data) > MOST:
        raise SchemaError(place, data, f"a list of at most {MOST}")
    return data


def _texts(data: object, place: str, *, longest: int = LONGEST) -> tuple[str, ...]:
    texts = tuple(_text(item, f"{place}, number {at}", longest) for at, item in enumerate(_list(data, place), 1))
    for at, text in enumerate(texts):
        if text in texts[:at]:
            raise SchemaError(place, text, "each value only once")
    return texts


def _text(data: object, place: str, longest: int = LONGEST) -> str:
    if not isinstance(data, str) or not data.strip() or len(data) > longest or not data.isprintable():
        raise SchemaError(place, data, f"a text of 1 to {longest} characters on one line")
    return data.strip()


def check(doc: Document, schema: Schema) -> list[str]:
    """Return the violations of the schema in a document as messages."""
    return list(_wrong(doc, schema))


def _wrong(doc: Document, schema: Schema) -> Iterator[str]:
    known = {attribute.name: attribute for attribute in schema.attributes}
    for mention, entity in doc.mentions():
        place = _place(doc, mention)
        if schema.types and entity.type not in (None, *schema.types) and mention is entity.mentions[0]:
            yield f"{place}: the type {quote(entity.type or '')}; expected {', '.join(schema.types)}"
        if schema.heads and mention.head is None and len(mention) > 1:
            yield f"{place}: no head; expected one for mentions longer than one word"
        for name, text in mention.attributes.items():
            values = known[name].values if name in known else ()
            for value in text.split(",") if values else ():
                if value not in values:
                    yield f"{place}: {name} {quote(value)}; expected {', '.join(values)}"


def _place(doc: Document, mention: Mention) -> str:
    number = next((at for at, sentence in enumerate(doc.sentences, 1) if mention.start < sentence.end), 0)
    return f"sentence {number}, {quote(mention_name(mention))}"


FREE = Schema("free", "Free: any type, any attribute")

RUEVAL = Schema(
    "rueval",
    "RU-EVAL 2014: markables of Russian",
    attributes=(
        Attribute("func", "Function", ("def", "indef", "pred", "appo", "ds", "misc", "meton")),
        Attribute("str", "Structure", ("noun", "pers", "poss", "refl", "dem", "rel", "other")),
        Attribute("markable", "Markable", ("primary", "secondary")),
    ),
    heads=True,
    rules=(
        "Markables are noun phrases, as long as possible, but without relative clauses and participle constructions "
        "that follow the noun.",
        "Primary markables are always annotated: third person pronouns, demonstratives, reflexives, possessives, "
        "definite and possessive descriptions, proper names and titles; a first person pronoun only if it is the "
        "narrator.",
        "Secondary markables are annotated only if a primary one could refer back to them: the first mention if it is "
        "indefinite (func: indef), appositions (appo), predicates (pred), first and second person pronouns in direct "
        "speech (ds). “Markable” need be set only where the function says otherwise.",
        "Function: def for what refers to an entity, misc for doubtful cases such as near-identity, meton for "
        "metonymy.",
        "Structure: noun for every phrase without a pronoun, otherwise the kind of the pronoun.",
        "An apposition is a separate markable.",
        "Every markable longer than one word has a semantic head.",
        "No events, no bridging, no split antecedents, no mentions with gaps; only identity, widened to near-identity.",
    ),
)

PRECO = Schema(
    "preco",
    "PreCo: singletons, and rules that are easy to follow",
    rules=(
        "Mark every mention, also of entities that are mentioned only once.",
        "Verbs are usually not linked; certain gerunds can be.",
        "Generic mentions are linked to each other directly: [Cats] sleep a lot. [Cats] need a warm place.",
        "Modifiers that are not names are linked as generic mentions: [Rice] is cheap. The [rice] harvest begins.",
        "In copular structures the subject and the predicate are linked: [Ann] is [a good doctor].",
        "The parts of an apposition are linked with the whole: [[Ann], [a doctor whom I know]].",
        "Short forms of nations and all job titles are linked: a [U.S.] ship; [mayor] [Ann Hill].",
        "Read the whole text again before you submit it: most mistakes are overlooked mentions.",
    ),
)

READY: dict[str, Schema] = {schema.name: schema for schema in (FREE, RUEVAL, PRECO)}


def ready_schema(name: str) -> Schema:
    """Return the predefined schema with this name."""
    if name not in READY:
        raise UnknownNameError("schema", name, READY)
    return READY[name]
