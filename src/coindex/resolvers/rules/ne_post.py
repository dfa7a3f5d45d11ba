"""Correct entities by named entities, as the CRAC 2022 system *moravec* did after another resolver.

The paper only names its three rules. Here they are implemented as follows:

1. "changing coreference spans to spans of named entities": a mention whose head is a word of a name gets the span of
   the name. If two mentions then have the same span, the one in the larger entity is kept, or the first one if the
   entities have the same size.
2. "removing coreference links between different named entity types": an entity with names of several types is split by
   type. Mentions that are not names go with the nearest preceding name, or otherwise with the next one.
3. "adding coreference links between named entities of the same type that have a high string similarity": names of the
   same type are linked if their lemmas (or forms, if there are no lemmas) are similar by the `difflib` ratio, ignoring
   case. Linked entities are merged, and names outside of entities are added.

Not all pairs of names are compared: the names of a type are sorted by their letters, and by their letters from the end,
and each one is compared with its next neighbours.

Named entities are read from the values of NE= and NER= in MISC, in any of these notations:

- BIO and its variants: `B-PER`, `I-PER`, `O`; `S-` and `U-` for a name of one word, `E-` and `L-` for the last word.
  The parsers of coindex write `B-` and `I-`. Without `B-`, or with a bare type, adjacent equal values are one name.
- Brackets as in CoNLL-2012: `(PERSON*`, `*`, `*)`, `(GPE)`, `(ORG(GPE*)*)`.
- Numbered types, as NameTag writes for the Czech CNEC types: `ps_1`, nested from the outside in: `P_1-pf_2`. Adjacent
  words with the same number are one name.

If no word has such a value, names are the mentions of typed entities whose head is tagged PROPN, or whose type is one
of LitBank's categories of proper names (`PROP_PER`). Of nested names, only the outermost is used.
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
from ..clusters import add_provenance, free_ids
from ..linguistics.word_classes import head_word
from ..resolver import Resolver, Step

KEYS = ("NE", "NER")
_BIO = re.compile(r"(?:(?P<mark>[BIESLU])-)?(?P<type>[^()*]+)")
_CNEC = re.compile(r"(?P<type>[A-Za-z?~]{1,2})_(?P<number>\d+)(-[A-Za-z?~]{1,2}_\d+)*")
_OPENING = re.compile(r"\((?P<type>[^()*]*)")
PROPER = "PROP_"


@dataclass(frozen=True, slots=True)
class Name:
    """A named entity: the half-open span of its words, and its type as written."""

    start: int
    end: int
    type: str

    @property
    def group(self) -> str:
        """The normalized type: the first letter for CNEC (pf and ps are parts of persons), otherwise the type."""
        if len(self.type) <= 2:
            return self.type[:1].lower()
        return _EQUIVALENT.get(self.type.upper(), self.type.upper())


# equivalent types in the inventories of OntoNotes, CoNLL-2003, WikiNER and natasha
_EQUIVALENT = {"PERSON": "PER", "LOCATION": "LOC", "GPE": "LOC", "ORGANIZATION": "ORG", "ORGANISATION": "ORG"}


def find_names(doc: Document) -> list[Name]:
    """Return the names of a document in order, without nested ones."""
    values = [_value(token.misc) for token in doc.tokens]
    if not any(values):
        return _outermost(list(_from_entities(doc)))
    names: list[Name] = []
    for sentence in doc.sentences:
        part = values[sentence.start : sentence.end]
        for read in (_read_bio, _read_brackets, _read_numbered):
            names += (Name(sentence.start + s, sentence.start + e, t) for s, e, t in read(part))
    return _outermost(names)


def _value(misc: str) -> str:
    if "NE=" not in misc and "NER=" not in misc:
        return ""
    pairs = dict(pair.split("=", 1) for pair in misc.split("|") if "=" in pair)
    value = next((pairs[key] for key in KEYS if key in pairs), "")
    return "" if value in ("O", "*", "-", "_") else value.replace("%7C", "|")


Read = Callable[[list[str]], Iterator[tuple[int, int, str]]]


def _read_bio(values: list[str]) -> Iterator[tuple[int, int, str]]:
    start, type = 0, ""
    for position, value in enumerate([*values, ""]):
        match = None if _CNEC.fullmatch(value) else _BIO.fullmatch(value)
        mark = (match["mark"] or "I") if match else ""
        continues = bool(match and type and mark in "IEL" and match["type"] == type)
        if type and not continues:
            yield start, position, type
            type = ""
        if match and not continues:
            start, type = position, match["type"]
        if type and mark in ("E", "L", "S", "U"):
            yield start, position + 1, type
            type = ""


def _read_brackets(values: list[str]) -> Iterator[tuple[int, int, str]]:
    opened: list[tuple[int, str]] = []
    for position, value in enumerate(values):
        if "(" not in value and ")" not in value:
            continue
        opened += ((position, match["type"].strip("*")) for match in _OPENING.finditer(value))
        for _ in range(value.count(")")):
            if opened:
                start, type = opened.pop()
                yield start, position + 1, type


def _read_numbered(values: list[str]) -> Iterator[tuple[int, int, str]]:
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
"""A part of an entity: the original entity, and the mentions of the part."""


def make(*, similarity: str = SIMILARITY) -> Step:
    """Return the step; `similarity` is the lowest `difflib` ratio of names that are linked."""
    threshold = _parse_threshold(similarity)

    def step(doc: Document) -> Document:
        names = find_names(doc)
        if not names:
            return doc
        at = {position: name for name in names for position in range(name.start, name.end)}
        parts = list(_split_by_type(_align_spans(doc, at), at))
        return _rebuild(doc, parts, names, _link_names(doc, parts, names, threshold))

    return step


def _parse_threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1:
        raise CoindexError(
            f"{NAME}: invalid similarity {quote(text)}; expected a number greater than 0 and at most 1, for example "
            f"{NAME}(similarity={SIMILARITY})",
            code="invalid-option",
        )
    return value


def _align_spans(doc: Document, at: dict[int, Name]) -> list[Part]:
    """Apply rule 1: return the entities with mentions that have the spans of names."""
    trees = Trees(doc)
    taken: set[tuple[int, ...]] = set()
    changed: dict[int, list[Mention]] = {}
    for number in sorted(range(len(doc.entities)), key=lambda n: -len(doc.entities[n])):
        for mention in doc.entities[number].mentions:
            head = head_word(mention, trees)
            name = at.get(head)
            if name is not None and mention.positions != tuple(range(name.start, name.end)):
                mention = add_provenance(
                    doc.mention(range(name.start, name.end), head=head, attributes=mention.attributes), _by(1)
                )
            if mention.positions not in taken:
                taken.add(mention.positions)
                changed.setdefault(number, []).append(mention)
    return [(doc.entities[number], sorted(changed[number], key=mention_order)) for number in sorted(changed)]


def _by(rule: int) -> str:
    return f"{NAME}/{('span', 'type', 'string')[rule - 1]}"


def _split_by_type(entities: list[Part], at: dict[int, Name]) -> Iterator[Part]:
    """Apply rule 2: split entities by the types of their names; the part with the most mentions comes first."""
    for entity, mentions in entities:
        groups = [_group(mention, at) for mention in mentions]
        if len(set(groups) - {""}) < 2:
            yield entity, mentions
            continue
        current = next(group for group in groups if group)
        parts: dict[str, list[Mention]] = {}
        for mention, group in zip(mentions, groups, strict=True):
            current = group or current
            parts.setdefault(current, []).append(add_provenance(mention, _by(2)))
        for group in sorted(parts, key=lambda group: -len(parts[group])):
            yield entity, parts[group]


def _group(mention: Mention, at: dict[int, Name]) -> str:
    name = at.get(mention.start)
    if name is None or mention.positions != tuple(range(name.start, name.end)):
        return ""
    return name.group


def _link_names(doc: Document, parts: list[Part], names: list[Name], threshold: float) -> Groups[int]:
    """Apply rule 3: group the indices of parts, followed by those of the names outside of parts."""
    owner = {mention.positions: number for number, (_, mentions) in enumerate(parts) for mention in mentions}
    groups: Groups[int] = Groups(range(len(parts)))
    by_text: dict[tuple[str, str], list[int]] = {}
    for number, name in enumerate(names):
        member = owner.get(tuple(range(name.start, name.end)), len(parts) + number)
        by_text.setdefault((name.group, _text(doc, name)), []).append(member)
    for members in by_text.values():
        for member in members:
            groups.join(members[0], member)
    for left, right in _similar_pairs(list(by_text), threshold):
        groups.join(by_text[left][0], by_text[right][0])
    return groups


def _text(doc: Document, name: Name) -> str:
    tokens = doc.tokens[name.start : name.end]
    return " ".join(token.form if token.lemma in ("_", "") else token.lemma for token in tokens).casefold()


Key = tuple[str, str]


def _similar_pairs(keys: list[Key], threshold: float) -> Iterator[tuple[Key, Key]]:
    """Yield pairs of similar names of the same type; each is compared with its neighbours in two orders."""
    seen: set[tuple[Key, Key]] = set()
    for order in (sorted(keys), sorted(keys, key=lambda key: (key[0], key[1][::-1]))):
        matcher = SequenceMatcher(autojunk=False)
        for number, key in enumerate(order):
            matcher.set_seq2(key[1])  # difflib caches the analysis of the second sequence
            for other in order[number + 1 : number + 1 + NEIGHBOURS]:
                pair = (key, other) if key < other else (other, key)
                if key[0] != other[0] or pair in seen:
                    continue
                seen.add(pair)
                matcher.set_seq1(other[1])
                bounds = (
                    matcher.real_quick_ratio,
                    matcher.quick_ratio,
                    matcher.ratio,
                )  # upper bounds first, the exact ratio last
                if all(bound() >= threshold for bound in bounds):
                    yield pair


def _rebuild(doc: Document, parts: list[Part], names: list[Name], groups: Groups[int]) -> Document:
    """Return the document with the new entities; the largest part of a split entity keeps its id.

    Relations between entities are removed.
    """
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
            add_provenance(mention, _by(3)) if place else mention
            for place, n in enumerate(members)
            for mention in parts[n][1]
        ]
        mentions += (add_provenance(_mention(doc, name, trees), _by(3)) for name in new)
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
    summary="corrects entities by named entities: name spans, no links across types, links between similar names",
    make=make,
    needs=("names",),
    source="moravec in Žabokrtský et al. 2022 (CRAC 2022), section 4.2",
    options=(
        Option("similarity", (), f"lowest difflib ratio at which two names are the same (default: {SIMILARITY})"),
    ),
)
