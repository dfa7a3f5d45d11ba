"""brat standoff: a plain text (.txt) and annotations of its characters beside it (.ann).

T lines become mentions; how they form entities depends on the style of the file. Most files link mentions by relations
or equivalences. LitBank gives each mention a T line with its category (NOM_PER) and, on the same characters, another
one with the label of its chain (Emma-3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..document import Document, Entity, Kind, Mention, Span, mention_order
from ..document.disjoint_sets import Groups
from ..errors import quote
from .registry import Format, Option
from .sink import Sink
from .source import Source
from .surface import distinct, in_order, sort_mentions, without_zeros
from .text import has_words, text_beside
from .xml import file_name

_SPANS = re.compile(r"(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)")
_ARGUMENT = re.compile(r"[^\s:]+:([A-Z][0-9]+)")


@dataclass(frozen=True, slots=True)
class Bound:
    """A T line: a label on characters, in one span or several."""

    id: str
    label: str
    spans: tuple[Span, ...]
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Relation:
    """An R line or an equivalence (*): a name and the annotations it joins."""

    name: str
    members: tuple[str, ...]
    line: int
    is_equivalence: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """An E line: the annotation that is the event's trigger."""

    trigger: str
    line: int


@dataclass(slots=True)
class Standoff:
    """The content of a .ann file."""

    bounds: dict[str, Bound] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: dict[str, dict[str, str]] = field(default_factory=dict)


def read_standoff(source: Source) -> Standoff:
    """Read the annotations of a file; report lines that cannot be parsed."""
    standoff = Standoff()
    for number, line in source.lines():
        if not line.strip():
            continue
        id, _, rest = line.partition("\t")
        kind = id[:1]
        if kind == "T":
            _read_bound(standoff, source, number, id, rest)
        elif kind in ("R", "*"):
            _read_relation(standoff, source, number, kind, rest)
        elif kind == "E":
            _read_event(standoff, source, number, id, rest)
        elif kind in ("A", "M"):
            _read_attribute(standoff, source, number, rest)
        elif kind == "#":
            _read_note(standoff, rest)
        elif kind == "N":
            source.count("normalizations (N lines), left out", code="left-out")
        else:
            _bad_line(source, number, line, "a line that begins with T, R, *, E, A, M, N or #")
    return standoff


def _bad_line(source: Source, number: int, line: str, expected: str) -> None:
    source.problem(
        number, f"the line {quote(line)}", expected, "correct or remove the line", code="invalid-line", fragment=line
    )


def _read_bound(standoff: Standoff, source: Source, number: int, id: str, rest: str) -> None:
    about, tab, text = rest.partition("\t")
    match = _SPANS.fullmatch(about)
    if match is None or not tab:
        _bad_line(source, number, f"{id}\t{rest}", "T1, tab, label and offsets (0 5;8 9), tab, text")
        return
    if id in standoff.bounds:
        source.problem(
            number,
            f"a second annotation {quote(id)}; the first is on line {standoff.bounds[id].line}",
            "an id for each annotation",
            "give it a new number",
            code="duplicate-annotation-id",
            fragment=id,
        )
        return
    pairs = (pair.split(" ") for pair in match[2].split(";"))
    spans = tuple(sorted((int(start), int(end)) for start, end in pairs))
    standoff.bounds[id] = Bound(id, match[1], spans, text, number)


def _read_relation(standoff: Standoff, source: Source, number: int, kind: str, rest: str) -> None:
    name, *members = rest.split() or [""]
    if kind == "R":
        arguments = [_ARGUMENT.fullmatch(member) for member in members]
        members = [argument[1] for argument in arguments if argument]
        if len(arguments) != 2 or len(members) != 2:
            _bad_line(source, number, f"R…\t{rest}", "R1, tab, name, Arg1:T1 and Arg2:T2")
            return
    elif not members:
        _bad_line(source, number, f"*\t{rest}", "*, tab, name and the ids of annotations")
        return
    standoff.relations.append(Relation(name, tuple(members), number, kind == "*"))


def _read_event(standoff: Standoff, source: Source, number: int, id: str, rest: str) -> None:
    trigger, *arguments = rest.split() or [""]
    match = _ARGUMENT.fullmatch(trigger)
    if match is None or id in standoff.events:
        _bad_line(source, number, f"{id}\t{rest}", "E1 (once), tab, and Label:T1")
        return
    standoff.events[id] = Event(match[1], number)
    if arguments:
        source.count("arguments of events, left out", len(arguments), code="left-out")


def _read_attribute(standoff: Standoff, source: Source, number: int, rest: str) -> None:
    name, _, about = rest.partition(" ")
    target, blank, value = about.partition(" ")
    if not name or not target.strip():
        _bad_line(source, number, f"A…\t{rest}", "A1, tab, name, T1 and a value if it has one")
        return
    standoff.attributes.setdefault(target.strip(), {})[name] = value if blank else "true"


