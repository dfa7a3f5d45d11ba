"""Named entities of a document: where some recogniser left them, and what it called them.

Read are, word by word, the values of NE= and NER= in MISC, in any of these notations:

- BIO and its kin: `B-PER`, `I-PER`, `O`; `S-` and `U-` for a name of one word, `E-` and `L-` for the last. The parsers
  of coindex write `B-` and `I-`. Without a `B-`, or with the bare type, equal neighbours are one name;
- brackets, as CoNLL-2012 has them: `(PERSON*`, `*`, `*)`, `(GPE)`, `(ORG(GPE*)*)`;
- numbered types, as NameTag writes the Czech ones of CNEC: `ps_1`, nested from the outside in: `P_1-pf_2`. Words next
  to each other with the same number are one name.

Where no word has such a value, names are the mentions of typed entities whose head is tagged PROPN, or whose type is
one of LitBank's categories of proper names (`PROP_PER`). Of nested names the outermost counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..document import Document

KEYS = ("NE", "NER")
_BIO = re.compile(r"(?:(?P<mark>[BIESLU])-)?(?P<type>[^()*]+)")
_CNEC = re.compile(r"(?P<type>[A-Za-z?~]{1,2})_(?P<number>\d+)(-[A-Za-z?~]{1,2}_\d+)*")
_OPENING = re.compile(r"\((?P<type>[^()*]*)")
PROPER = "PROP_"


@dataclass(frozen=True, slots=True)
class Name:
    """The words start..end, half-open, and the type as it is written."""

    start: int
    end: int
    type: str

    @property
    def group(self) -> str:
        """What types are compared by: CNEC's first letter (pf and ps are parts of persons), else the type."""
        if len(self.type) <= 2:
            return self.type[:1].lower()
        return _SAME.get(self.type.upper(), self.type.upper())


# the same thing in the inventories of OntoNotes, CoNLL-2003, WikiNER and natasha
_SAME = {"PERSON": "PER", "LOCATION": "LOC", "GPE": "LOC", "ORGANIZATION": "ORG", "ORGANISATION": "ORG"}


def find_names(doc: Document) -> list[Name]:
    """The names of a document in order, none inside another."""
    values = [_value(token.misc) for token in doc.tokens]
    if not any(values):
        return _outermost(list(_from_entities(doc)))
    found: list[Name] = []
    for sentence in doc.sentences:
        part = values[sentence.start : sentence.end]
        for read in (_bio, _brackets, _numbered):
            found += (Name(sentence.start + s, sentence.start + e, t) for s, e, t in read(part))
    return _outermost(found)


def _value(misc: str) -> str:
    if "NE=" not in misc and "NER=" not in misc:
        return ""
    pairs = dict(pair.split("=", 1) for pair in misc.split("|") if "=" in pair)
    value = next((pairs[key] for key in KEYS if key in pairs), "")
    return "" if value in ("O", "*", "-", "_") else value.replace("%7C", "|")


Read = Callable[[list[str]], Iterator[tuple[int, int, str]]]


def _bio(values: list[str]) -> Iterator[tuple[int, int, str]]:
    start, type = 0, ""
    for position, value in enumerate([*values, ""]):
        found = None if _CNEC.fullmatch(value) else _BIO.fullmatch(value)
        mark = (found["mark"] or "I") if found else ""
        goes_on = bool(found and type and mark in "IEL" and found["type"] == type)
        if type and not goes_on:
            yield start, position, type
            type = ""
        if found and not goes_on:
            start, type = position, found["type"]
        if type and mark in ("E", "L", "S", "U"):
            yield start, position + 1, type
            type = ""


def _brackets(values: list[str]) -> Iterator[tuple[int, int, str]]:
    opened: list[tuple[int, str]] = []
    for position, value in enumerate(values):
        if "(" not in value and ")" not in value:
            continue
        opened += ((position, found["type"].strip("*")) for found in _OPENING.finditer(value))
        for _ in range(value.count(")")):
            if opened:
                start, type = opened.pop()
                yield start, position + 1, type


def _numbered(values: list[str]) -> Iterator[tuple[int, int, str]]:
    start, name = 0, ""
    for position, value in enumerate([*values, ""]):
        outer = value.partition("-")[0] if _CNEC.fullmatch(value) else ""
        if outer != name:
            if name:
                yield start, position, name.partition("_")[0]
            start, name = position, outer


def _from_entities(doc: Document) -> Iterator[Name]:
    for entity in doc.entities:
        if not entity.type:
            continue
        proper = entity.type.startswith(PROPER)
        for mention in entity.mentions:
            head = mention.head if mention.head is not None else mention.end - 1
            if mention.is_contiguous and (proper or doc.tokens[head].upos == "PROPN"):
                yield Name(mention.start, mention.end, entity.type.removeprefix(PROPER))


def _outermost(names: list[Name]) -> list[Name]:
    kept: list[Name] = []
    for name in sorted(names, key=lambda name: (name.start, -name.end)):
        if not kept or name.start >= kept[-1].end:
            kept.append(name)
    return kept
