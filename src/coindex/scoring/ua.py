"""Match mentions like the Universal Anaphora (UA) scorer, version 1 (CODI-CRAC 2021 and 2022) or 2 (2023).

**Words.** Rows of a document are counted from 0, multiword tokens included. In version 1 zeros are ordinary words and a
mention is its first and last word; of a discontinuous mention only the last part counts. In version 2 a mention is the
list of its words without zeros, and a zero is known by the words before it.

**Split antecedents.** An entity with split antecedents gets one artificial mention, its plural: the set of its member
entities, each as the tuple of its mentions. Members that have members themselves are replaced by those. Two plurals are
the same if these sets are. Entities with the same plural are united, and every entity is a set. The official scorers
iterate over these sets, and two of their formulas (see `metrics.plurals`) depend on the order. `_Element` has the same
hash values, so that Python's sets have the same order here; only the hash of a zero differs, which is random there.

**Matching.** `exact`: the same mention. `partial` (version 2): remaining mentions by minimal spans, with the greatest
total weight. `craft` (version 2): remaining mentions whose first part contains a part of the other. `min` (version 1):
a key mention equals a response mention inside it that contains its minimal span, but only in CEAF, for non-referring
mentions and for anchors of bridging; all other lookups of the official scorer need equal spans.

**Differences.** Where the official scorer fails, this one does not: entities without mentions after zeros are removed
are dropped, and split antecedents in a circle are an error that names the entities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal

from ..document import Document, Entity, Mention
from ..document.entities import MIN, annotated_parts, find_anchor
from ..errors import CoindexError, quote
from .alignment import Alignment, Table, count_links, count_overlap
from .assignment import assign
from .sides import MentionTable, Part, Preparation, Side
from .token_alignment import Words

Version = Literal[1, 2]
Split = Literal["scored", "ignored", "only"]
Occurrence = tuple[int, Mention]
"""A mention with its number; mentions with the same number may have different attributes."""
Listed = tuple[list[Occurrence], Sequence[tuple[int, ...]] | None]
"""The mentions of an entity, and the members of its plural if it has one."""
_NUMBERS = re.compile(r"-?[0-9]{1,9}(,-?[0-9]{1,9})*")


class _Element:
    """A mention or plural with the hash value that it has in the official scorer."""

    __slots__ = ("hash", "value")

    def __init__(self, value: int | frozenset[tuple[int, ...]], hash: int) -> None:
        self.value, self.hash = value, hash

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Element) and self.value == other.value


@dataclass(frozen=True, slots=True)
class Plural:
    """The artificial mention of an entity with split antecedents."""

    members: tuple[tuple[int, ...], ...]
    place: int
    """The number of mentions before it in its entity."""

    @property
    def value(self) -> frozenset[tuple[int, ...]]:
        """What makes two plurals the same."""
        return frozenset(self.members)


@dataclass(slots=True)
class UASide(Side):
    """A side with its plurals, non-referring mentions and bridging relations."""

    plurals: dict[int, Plural] = field(default_factory=dict)
    """The plurals by the number of their entity."""
    occurrences: list[Occurrence] = field(default_factory=list)
    non_referring: list[Occurrence] = field(default_factory=list)
    """The first mention of each entity that does not refer."""
    bridges: dict[int, Occurrence] = field(default_factory=dict)
    """The anchors of bridging anaphors."""
    every: dict[int, Mention] = field(default_factory=dict)
    """All mentions of the document by number, also those that are not scored."""

    def size(self, entity: int) -> int:
        """Return the number of mentions of an entity, its plural included."""
        return len(self.clusters[entity]) + (entity in self.plurals)


@dataclass(frozen=True, slots=True)
class UAAlignment(Alignment):
    """An alignment with plurals, which metrics align themselves."""

    version: Version = 2
    only_plurals: bool = False
    other: dict[int, int] = field(default_factory=dict)
    """The mentions that are looked up as another one."""
    equals: Callable[[Occurrence, Occurrence], bool] | None = None
    """Whether a key mention equals a response mention, if that is more than being the same."""
    key_side: UASide = field(default_factory=lambda: UASide(MentionTable("words"), Preparation(), ()))
    response_side: UASide = field(default_factory=lambda: UASide(MentionTable("words"), Preparation(), ()))

    def match(self, key: Occurrence, response: Occurrence) -> bool:
        """Return whether a non-referring mention or an anchor of the key matches one of the response."""
        return key[0] == response[0] if self.equals is None else self.equals(key, response)


def number_rows(doc: Document, version: Version) -> list[int]:
    """Return the row number of each position; in version 2 that of a zero is negative and does not count."""
    begins = [0] * (len(doc.tokens) + 1)
    for multiword in doc.tokens.multiwords:
        begins[multiword.start] += 1
    codes = []
    row = zeros = 0
    empty = doc.tokens.empty_positions
    for position in range(len(doc.tokens)):
        row += begins[position]
        if version == 2 and position in empty:
            zeros += 1
            codes.append(-1 - (row << 20 | zeros))
        else:
            codes.append(row)
            row, zeros = row + 1, 0
    return codes


class _Builder:
    """Builds a side of one document."""

    def __init__(self, part: Part, table: MentionTable, version: Version, *, by_min: bool = False) -> None:
        self.doc = part[0]
        self.table, self.version, self.by_min = table, version, by_min
        self.codes = number_rows(self.doc, version)
        self.numbers: dict[int, int] = {}  # by the identity of the mention

    @cached_property
    def _rows(self) -> list[int]:
        """The rows as minimal spans count them."""
        return self.codes if self.version == 2 else number_rows(self.doc, 2)

    def find_parts(self, mention: Mention) -> list[Words]:
        """Return the words of the parts of a mention as they were annotated."""
        parts = [tuple(self.codes[at] for at in range(*span)) for span in annotated_parts(mention)]
        if self.version == 2:
            words = [tuple(word for word in part if word >= 0) for part in parts]
            parts = [part for part in words if part] or [parts[0][:1]]
        return parts

    def find_words(self, mention: Mention) -> Words:
        parts = self.find_parts(mention)
        if self.version == 1:
            return tuple(range(parts[-1][0], parts[-1][-1] + 1))
        return tuple(sorted(word for part in parts for word in part))

    def find_min(self, mention: Mention) -> range | None:
        """Return the words of the minimal span of a mention, from `min`, or from `minspan` of CorefUD."""
        value = mention.attributes.get(MIN, "")
        if not _NUMBERS.fullmatch(value):
            value = mention.attributes.get("minspan", "")
            if not _NUMBERS.fullmatch(value):
                return None
            places = sorted({int(number) - 1 for number in value.split(",")} & set(range(len(mention.positions))))
            if not places:
                return None
            return range(self.codes[mention.positions[places[0]]], self.codes[mention.positions[places[-1]]] + 1)
        first = self._rows[mention.start]
        before = first if first >= 0 else (-1 - first) >> 20
        numbers = [int(number) + before - 1 for number in value.split(",")]
        last = numbers[0] if len(numbers) == 1 or (len(numbers) > 2 and self.version == 1) else numbers[1]
        return range(numbers[0], last + 1)

    def number(self, mention: Mention) -> int:
        if id(mention) not in self.numbers:
            words = self.find_words(mention)
            least = self.find_min(mention) if self.by_min else None
            # with a minimal span outside of itself, it does not equal any other mention
            is_strange = least is not None and not words[0] <= least.start <= least.stop - 1 <= words[-1]
            (self.numbers[id(mention)],) = self.table.number_all([(words, id(mention) if is_strange else 0)])
        return self.numbers[id(mention)]

    def is_zero(self, number: int) -> bool:
        return self.table.words[number][0] < 0

    def hash(self, number: int) -> int:
        words = self.table.words[number]
        return hash(frozenset(words if self.version == 2 else (words[0], words[-1])))

    def build(self, how: Preparation, *, zeros: bool, split: bool) -> UASide:
        """Return the side: referring entities with their mentions, as the official scorer has them."""
        side = UASide(self.table, how, [(self.doc, self.codes)])
        plurals = self._find_plurals() if split else {}
        entities: list[Listed] = []
        for entity in self.doc.entities:
            mentions = [(self.number(mention), mention) for mention in entity.mentions]
            if not entity.is_referring:
                side.non_referring.append(mentions[0])
                continue
            members = plurals.get(entity.id)
            if len(mentions) + (members is not None) < 2 and not how.singletons:
                continue
            if not zeros:
                mentions = [pair for pair in mentions if not self.is_zero(pair[0])]
            if mentions or members is not None:
                entities.append((mentions, members))
        if split:
            self._fill_sets(side, entities)
        else:
            side.clusters = [[number for number, _ in mentions] for mentions, _ in entities]
            side.occurrences = [pair for mentions, _ in entities for pair in mentions]
        for number, mention in side.occurrences:
            side.mentions.setdefault(number, mention)
        for place, cluster in enumerate(side.clusters):
            side.repeated += [side.mentions[number] for number in cluster if number in side.cluster_of]
            side.cluster_of.update(dict.fromkeys(cluster, place))
        side.empty = frozenset(code for code in self.codes if code < 0)
        for entity in self.doc.entities:
            for mention in entity.mentions:
                side.every.setdefault(self.number(mention), mention)
        for bridge in self.doc.bridges:
            anchor = find_anchor(bridge, self.doc.entities)
            if anchor is not None:
                side.bridges[self.number(bridge.anaphor)] = self.number(anchor), anchor
        return side

    def _fill_sets(self, side: UASide, entities: list[Listed]) -> None:
        """Set the entities, each a set; those with the same plural are united."""
        sets: list[set[_Element]] = []
        listed: list[Listed] = []
        place_of: dict[frozenset[tuple[int, ...]], int] = {}
        for mentions, members in entities:
            own = [_Element(number, self.hash(number)) for number, _ in mentions]
            place = len(sets)
            if members is not None:
                own.append(_Element(frozenset(members), self._hash_plural(members)))
                place = place_of.setdefault(frozenset(members), place)
            if place < len(sets):
                sets[place].update(own)
                listed[place][0].extend(mentions)
            else:
                sets.append(set(own))
                listed.append((list(mentions), members))
        for entity, (content, (mentions, members)) in enumerate(zip(sets, listed, strict=True)):
            side.clusters.append(_get_numbers(content))
            if members is not None:
                at = next(place for place, element in enumerate(content) if not isinstance(element.value, int))
                side.plurals[entity] = Plural(tuple(members), at)
            side.occurrences += dict(reversed(mentions)).items()  # the first of those that are the same

    def _hash_plural(self, members: Iterable[tuple[int, ...]]) -> int:
        return hash(frozenset(self._wrap(member) for member in members))

    def _wrap(self, member: tuple[int, ...]) -> tuple[_Element, ...]:
        return tuple(_Element(number, self.hash(number)) for number in member)

    def _find_plurals(self) -> dict[str, Sequence[tuple[int, ...]]]:
        """Return the members of the plural of each entity that has one, in the order of a set."""
        entities = {entity.id: entity for entity in self.doc.entities}
        members: dict[str, dict[str, None]] = {}
        for split in self.doc.split_antecedents:
            if split.entity in entities:
                known = [id for id in split.antecedents if id in entities]
                if known:
                    members.setdefault(split.entity, {}).update(dict.fromkeys(known))
        leaves = _find_leaves(members, self.doc)
        return {id: self._order_members(entities[leaf] for leaf in leaves[id]) for id in members}

    def _order_members(self, leaves: Iterable[Entity]) -> Sequence[tuple[int, ...]]:
        tuples = [tuple(self.number(mention) for mention in entity.mentions) for entity in leaves]
        wrapped = {self._wrap(member) for member in tuples}
        return [tuple(_get_numbers(member)) for member in wrapped]


def _get_numbers(elements: Iterable[_Element]) -> list[int]:
    """Return the numbers of mentions in the order of the elements, without plurals."""
    return [element.value for element in elements if isinstance(element.value, int)]


def _find_leaves(members: dict[str, dict[str, None]], doc: Document) -> dict[str, list[str]]:
    """Return the members of each entity, those with members replaced by theirs; raise an error for a circle."""
    leaves: dict[str, list[str]] = {}
    for start in members:
        found: dict[str, None] = {}
        stack: list[tuple[str, tuple[str, ...]]] = [(start, ())]
        while stack:
            id, path = stack.pop()
            if id in path:
                names = " → ".join(quote(name) for name in (*path[path.index(id) :], id))
                raise CoindexError(
                    f"document {quote(doc.id or '')}: split antecedents in a circle: {names}; expected entities that "
                    "are not their own members; remove one of these relations",
                    code="invalid-split-antecedent",
                )
            if id in members:
                stack += [(member, (*path, id)) for member in reversed(members[id])]
            else:
                found[id] = None
        leaves[start] = list(found)
    return leaves


def align(
    key: list[Part],
    response: list[Part],
    *,
    version: Version,
    match: str,
    singletons: bool,
    zeros: bool,
    split: Split,
) -> UAAlignment:
    """Align the two sides of a document."""
    table = MentionTable("words")
    how = Preparation(singletons=singletons)
    builders = [
        _Builder(_only(parts), table, version, by_min=match == "min" and parts is key) for parts in (key, response)
    ]
    sides = [builder.build(how, zeros=zeros, split=split != "ignored") for builder in builders]
    mine, theirs = sides
    if not singletons and (mine.plurals or theirs.plurals):
        raise CoindexError(
            f"document {quote(key[0][0].id or '')} has split antecedents, which cannot be scored without singletons; "
            "keep singletons, or ignore split antecedents with --split-antecedents ignored (split='ignored')",
            code="invalid-option",
        )
    other: dict[int, int] = {}
    if match in ("partial", "craft"):
        find = _pair_by_min if match == "partial" else _pair_by_parts
        for k, r in find(builders[0], builders[1], *_find_unmatched(mine, theirs)):
            other[k], other[r] = r, k
    equals = None
    if match == "min":
        mentions = [mention for entity in key[0][0].entities for mention in entity.mentions]
        ranges = {id(mention): builders[0].find_min(mention) for mention in mentions}

        def equals(k: Occurrence, r: Occurrence) -> bool:
            least = ranges[id(k[1])]
            if least is None:
                return k[0] == r[0]
            outer, inner = table.words[k[0]], table.words[r[0]]
            return outer[0] <= inner[0] <= least.start and least.stop - 1 <= inner[-1] <= outer[-1]

    tables = make_tables(mine, theirs, other)
    overlap = tables[2]
    if equals is not None:
        overlap = count_equal(mine, theirs, equals)
    found = {m for m in mine.cluster_of if other.get(m, m) in theirs.cluster_of}
    return UAAlignment(
        mine,
        theirs,
        tables[0],
        tables[1],
        overlap,
        lambda mention: other.get(mention, mention) if mention in found else None,
        frozenset(found),
        frozenset(m for m in theirs.cluster_of if other.get(m, m) in mine.cluster_of),
        version=version,
        only_plurals=split == "only",
        other=other,
        equals=equals,
        key_side=mine,
        response_side=theirs,
    )


def _only(parts: list[Part]) -> Part:
    if len(parts) != 1:
        name = quote(parts[0][0].id or "") if parts else "''"
        raise CoindexError(
            f"document {name}: {len(parts)} documents with the same id; expected one; rename the documents, as the "
            "Universal Anaphora scorer has one document of each name",
            code="duplicate-document-id",
        )
    return parts[0]


def make_tables(key: Side, response: Side, other: dict[int, int]) -> tuple[Table, Table, Table]:
    """Return the tables of an alignment in which some mentions are looked up as another one."""

    def find(side: Side, mentions: Iterable[int]) -> dict[int, int]:
        looked_up = ((mention, other.get(mention, mention)) for mention in mentions)
        return {mention: side.cluster_of[name] for mention, name in looked_up if name in side.cluster_of}

    members = {mention: list(dict.fromkeys(entities)) for mention, entities in response.clusters_with().items()}
    return (
        count_links(key, find(response, key.cluster_of)),
        count_links(response, find(key, response.cluster_of)),
        count_overlap(key, lambda mention: members.get(other.get(mention, mention), ())),
    )


def count_equal(key: Side, response: Side, equals: Callable[[Occurrence, Occurrence], bool]) -> Table:
    """Return how many mentions of each key entity equal a mention of each response entity."""
    table: Table = []
    occurrences = iter(key.occurrences if isinstance(key, UASide) else ())
    for cluster in key.clusters:
        row: dict[int, int] = {}
        own = key.mentions | dict(islice(occurrences, len(cluster)))  # the same words may have another minimal span
        for mention in cluster:
            pair = mention, own[mention]
            for entity, members in enumerate(response.clusters):
                if any(equals(pair, (member, response.mentions[member])) for member in members):
                    row[entity] = row.get(entity, 0) + 1
        table.append(row)
    return table


def _find_unmatched(key: UASide, response: UASide) -> tuple[list[Occurrence], list[Occurrence]]:
    """Return the mentions without zeros that are not on the other side, in order; one in two entities occurs twice."""
    table = key.table
    return tuple(  # type: ignore[return-value]  # two lists
        sorted(
            (pair for pair in side.occurrences if pair[0] not in against.cluster_of and table.words[pair[0]][0] >= 0),
            key=lambda pair: table.order(pair[0]),
        )
        for side, against in ((key, response), (response, key))
    )


def _pair_by_min(
    key: _Builder, response: _Builder, rows: list[Occurrence], columns: list[Occurrence]
) -> list[tuple[int, int]]:
    """Pair mentions of which one has a minimal span that is in both, with the greatest total weight."""
    table = key.table
    key_min = [key.find_min(mention) for _, mention in rows]
    response_min = [response.find_min(mention) for _, mention in columns]
    weights: list[dict[int, float]] = []
    for (k, _), least in zip(rows, key_min, strict=True):
        mine = table.words[k]
        line = {}
        for column, (r, _) in enumerate(columns):
            theirs = table.words[r]
            if theirs[0] > mine[-1] or theirs[-1] < mine[0]:
                continue
            if least is not None and _is_between(least, theirs, mine):
                line[column] = len(theirs) / len(mine)
            elif (own := response_min[column]) is not None and _is_between(own, mine, theirs):
                line[column] = len(mine) / len(theirs)
        weights.append(line)
    return [(rows[row][0], columns[column][0]) for row, column in assign(weights, len(columns))]


def _is_between(least: range, inner: Words, outer: Words) -> bool:
    if not inner[0] <= least.start <= least.stop - 1 <= inner[-1]:  # before looking at the words of a huge one
        return False
    return set(least) <= set(inner) <= set(outer)


def _pair_by_parts(
    key: _Builder, response: _Builder, rows: list[Occurrence], columns: list[Occurrence]
) -> list[tuple[int, int]]:
    """Pair each response mention with the first key mention whose first part contains a part of it, if it is free."""
    mentions = dict(reversed(rows))
    numbers = _get_numbers({_Element(number, key.hash(number)) for number, _ in rows})
    first = [(number, set(key.find_parts(mentions[number])[0])) for number in numbers]
    taken: set[int] = set()
    pairs = []
    for r, mention in columns:
        parts = [set(part) for part in response.find_parts(mention)]
        found = next((k for k, words in first if any(part <= words for part in parts)), None)
        if found is not None and found not in taken:
            taken.add(found)
            pairs.append((found, r))
    return pairs