def _read_note(standoff: Standoff, rest: str) -> None:
    about, _, text = rest.partition("\t")
    kind, _, target = about.partition(" ")
    standoff.notes.setdefault(target.strip(), {})[kind] = text


UNTYPED = "Mention"
LABEL = "label"
ID_NOTE, TYPE_NOTE, HEAD_NOTE = "EntityId", "EntityType", "Head"
_IDENTITY = re.compile("coref|^ident", re.IGNORECASE)
_ENTITY_LABEL = re.compile(r".+-[0-9]+")
_CATEGORY = re.compile(r"[A-Z]+_([A-Z]+)")
_OFFSETS = re.compile(r"([0-9]{1,9}) ([0-9]{1,9})")


def read(source: Source, *, relations: str = "") -> Iterator[Document]:
    """Read the document of a .ann file and the text beside it."""
    pair = _find_pair(source)
    if pair is None:
        return
    annotations, path = pair
    text_source = source.sibling(path)
    try:
        text = text_source.text()
        standoff = read_standoff(annotations)
    finally:
        text_source.close()
        annotations.close()
    names = {name.strip() for name in relations.split(",") if name.strip()}
    yield _Reader(annotations, standoff, text, names).document()
    if annotations is not source:
        annotations.warn_counts()


def _find_pair(source: Source) -> tuple[Source, Path] | None:
    """Return the annotations and the path of their text, whichever of the two files was given."""
    if source.path is None:
        source.problem(
            None,
            "standard input",
            "a .ann file beside the .txt file it is about",
            "name the .ann file",
            code="unsupported-standard-input",
        )
        return None
    is_text = _is_text(source.path)
    others = _counterparts(source.path)
    other = next((path for path in others if path.is_file()), None)
    if other is None:
        source.problem(
            None,
            "annotations without their text" if not is_text else "a text without annotations",
            f"the file {others[0].name} beside it",
            "put the two files into one folder",
            code="missing-companion-file",
        )
        return None
    return (source.sibling(other), source.path) if is_text else (source, other)


def parts(path: Path) -> list[Path]:
    """Return the text file of a file of annotations."""
    return [] if _is_text(path) else _counterparts(path)


def _is_text(path: Path) -> bool:
    return path.name.removesuffix(".gz").endswith(".txt")


def _counterparts(path: Path) -> list[Path]:
    """Return the possible paths of the text of annotations, or of the annotations of a text."""
    name = path.name.removesuffix(".gz")
    stem = name.rpartition(".")[0] or name
    return [path.with_name(f"{stem}.{'ann' if _is_text(path) else 'txt'}{end}") for end in ("", ".gz")]


