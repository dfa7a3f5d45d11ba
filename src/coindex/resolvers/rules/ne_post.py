"""Entities mended by named entities, as the system *moravec* of CRAC 2022 did after another resolver.

Its three rules, and what they are taken to mean here, since the paper says no more:

1. "changing coreference spans to spans of named entities": a mention whose head is a word of a name gets the name's
   words. Where two mentions come to be one span, the one in the larger entity stays, of equal ones the first;
2. "removing coreference links between different named entity types": an entity with names of several types falls apart,
   one part a type. Mentions that are no names go with the nearest name before them, else with the next;
3. "adding coreference links between named entities of the same type that have a high string similarity": names of one
   type are linked if their lemmas, or forms where there are no lemmas, are similar by `difflib`'s ratio, without regard
   to capitals. Entities linked so are merged, names in no entity are added.

Names are found by `names`, types compared by their groups. Not all pairs are compared: of the different names of a
type, put in order by their letters, and by their letters from the end, each is compared with its next neighbours.

Named entities of a document: where some recogniser left them, and what it called them.

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
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from ...document import Document, Entity, Mention, mention_order
from ...document.disjoint_sets import Groups
from ...document.heads import Trees
from ...errors import CoindexError, quote
from ...formats.registry import Option
from ..clusters import free_ids, linked
from ..linguistics.word_classes import head_word
from ..resolver import Resolver, Step

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


NAME = "ne-post"
SIMILARITY = "0.9"
NEIGHBOURS = 8
Part = tuple[Entity, list[Mention]]
"""What is left of an entity, and its mentions."""


def make(*, similarity: str = SIMILARITY) -> Step:
    threshold = _threshold(similarity)

    def step(doc: Document) -> Document:
        names = find_names(doc)
        if not names:
            return doc
        at = {position: name for name in names for position in range(name.start, name.end)}
        parts = list(_parts(_snapped(doc, at), at))
        return _rebuilt(doc, parts, names, _linked(doc, parts, names, threshold))

    return step


def _threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1:
        raise CoindexError(
            f"{NAME}: similarity {quote(text)}; expected a number over 0 and up to 1; write for example "
            f"{NAME}(similarity={SIMILARITY})",
            code="invalid-option",
        )
    return value


def _snapped(doc: Document, at: dict[int, Name]) -> list[Part]:
    """Rule 1: each entity with its mentions after their spans changed."""
    trees = Trees(doc)
    taken: set[tuple[int, ...]] = set()
    changed: dict[int, list[Mention]] = {}
    for number in sorted(range(len(doc.entities)), key=lambda n: -len(doc.entities[n])):
        for mention in doc.entities[number].mentions:
            head = head_word(mention, trees)
            name = at.get(head)
            if name is not None and mention.positions != tuple(range(name.start, name.end)):
                mention = linked(
                    doc.mention(range(name.start, name.end), head=head, attributes=mention.attributes), _by(1)
                )
            if mention.positions not in taken:
                taken.add(mention.positions)
                changed.setdefault(number, []).append(mention)
    return [(doc.entities[number], sorted(changed[number], key=mention_order)) for number in sorted(changed)]


def _by(rule: int) -> str:
    return f"{NAME}/{('span', 'type', 'string')[rule - 1]}"


def _parts(entities: list[Part], at: dict[int, Name]) -> Iterator[Part]:
    """Rule 2: entities cut where names of different types meet; the part with most mentions comes first."""
    for entity, mentions in entities:
        groups = [_group(mention, at) for mention in mentions]
        if len(set(groups) - {""}) < 2:
            yield entity, mentions
            continue
        current = next(group for group in groups if group)
        parts: dict[str, list[Mention]] = {}
        for mention, group in zip(mentions, groups, strict=True):
            current = group or current
            parts.setdefault(current, []).append(linked(mention, _by(2)))
        for group in sorted(parts, key=lambda group: -len(parts[group])):
            yield entity, parts[group]


def _group(mention: Mention, at: dict[int, Name]) -> str:
    name = at.get(mention.start)
    if name is None or mention.positions != tuple(range(name.start, name.end)):
        return ""
    return name.group


def _linked(doc: Document, parts: list[Part], names: list[Name], threshold: float) -> Groups[int]:
    """Rule 3: numbers of parts, and of names in none counted from their number, that belong together."""
    owner = {mention.positions: number for number, (_, mentions) in enumerate(parts) for mention in mentions}
    groups: Groups[int] = Groups(range(len(parts)))
    by_text: dict[tuple[str, str], list[int]] = {}
    for number, name in enumerate(names):
        member = owner.get(tuple(range(name.start, name.end)), len(parts) + number)
        by_text.setdefault((name.group, _text(doc, name)), []).append(member)
    for members in by_text.values():
        for member in members:
            groups.join(members[0], member)
    for one, other in _similar(list(by_text), threshold):
        groups.join(by_text[one][0], by_text[other][0])
    return groups


def _text(doc: Document, name: Name) -> str:
    tokens = doc.tokens[name.start : name.end]
    return " ".join(token.form if token.lemma in ("_", "") else token.lemma for token in tokens).casefold()


Key = tuple[str, str]


def _similar(keys: list[Key], threshold: float) -> Iterator[tuple[Key, Key]]:
    """Different names of one type that are similar, each compared with its neighbours in two orders."""
    seen: set[tuple[Key, Key]] = set()
    for order in (sorted(keys), sorted(keys, key=lambda key: (key[0], key[1][::-1]))):
        matcher = SequenceMatcher(autojunk=False)
        for number, one in enumerate(order):
            matcher.set_seq2(one[1])  # what is known of this one is kept for all its neighbours
            for other in order[number + 1 : number + 1 + NEIGHBOURS]:
                pair = (one, other) if one < other else (other, one)
                if one[0] != other[0] or pair in seen:
                    continue
                seen.add(pair)
                matcher.set_seq1(other[1])
                bounds = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)  # each closer than the last
                if all(bound() >= threshold for bound in bounds):
                    yield pair


def _rebuilt(doc: Document, parts: list[Part], names: list[Name], groups: Groups[int]) -> Document:
    """Entities keep their ids, the larger part of one that fell apart has it; relations between entities go."""
    free = free_ids(doc)
    trees = Trees(doc)
    entities = []
    taken: set[str] = set()
    for group in groups:
        members = sorted(number for number in group if number < len(parts))
        new = [names[number - len(parts)] for number in group if number >= len(parts)]
        if not members and len(new) < 2:
            continue
        mentions = [
            linked(mention, _by(3)) if place else mention for place, n in enumerate(members) for mention in parts[n][1]
        ]
        mentions += (linked(_mention(doc, name, trees), _by(3)) for name in new)
        mentions.sort(key=mention_order)
        old = parts[members[0]][0] if members else None
        id = old.id if old is not None and old.id not in taken else next(free)
        taken.add(id)
        base = old or Entity(id, ())
        entities.append(Entity(id, tuple(mentions), base.type, base.kind, base.attributes))
    entities.sort(key=lambda entity: (mention_order(entity.mentions[0]), entity.id))
    return doc.replace(entities=tuple(entities), bridges=(), split_antecedents=())


def _mention(doc: Document, name: Name, trees: Trees) -> Mention:
    mention = doc.mention(range(name.start, name.end))
    return replace(mention, head=head_word(mention, trees))


RESOLVER = Resolver(
    name=NAME,
    kind="step",
    summary="entities mended by named entities: their spans, no links between types, links between similar names",
    make=make,
    needs=("names",),
    source="moravec in Žabokrtský et al. 2022 (CRAC 2022), section 4.2",
    options=(
        Option("similarity", (), f"from which difflib ratio on two names are the same; {SIMILARITY} unless told"),
    ),
)
