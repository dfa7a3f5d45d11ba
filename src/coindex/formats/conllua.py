"""CoNLL-UA: CoNLL-U Plus with the columns IDENTITY, BRIDGING and DISCOURSE_DEIXIS of Universal Anaphora.

The reader follows the UA scorer: the words of a document are counted from its first row, whatever their ids. It also
reads forms that the scorer misreads: `@(` between items, a closing bracket after a one-word item, bridging without
brackets, `EntityId` for `EntityID`, mentions without MarkableID, and words that contain a space in files with tabs.

A mention keeps `MarkableID`, `SemType` and other values as attributes. Its minimal span is the attribute `min`, which
counts words from the first word of the mention, so that it stays valid if the text before it changes. If the parts of a
discontinuous mention touch, overlap or are out of order, the attribute `parts` has them as they are in the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..document import Bridge, Document, Entity, Mention, Multiword, Sentence, SplitAntecedent, Token, Tokens, runs
from ..document.entities import ANCHOR, DEIXIS, MARKABLE, MIN, PARTS, annotated_parts, find_anchor
from ..document.tokens import extra_columns
from ..errors import quote
from .corefud.lines import GLOBAL_COLUMNS, STANDARD, problem_of, split_misc
from .corefud.writer import word_lines
from .detection import UA_COLUMNS, is_columns_line
from .losses import FEATURES, warn_losses
from .registry import Format
from .sink import Sink
from .source import Source
from .surface import all_sentences

COLUMNS = (*STANDARD, *UA_COLUMNS, "REFERENCE", "NOM_SEM")
_ID = re.compile(r"([0-9]{1,9})(?:([.-])([0-9]{1,9}))?")
_MIN = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")
_CLOSERS = re.compile(r"\)*|(?:[^()]+\))+")
_NAMES = {name.lower(): name for name in ("MarkableID", "EntityID", "Min", "ElementOf", "Rel", ANCHOR, "EntityAnchor")}
_RESERVED = frozenset({MARKABLE, "EntityID", "Min", "ElementOf", MIN, PARTS, ANCHOR})
Values = dict[str, str]


@dataclass(slots=True)
class _Markable:
    """A mention while it is read: its rows and values."""

    line: int
    values: Values
    parts: list[tuple[int, int] | None] = field(default_factory=list)
    """The first and last row of each part, None while it is open."""
    groups: list[str] = field(default_factory=list)
    """The entities that it is an element of."""


class _Brackets:
    """The markables of a column of a document."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.markables: dict[str, _Markable] = {}
        self._open: list[tuple[str, int, int, int]] = []  # markable, number of the part, first row, line

    def read_cell(self, cell: str, row: int, line: int) -> None:
        closers, *items = cell.replace("@(", "(").split("(")
        if not _CLOSERS.fullmatch(closers):
            return self._report(line, cell, f"{quote(closers)} before the first item")
        names = closers.split(")")[:-1]
        for name in names:
            self._close(name, row, line, cell)
        for item in items:
            bare = item.rstrip(")")
            id = self._begin(bare, line, cell)
            if id is None:
                continue
            self._open.append((id, len(self.markables[id].parts), row, line))
            self.markables[id].parts.append(None)
            for _ in range(len(item) - len(bare)):
                self._close("", row, line, cell)
        return None

    def _begin(self, item: str, line: int, cell: str) -> str | None:
        values = _parse_values(item)
        if not values.get("EntityID"):
            self.source.problem(
                line,
                f"a mention without EntityID: {quote(item)}",
                "the id of its entity",
                "add EntityID=…",
                code="invalid-entity-id",
                fragment=item,
            )
            return None
        if "Min" in values and not _MIN.fullmatch(values["Min"]):
            self.source.problem(
                line,
                f"the minimal span {quote(values['Min'])}",
                "the numbers of its first and last word",
                "write for example Min=3 or Min=3,5",
                code="invalid-span",
                fragment=values["Min"],
            )
            return None
        id = values.get(MARKABLE) or f" {len(self.markables)}"  # a space: never the id of another markable
        markable = self.markables.setdefault(id, _Markable(line, values))
        if (
            markable.values is not values
        ):  # a further part: the entity of the last part counts, but the Min of the first
            least = {name: value for name, value in markable.values.items() if name == "Min"}
            markable.values = {name: value for name, value in values.items() if name != "Min"} | least
        markable.groups += [name for name in values.get("ElementOf", "").split(",") if name]
        return id

    def _close(self, name: str, row: int, line: int, cell: str) -> None:
        found = [at for at, (id, _, _, _) in enumerate(self._open) if not name or id == name]
        if not found:
            self.source.problem(
                line,
                f"a closing bracket {quote(cell)} without an opening one",
                "a mention that is open",
                "remove the bracket, or open the mention",
                code="unopened-mention",
                fragment=cell,
            )
            return
        id, part, first, _ = self._open.pop(found[-1])
        self.markables[id].parts[part] = first, row

    def finish(self) -> list[tuple[str, _Markable]]:
        """Return the markables in the order in which they are opened."""
        for id, _, _, line in self._open:
            self.source.problem(
                line,
                f"the mention {quote(id)} without its end",
                "a closing bracket before the end of the document",
                "close it at its last word",
                code="unclosed-mention",
                fragment=id,
            )
        return [(id, markable) for id, markable in self.markables.items() if any(markable.parts)]

    def _report(self, line: int, cell: str, found: str) -> None:
        self.source.problem(
            line,
            found,
            "closing brackets, then items such as (EntityID=1|MarkableID=m1)",
            "fix the brackets",
            code="invalid-brackets",
            fragment=cell,
        )