class _Reader:
    def __init__(self, source: Source, standoff: Standoff, text: str, names: set[str]) -> None:
        self.source = source
        self.standoff = standoff
        self.text = text
        self.bounds = {id: bound for id, bound in standoff.bounds.items() if self._fits(bound)}
        self.links = [relation for relation in standoff.relations if _is_identity(relation, names)]
        for relation in standoff.relations:
            if not _is_identity(relation, names):
                source.count(f"{relation.name[:40]} relations, left out: they are not coreference", code="left-out")
        self.trigger_of = {id: trigger for id in standoff.events if (trigger := self._trigger(id))}
        self.notes = self._by_mention(standoff.notes, "notes")
        self.attributes = self._by_mention(standoff.attributes, "attributes")
        self.labels = self._entity_labels()

    def document(self) -> Document:
        doc = Document.from_text(self.text, id=self.source.stem, cuts=self._cuts(), markup="none")
        positions: dict[str, tuple[int, ...]] = {}
        for id, bound in self.bounds.items():
            if self.labels and _ENTITY_LABEL.fullmatch(bound.label):
                continue
            covered = {p for start, end in bound.spans for p in doc.tokens.positions_in(start, end)}
            if covered:
                positions[id] = tuple(sorted(covered))
            else:
                self._report(bound, "on white space only", "characters that are part of a word")
        return doc.replace(entities=in_order(self._entities(doc, positions)))

    def _fits(self, bound: Bound) -> bool:
        size = len(self.text)
        if not all(start < end <= size for start, end in bound.spans):
            shown = ";".join(f"{start} {end}" for start, end in bound.spans)
            self._report(bound, f"with the offsets {quote(shown)}", f"start < end ≤ {size}, the length of the text")
            return False
        there = " ".join(self.text[start:end] for start, end in bound.spans)
        if there.split() != bound.text.split():
            found = f"with the text {quote(bound.text)}, where the document has {quote(there)}"
            self._report(bound, found, "the text at its offsets, which count characters", code="text-mismatch")
        return True

    def _report(self, bound: Bound, found: str, expected: str, *, code: str = "invalid-span") -> None:
        remedy = "correct the offsets, or use the text that was annotated"
        self.source.problem(
            bound.line,
            f"annotation {quote(bound.id)} {found}",
            expected,
            remedy,
            code=code,
            fragment=bound.id,
        )

    def _trigger(self, id: str) -> str | None:
        event = self.standoff.events[id]
        if event.trigger not in self.standoff.bounds:
            self._report_missing(event.line, event.trigger)
        return event.trigger if event.trigger in self.bounds else None

    def _report_missing(self, line: int, id: str) -> None:
        self.source.problem(
            line,
            f"the annotation {quote(id)}, which does not exist",
            "the id of a T or E line of this file",
            "correct or remove the line",
            code="unresolved-reference",
            fragment=id,
        )

    def _by_mention(self, about: Mapping[str, dict[str, str]], what: str) -> dict[str, dict[str, str]]:
        """Return the values for mentions; those of an event belong to its trigger."""
        attributes: dict[str, dict[str, str]] = {}
        for target, values in about.items():
            id = self.trigger_of.get(target, target)
            if id in self.bounds:
                attributes.setdefault(id, {}).update(values)
            elif id not in self.standoff.bounds:  # otherwise its problem was reported
                self.source.count(
                    f"{what} of annotations that are not mentions, left out", len(values), code="left-out"
                )
        return attributes

    def _entity_labels(self) -> dict[tuple[Span, ...], str]:
        """Return the entity label at each span in LitBank's style; empty in the usual style."""
        if self.links or any(ID_NOTE in notes for notes in self.notes.values()):
            return {}
        labels: dict[tuple[Span, ...], str] = {}
        categories = set()
        for bound in self.bounds.values():
            if not _ENTITY_LABEL.fullmatch(bound.label):
                categories.add(bound.spans)
            elif labels.setdefault(bound.spans, bound.label) != bound.label:
                self.source.count("mentions with two chain labels, kept in the first", code="ambiguous-entity")
        return labels if labels.keys() <= categories else {}

    def _cuts(self) -> Iterator[int]:
        for bound in self.bounds.values():
            for span in bound.spans:
                yield from span
        for notes in self.notes.values():
            if match := _OFFSETS.fullmatch(notes.get(HEAD_NOTE, "")):
                yield from map(int, match.groups())

    def _group_ids(self, ids: Iterable[str]) -> Groups[str]:
        groups = Groups(ids)
        first: dict[str, str] = {}
        for id in list(ids):
            if label := self.labels.get(self.bounds[id].spans):
                groups.join(first.setdefault(label, id), id)
        for relation in self.links:
            members = [self.trigger_of.get(member, member) for member in relation.members]
            for member in members:
                if member not in self.standoff.bounds:
                    self._report_missing(relation.line, member)
            there = [member for member in members if member in groups]
            for member in there[1:]:
                groups.join(there[0], member)
        return groups

    def _entities(self, doc: Document, positions: Mapping[str, tuple[int, ...]]) -> Iterator[Entity]:
        events = set(self.trigger_of.values())
        taken: set[str] = set()
        for group in self._group_ids(positions):
            ids = sorted(group, key=lambda id: mention_order(doc.mention(positions[id])))
            type = self._type(ids)
            mentions = distinct(self._mention(doc, id, positions[id], type) for id in ids)
            if len(mentions) < len(ids):
                self.source.count(
                    "annotations that repeat another one of their chain",
                    len(ids) - len(mentions),
                    code="duplicate-mention",
                )
            kind: Kind = "event" if ids[0] in events else "entity"
            yield Entity(self._entity_id(ids, taken), mentions, type, kind)

    def _type(self, ids: list[str]) -> str | None:
        for id in ids:
            if type := self.notes.get(id, {}).get(TYPE_NOTE):
                return type
        label = self.bounds[ids[0]].label
        if self.labels and (category := _CATEGORY.fullmatch(label)):
            return category[1]
        return None if label == UNTYPED else label

    def _entity_id(self, ids: list[str], taken: set[str]) -> str:
        noted = (self.notes.get(id, {}).get(ID_NOTE) for id in ids)
        wanted = next(filter(None, noted), None) or self.labels.get(self.bounds[ids[0]].spans) or ids[0]
        while wanted in taken:
            wanted += "'"
        taken.add(wanted)
        return wanted

    def _mention(self, doc: Document, id: str, positions: tuple[int, ...], type: str | None) -> Mention:
        label = self.bounds[id].label
        attributes = dict(self.attributes.get(id, {}))
        if self.labels:
            attributes["category"] = label
        elif label != (type or UNTYPED):
            attributes[LABEL] = label
        notes = dict(self.notes.get(id, {}))
        head = self._head(doc, notes.pop(HEAD_NOTE, ""), positions)
        attributes.update((name, text) for name, text in notes.items() if name not in (ID_NOTE, TYPE_NOTE))
        return Mention(doc.tokens, positions, head, attributes)

    def _head(self, doc: Document, note: str, positions: tuple[int, ...]) -> int | None:
        match = _OFFSETS.fullmatch(note)
        heads = doc.tokens.positions_in(int(match[1]), int(match[2])) if match else range(0)
        head = next((position for position in heads if position in positions), None)
        if note and head is None:
            self.source.count("heads outside their mentions, left out", code="invalid-head")
        return head


def _is_identity(relation: Relation, names: set[str]) -> bool:
    if relation.is_equivalence:
        return True
    return relation.name in names if names else bool(_IDENTITY.search(relation.name))


_NO_LABEL = re.compile(r"[^\w.-]")
_LINE = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


def write(docs: Iterable[Document], sink: Sink) -> None:
    for number, doc in enumerate(docs, 1):
        name = file_name(doc.id, f"doc{number}")
        with sink.file(f"{name}.txt") as out:
            out.write(text_beside(doc))
        with sink.file(f"{name}.ann") as out:
            out.writelines(f"{line}\n" for line in _lines(without_zeros(doc)))


def _lines(doc: Document) -> Iterator[str]:
    ids: dict[tuple[str, tuple[int, ...]], str] = {}
    notes: list[str] = []
    attributes: list[str] = []
    events: list[str] = []
    for mention, entity in sort_mentions(doc):
        spans = list(_spans(mention, doc.text))
        if not spans:
            continue
        id = ids[entity.id, mention.positions] = f"T{len(ids) + 1}"
        label = _label(mention, entity)
        offsets = ";".join(f"{start} {end}" for start, end in spans)
        yield f"{id}\t{label} {offsets}\t{' '.join(doc.text[start:end] for start, end in spans)}"
        if entity.kind == "event":
            events.append(f"{label}:{id}")
        attributes += _attributes(mention, entity, id)
        if mention.head is not None:
            head = doc.tokens.start_char(mention.head), doc.tokens.end_char(mention.head)
            notes.append(f"{HEAD_NOTE} {id}\t{head[0]} {head[1]}")
    yield from (f"E{number}\t{event}" for number, event in enumerate(events, 1))
    for entity in doc.entities:
        members = [ids[key] for m in entity.mentions if (key := (entity.id, m.positions)) in ids]
        if len(members) > 1:
            yield f"*\tCoref {' '.join(members)}"
        if members:
            notes.append(f"{ID_NOTE} {members[0]}\t{_one_line(entity.id)}")
            if entity.type not in (None, _label(entity.mentions[0], entity)) or entity.type == UNTYPED:
                notes.append(f"{TYPE_NOTE} {members[0]}\t{_one_line(entity.type or '')}")
    yield from (f"A{number}\t{attribute}" for number, attribute in enumerate(attributes, 1))
    yield from (f"#{number}\t{note}" for number, note in enumerate(notes, 1))


def _spans(mention: Mention, text: str) -> Iterator[Span]:
    """Return the character spans, split at line ends as brat does, without spaces around them."""
    for start, end in mention.char_spans:
        for line in _LINE.finditer(text, start, end):
            bare = line[0].strip()
            if has_words(bare):
                first = line.start() + line[0].index(bare)
                yield first, first + len(bare)


def _label(mention: Mention, entity: Entity) -> str:
    return _own_label(mention, entity) or _clean(entity.type or UNTYPED)


def _own_label(mention: Mention, entity: Entity) -> str:
    """Return the label that the mention was read with, if it differs from the entity's type."""
    label = mention.attributes.get(LABEL, "")
    return label if entity.type is not None and label == _clean(label) else ""


def _clean(name: str) -> str:
    return _NO_LABEL.sub("_", name) or "_"


def _attributes(mention: Mention, entity: Entity, id: str) -> Iterator[str]:
    for name, value in mention.attributes.items():
        if name != LABEL or not _own_label(mention, entity):
            yield f"{_clean(name)} {id} {_one_line(value)}"


def _one_line(text: str) -> str:
    return " ".join(text.splitlines()).replace("\t", " ")


FORMAT = Format(
    name="brat",
    summary="brat standoff: .txt and .ann, chains as relations, equivalences or (LitBank) labels",
    carries=frozenset(
        {
            "spaces",
            "discontinuous",
            "self-crossing",
            "cross-sentence",
            "entities",
            "heads",
            "attributes",
            "types",
            "events",
        }
    ),
    read=read,
    write=write,
    is_folder=True,
    parts=parts,
    read_options=(
        Option(
            "relations",
            (),
            "names of the relations that mean identity, separated by commas; default: names that contain "
            '"coref" or begin with "ident", in any case',
        ),
    ),
)