def _parse_values(item: str) -> Values:
    """Return the values of an item by name; names of the format are recognised in any case."""
    pairs = (pair.partition("=") for pair in item.split("|"))
    return {_NAMES.get(name.lower(), name): value for name, equals, value in pairs if equals and name}


@dataclass(slots=True)
class _Draft:
    """A document while it is read."""

    source: Source
    id: str | None = None
    tokens: list[Token] = field(default_factory=list)
    multiwords: list[Multiword] = field(default_factory=list)
    sentences: list[tuple[int, int, str | None, str | None, tuple[str, ...]]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    """For each row, the position of its word, or for a multiword token of its first word."""
    is_multiword: list[bool] = field(default_factory=list)
    bridging: list[tuple[int, Values]] = field(default_factory=list)
    identity: _Brackets = field(init=False)
    deixis: _Brackets = field(init=False)

    def __post_init__(self) -> None:
        self.identity, self.deixis = _Brackets(self.source), _Brackets(self.source)


Row = tuple[int, list[str]]


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.names: tuple[str, ...] = COLUMNS
        self.draft = _Draft(source)
        self.number = 0
        self.comments: list[str] = []
        self.rows: list[Row] = []

    def documents(self) -> Iterator[Document]:
        is_empty = True
        for line, text in self.source.lines():
            if text.startswith("#"):
                self._end_sentence()
                if is_columns_line(text):
                    self._set_columns(text, line)
                elif text.startswith("# newdoc"):
                    if self.draft.tokens or self.number:
                        yield self._finish()
                    self.number += 1
                    self.draft = _Draft(self.source, _value(text) or str(self.number))
                    is_empty = False
                else:
                    self.comments.append(text)
            elif text.strip():
                self._add_row(text, line)
                is_empty = False
            else:
                self._end_sentence()
        self._end_sentence()
        if is_empty:
            self.source.problem(1, "no word", "rows of words", "check how the file was made", code="no-document")
        elif self.draft.tokens or self.number:
            yield self._finish()

    def _set_columns(self, comment: str, line: int) -> None:
        names = tuple(name.upper() for name in _value(comment).split())
        wrong = problem_of(names)
        if wrong is None and not {"ID", UA_COLUMNS[0]} <= set(names):
            wrong = "no column ID or IDENTITY"
        if wrong is not None:
            self.source.problem(
                line,
                f"{wrong} in {quote(comment)}",
                "the name of each column once, among them ID, FORM and IDENTITY",
                f"write for example {GLOBAL_COLUMNS}{' '.join(COLUMNS)}",
                code="invalid-column-names",
                fragment=comment,
            )
        else:
            self.names = names

    def _add_row(self, text: str, line: int) -> None:
        cells = text.split("\t") if "\t" in text else text.split()
        least = self.names.index(UA_COLUMNS[0]) + 1
        if not least <= len(cells) <= len(self.names):
            self.source.problem(
                line,
                f"{len(cells)} columns: {quote(text)}",
                f"{len(self.names)} columns separated by tabs",
                "fix the line; IDENTITY is the eleventh column unless a line names the columns",
                code="column-count",
                fragment=text,
            )
            return
        if len(cells) < len(self.names):
            self.source.count("rows without the last columns, read as _", code="column-count")
            cells += ["_"] * (len(self.names) - len(cells))
        self.rows.append((line, cells))

    def _end_sentence(self) -> None:
        rows, self.rows = self.rows, []
        if not rows:
            return
        comments, self.comments = self.comments, []
        start = len(self.draft.tokens)
        ids = self._number_rows(rows)
        if ids is None:
            return
        new_id = {cells[self.names.index("ID")]: id for (_, cells), id in zip(rows, ids, strict=True)}
        pending: tuple[str, int, dict[str, str]] | None = None
        for (line, cells), id in zip(rows, ids, strict=True):
            values = dict(zip(self.names, cells, strict=True))
            draft, row, at = self.draft, len(self.draft.rows), len(self.draft.tokens)
            draft.rows.append(at)
            draft.is_multiword.append("-" in id)
            if "-" in id:
                pending = id.partition("-")[2], at, values
            else:
                draft.tokens.append(_make_token(id, values, new_id))
            if pending is not None and id == pending[0]:
                draft.multiwords.append(_make_multiword(pending[1], len(draft.tokens), pending[2]))
                pending = None
            for name, brackets in ((UA_COLUMNS[0], draft.identity), (UA_COLUMNS[2], draft.deixis)):
                if values.get(name, "_") not in ("_", ""):
                    brackets.read_cell(values[name], row, line)
            if values.get(UA_COLUMNS[1], "_") not in ("_", ""):
                items = values[UA_COLUMNS[1]].replace("@(", "(").split("(")
                draft.bridging += [(line, found) for item in items if (found := _parse_values(item.rstrip(")")))]
        known = [comment[1:].partition("=") for comment in comments]
        fields = {name.strip(): value.strip() for name, equals, value in known if equals}
        others = (c for c, (name, _, _) in zip(comments, known, strict=True) if name.strip() not in _OURS)
        self.draft.sentences.append(
            (start, len(self.draft.tokens), fields.get("sent_id"), fields.get("speaker"), tuple(others))
        )

    def _number_rows(self, rows: list[Row]) -> list[str] | None:
        """Return ids that count words in the sentence: files may count them in the document."""
        ids: list[str] = []
        word = zero = left = 0
        at = self.names.index("ID")
        for line, cells in rows:
            match = _ID.fullmatch(cells[at])
            size = int(match[3]) - int(match[1]) + 1 if match and match[2] == "-" else 0
            if match is None or (match[2] == "-" and (size < 1 or left)):
                self._report_id(line, cells[at], "a number such as 3, 3-4 or 3.1")
                return None
            if match[2] == "-":
                ids.append(f"{word + 1}-{word + size}")
                left = size
            elif match[2] == ".":
                zero += 1
                ids.append(f"{word}.{zero}")
            else:
                word, zero, left = word + 1, 0, max(0, left - 1)
                ids.append(str(word))
        if left:
            self._report_id(rows[-1][0], rows[-1][1][at], "the words of the multiword token")
            return None
        return ids

    def _report_id(self, line: int, id: str, expected: str) -> None:
        self.source.problem(
            line, f"the word id {quote(id)}", expected, "number the words", code="invalid-token-id", fragment=id
        )

    def _finish(self) -> Document:
        draft = self.draft
        if draft.tokens:  # the space after the last word is dropped
            last = max((at for at, token in enumerate(draft.tokens) if not token.is_empty), default=None)
            if last is not None and draft.tokens[last].space == " ":
                draft.tokens[last] = draft.tokens[last]._replace(space="")
            if draft.multiwords and last is not None and draft.multiwords[-1].end > last:
                final = draft.multiwords[-1]
                space = "" if final.space == " " else final.space
                draft.multiwords[-1] = Multiword(final.start, final.end, final.form, final.misc, space, final.extra)
        tokens = Tokens(draft.tokens, multiwords=draft.multiwords)
        words_before = count_words(tokens)
        identity = _Entities(draft, tokens, draft.identity.finish(), words_before)
        identity.add_anchors(draft.bridging, self.source)
        deixis = _Entities(draft, tokens, draft.deixis.finish(), words_before, taken=frozenset(identity.members))
        return Document(
            tokens,
            tuple(Sentence(tokens, *fields) for fields in draft.sentences),
            (*identity.build(), *deixis.build({DEIXIS: "yes"})),
            id=draft.id,
            bridges=identity.build_bridges(draft.bridging),
            split_antecedents=(*identity.build_splits(self.source), *deixis.build_splits(self.source)),
        )


_OURS = frozenset({"text", "sent_id", "speaker"})


def _value(comment: str) -> str:
    return comment.partition("=")[2].strip()


def _make_token(id: str, values: Mapping[str, str], new_id: Mapping[str, str]) -> Token:
    misc, space, _ = split_misc(values.get("MISC", "_") or "_")
    columns = {name: values.get(name) or "_" for name in STANDARD}
    head = new_id.get(columns["HEAD"], columns["HEAD"])
    deps = columns["DEPS"]
    if deps != "_":
        pairs = (pair.partition(":") for pair in deps.split("|"))
        deps = "|".join(f"{new_id.get(parent, parent)}{colon}{relation}" for parent, colon, relation in pairs)
    cells = (id, *(columns[name] for name in STANDARD[1:6]), head, columns["DEPREL"], deps, misc)
    return Token._make((*cells, "" if "." in id else space, _extra(values)))


def _make_multiword(start: int, end: int, values: Mapping[str, str]) -> Multiword:
    misc, space, _ = split_misc(values.get("MISC", "_") or "_")
    return Multiword(start, end, values.get("FORM") or "_", misc, space, _extra(values))


def _extra(values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    names = values.keys() - {*STANDARD, *UA_COLUMNS}
    return extra_columns({name: values[name] for name in names if values[name]})


def count_words(tokens: Tokens) -> list[int]:
    """Return the number of rows that are not zeros before each position, as minimal spans count them.

    A multiword token has a row of its own.
    """
    begins = Counter(multiword.start for multiword in tokens.multiwords)
    before = []
    number = 0
    for position in range(len(tokens)):
        number += begins[position]
        before.append(number)
        number += position not in tokens.empty_positions
    return before


class _Entities:
    """The entities of a column."""

    def __init__(
        self,
        draft: _Draft,
        tokens: Tokens,
        markables: list[tuple[str, _Markable]],
        words_before: list[int],
        taken: frozenset[str] = frozenset(),
    ) -> None:
        self.names: dict[str, str] = {}
        self.members: dict[str, list[str]] = {}
        self.mentions: dict[str, Mention] = {}
        self.entity_of: dict[str, str] = {}
        self.groups: dict[str, list[str]] = {}
        for id, markable in markables:
            original = markable.values["EntityID"]
            name = self.names.setdefault(original, f"DD-{original}" if original in taken else original)
            self.members.setdefault(name, []).append(id)
            self.entity_of[id] = name
            self.mentions[id] = _make_mention(draft, tokens, markable, words_before)
            if markable.groups:
                self.groups[id] = markable.groups

    def add_anchors(self, bridging: list[tuple[int, Values]], source: Source) -> None:
        """Add the anchors of bridging anaphors to their mentions; the last of several counts, as in the scorer."""
        known = self.mentions
        for _, values in bridging:
            anaphor, anchor, entity = (values.get(name, "") for name in (MARKABLE, ANCHOR, "EntityAnchor"))
            if anaphor not in known or (anchor and anchor not in known) or (not anchor and entity not in self.names):
                source.count(
                    "bridging relations of mentions or entities that do not exist, left out",
                    code="unresolved-reference",
                )
        for anaphor, values in _last_by_anaphor(bridging).items():
            if anaphor in known and values.get(ANCHOR, "") in known:
                old = known[anaphor]
                known[anaphor] = Mention(old.layer, old.positions, None, {**old.attributes, ANCHOR: values[ANCHOR]})

    def build(self, attributes: Mapping[str, str] | None = None) -> Iterator[Entity]:
        for name, ids in self.members.items():
            yield Entity(name, tuple(self.mentions[id] for id in ids), attributes=dict(attributes or {}))

    def build_bridges(self, bridging: list[tuple[int, Values]]) -> tuple[Bridge, ...]:
        bridges = []
        for anaphor, values in _last_by_anaphor(bridging).items():
            anchor, entity = values.get(ANCHOR, ""), self.names.get(values.get("EntityAnchor", ""))
            if anaphor not in self.mentions or (anchor and anchor not in self.mentions):
                continue
            antecedent = entity or self.entity_of.get(anchor)
            if antecedent is not None:
                bridges.append(
                    Bridge(self.mentions[anaphor], self.entity_of[anaphor], antecedent, values.get("Rel") or None)
                )
        return tuple(bridges)

    def build_splits(self, source: Source) -> Iterator[SplitAntecedent]:
        members: dict[str, dict[str, None]] = {}
        for id, groups in self.groups.items():
            for group in groups:
                if group in self.names:
                    members.setdefault(self.names[group], {})[self.entity_of[id]] = None
                else:
                    source.count("elements of entities that do not exist, ignored", code="unresolved-reference")
        for name, antecedents in members.items():
            yield SplitAntecedent(self.mentions[self.members[name][0]], name, tuple(antecedents))


def _last_by_anaphor(bridging: list[tuple[int, Values]]) -> dict[str, Values]:
    return {values.get(MARKABLE, ""): values for _, values in bridging}


def _make_mention(draft: _Draft, tokens: Tokens, markable: _Markable, words_before: list[int]) -> Mention:
    parts = [_positions(draft, *rows) for rows in markable.parts if rows is not None]
    positions = tuple(sorted({position for part in parts for position in part}))
    attributes = {name: value for name, value in markable.values.items() if name not in _RESERVED or name == MARKABLE}
    if "Min" in markable.values:
        numbers = map(int, markable.values["Min"].split(","))
        attributes[MIN] = ",".join(str(number - words_before[positions[0]]) for number in numbers)
    if [(part[0], part[-1] + 1) for part in parts] != runs(positions):
        first = positions[0]
        attributes[PARTS] = ",".join(f"{part[0] - first + 1}-{part[-1] - first + 1}" for part in parts)
    return Mention(tokens, positions, None, attributes)


def _positions(draft: _Draft, first: int, last: int) -> range:
    """Return the positions of rows; a multiword token alone stands for its words."""
    start, end = draft.rows[first], draft.rows[last]
    if draft.is_multiword[last]:
        if first != last:
            end -= 1
        else:
            end = next(multiword.end for multiword in draft.multiwords if multiword.start == start) - 1
    return range(start, max(start, end) + 1)


def read(source: Source) -> Iterator[Document]:
    """Read the documents of a CoNLL-UA file; rows before any `# newdoc` are a document without an id."""
    return _Reader(source).documents()


_LOSSES = {
    "characters": "words, ids or values with white space or brackets, written with _",
    "edges": "zeros at the beginning or end of a mention, left out because only mentions of one row may begin there",
    "crossing": "documents with mentions that cross each other, whose closing brackets have ids "
    "(--allow-boundary-crossing of the UA scorer)",
    "loose-relations": "bridging relations and split antecedents of entities that do not exist",
}
_SPACE = re.compile(r"\s")
_SPECIAL = re.compile(r"[\s()|=,@]")
_NUMBERS = re.compile(r"-?[0-9]{1,9}(,-?[0-9]{1,9})*")


def write(docs: Iterable[Document], sink: Sink) -> None:
    """Write documents one after the other; the columns are named in the first line."""
    lost: Counter[str] = Counter()
    further: tuple[str, ...] | None = None
    for number, doc in enumerate(docs, 1):
        if further is None:
            extra = {name for token in doc.tokens for name, _ in token.extra} - set(COLUMNS)
            further = (*COLUMNS[-2:], *sorted(name for name in extra if not _SPACE.search(name)))
            sink.stream.write(f"{GLOBAL_COLUMNS}{' '.join((*COLUMNS[:-2], *further))}\n")
        sink.stream.write(_DocumentWriter(doc, further, lost).make_text(number))
    warn_losses("conllua", lost, _LOSSES)


class _DocumentWriter:
    def __init__(self, doc: Document, further: tuple[str, ...], lost: Counter[str]) -> None:
        self.doc, self.further, self.lost = doc, further, lost
        self.words_before = count_words(doc.tokens)
        self.names = self._name_entities()
        self.groups: dict[str, list[str]] = {}
        for split in doc.split_antecedents:
            for id in split.antecedents:
                if {id, split.entity} <= self.names.keys():
                    self.groups.setdefault(id, []).append(self.names[split.entity])
                else:
                    lost["loose-relations"] += 1

    def _clean(self, text: str, pattern: re.Pattern[str] = _SPECIAL) -> str:
        cleaned = pattern.sub("_", text)
        self.lost["characters"] += cleaned != text
        return cleaned or "_"

    def _name_entities(self) -> dict[str, str]:
        names: dict[str, str] = {}
        taken: set[str] = set()
        for entity in self.doc.entities:
            name = self._clean(entity.id)
            while name in taken:
                name = "x" + name
            taken.add(name)
            names[entity.id] = name
        return names

    def make_text(self, number: int) -> str:
        doc = self.doc
        identity = [entity for entity in doc.entities if not entity.is_deixis]
        markables = self._name_markables(identity)
        cells = [
            self._make_brackets(identity, markables),
            self._make_bridging(markables),
            self._make_brackets([entity for entity in doc.entities if entity.is_deixis], None),
        ]
        lines = [f"# newdoc id = {' '.join((doc.id or '').split()) or f'document{number}'}"]
        for sentence in all_sentences(doc):
            lines += sentence.comments
            if sentence.id is not None:
                lines.append(f"# sent_id = {' '.join(sentence.id.split())}")
            if sentence.speaker is not None:
                lines.append(f"# speaker = {' '.join(sentence.speaker.split())}")
            lines.append(f"# text = {' '.join(sentence.text.split())}")
            position = sentence.start
            for line in word_lines(doc, sentence, {}, self.further):
                *columns, misc = line.split("\t")
                own = ["_"] * 3
                if "-" not in columns[0]:
                    own = [cell.get(position, "_") for cell in cells]
                    position += 1
                row = [*columns[:9], misc, *own, *columns[9:]]
                lines.append("\t".join(self._clean(cell, _SPACE) for cell in row))
            lines.append("")
        return "\n".join(lines) + ("\n" if lines[-1] == "" else "\n\n")

    def _name_markables(self, entities: list[Entity]) -> dict[int, str]:
        """Return the MarkableID of each mention, by the identity of the object; ids that are missing are numbered."""
        mentions = [mention for entity in entities for mention in entity.mentions]
        given = [self._clean(mention.attributes.get(MARKABLE, "").strip()) for mention in mentions]
        times = Counter(given)
        names = {}
        number = 0
        for mention, name in zip(mentions, given, strict=True):
            while name == "_" or times[name] > 1:
                number += 1
                name = f"markable_{number}"
                if name not in times:
                    break
                name = "_"
            names[id(mention)] = name
        return names

    def _make_brackets(self, entities: list[Entity], markables: dict[int, str] | None) -> dict[int, str]:
        names = self._name_markables(entities) if markables is None else markables
        items = []
        for entity in entities:
            for place, mention in enumerate(entity.mentions):
                text = self._make_item(entity, mention, names[id(mention)], is_first=not place)
                items += [(start, end, names[id(mention)], text) for start, end in self._find_parts(mention)]
        crossing = _cross([(start, end) for start, end, _, _ in items])
        self.lost["crossing"] += crossing
        opened: dict[int, list[tuple[int, int, str]]] = {}
        closed: dict[int, list[tuple[int, int, str]]] = {}
        for number, (start, end, name, text) in enumerate(items):
            is_single = end - start == 1
            opened.setdefault(start, []).append((-end, number, f"({text})" if is_single else f"({text}"))
            if not is_single:
                closed.setdefault(end - 1, []).append((-start, -number, f"{name})" if crossing else ")"))
        return {
            at: "".join(text for _, _, text in (*sorted(closed.get(at, [])), *sorted(opened.get(at, []))))
            for at in opened.keys() | closed.keys()
        }

    def _make_item(self, entity: Entity, mention: Mention, name: str, *, is_first: bool) -> str:
        values = {"EntityID": self.names[entity.id], MARKABLE: name}
        if least := self._find_min(mention):
            values["Min"] = least
        if is_first and entity.id in self.groups:
            values["ElementOf"] = ",".join(dict.fromkeys(self.groups[entity.id]))
        for attribute, value in mention.attributes.items():
            if attribute not in _RESERVED:
                values.setdefault(self._clean(attribute), self._clean(value))
        return "|".join(f"{attribute}={value}" for attribute, value in values.items())

    def _find_min(self, mention: Mention) -> str:
        """Return the minimal span in words of the document: from `min`, or from `minspan` of CorefUD."""
        value = mention.attributes.get(MIN, "")
        before = self.words_before
        if _NUMBERS.fullmatch(value):
            numbers = [int(number) + before[mention.start] for number in value.split(",")]
            return ",".join(map(str, numbers)) if min(numbers) >= 0 else ""
        value = mention.attributes.get("minspan", "")
        if not _MIN.fullmatch(value):
            return ""
        places = sorted({int(number) - 1 for number in value.split(",")} & set(range(len(mention.positions))))
        words = [before[mention.positions[place]] + 1 for place in places]
        return ",".join(str(word) for word in dict.fromkeys((words[0], words[-1]))) if words else ""

    def _find_parts(self, mention: Mention) -> list[tuple[int, int]]:
        """Return the spans that are written; zeros at the ends of a longer one are left out."""
        parts = annotated_parts(mention)
        if len(mention.positions) == 1:
            return parts
        empty = self.doc.tokens.empty_positions
        trimmed = []
        for start, end in parts:
            words = [position for position in range(start, end) if position not in empty]
            if words:
                trimmed.append((words[0], words[-1] + 1))
        if not trimmed:  # several zeros
            trimmed = [(mention.start, mention.start + 1)]
        self.lost["edges"] += sum(b - a for a, b in parts) - sum(b - a for a, b in trimmed)
        return trimmed

    def _make_bridging(self, markables: dict[int, str]) -> dict[int, str]:
        by_place = {
            (entity.id, mention.positions, mention.attributes.get(MARKABLE)): mention
            for entity in self.doc.entities
            for mention in entity.mentions
        }
        items: dict[int, list[str]] = {}
        for bridge in self.doc.bridges:
            anaphor = by_place.get((bridge.entity, bridge.anaphor.positions, bridge.anaphor.attributes.get(MARKABLE)))
            anchor = find_anchor(bridge, self.doc.entities)
            if anaphor is None or anchor is None or not markables.keys() >= {id(anaphor), id(anchor)}:
                self.lost["loose-relations"] += 1
                continue
            relation = f"|Rel={self._clean(bridge.relation)}" if bridge.relation else ""
            items.setdefault(bridge.anaphor.start, []).append(
                f"({MARKABLE}={markables[id(anaphor)]}{relation}|{ANCHOR}={markables[id(anchor)]}"
                f"|EntityAnchor={self.names[bridge.antecedent]})"
            )
        return {at: "".join(texts) for at, texts in items.items()}


def _cross(spans: list[tuple[int, int]]) -> bool:
    """Return whether spans cross, so that brackets without ids would be paired in another way."""
    open_until: list[int] = []
    for start, end in sorted((start, -end) for start, end in spans):
        while open_until and open_until[-1] <= start:
            open_until.pop()
        if open_until and -end > open_until[-1]:
            return True
        open_until.append(-end)
    return False


FORMAT = Format(
    name="conllua",
    summary="CoNLL-UA of Universal Anaphora: identity, bridging, discourse deixis, minimal spans, non-referring",
    carries=frozenset(FEATURES) - {"heads", "types", "events", "entity-attributes", "topics", "genre"},
    read=read,
    write=write,
)
