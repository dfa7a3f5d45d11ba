"""RU-EVAL 2014 (anaphora and coreference for Russian) and RuCor.

The campaign used an XML file of groups with plain texts; RuCor consists of tables of tokens and groups.

The paper (Toldova and others, Dialogue 2014) describes the data: plain texts, and an XML file with the
text's id, the group's id, its chain, its offset and length, the expression itself, its attributes and its
head. It does not show the XML, so this is our schema, for both keys and responses:

    <rueval track="coreference">               or anaphora, where a chain is <antecedent, pronoun>
      <text id="12" file="texts/12.txt">
        <group id="1" chain="3" offset="120" length="8" head_offset="124" head_length="4"
               func="def" str="noun">expression</group>
      </text>
    </rueval>

Offsets and lengths count characters (Unicode code points, line ends as they are) from the text's beginning.
The expression must be the text at that place, white space aside. The head is one word of the group. Any other
attribute is kept for the mention, such as the paper's functional type (def, pred, appo, ds, misc, meton) and
structure (noun, refl, dem, rel …). A group without a chain is a singleton. `file` is a path below the XML file's
folder; without it the text is ID.txt or texts/ID.txt. The default `language` of a text is ru.

RuCor, the corpus that grew out of the campaign, is read too: tables Tokens.txt (doc_id, shift, length, token,
lemma, gram) and Groups.txt (doc_id, variant, group_id, chain_id, link, shift, length, content, tk_shifts,
attributes, head, hd_shifts) with those column names in their first lines. The text is put together from the
tokens, with spaces in the gaps; a token tagged SENT ends a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import TextIO

from ..document import Document, Entity, Mention, Sentence, Span, Token, Tokens, mention_order
from ..errors import CoindexError, quote
from .detection import RUCOR_GROUPS
from .losses import warn_losses
from .registry import Format
from .sink import Sink
from .source import BOM, Source
from .surface import distinct_spans, each_once, main_characters, mention_ids, without_zeros
from .text import has_words, text_beside
from .xml import Node, escape, file_name, parse_xml, writable, xml_attributes

FIRST_COLUMN = b"doc_id\t"
_SENTENCE_END = "SENT"
_MAX_GAP = 1000  # characters from token to token; more means a damaged table, and would be filled with spaces
GROUPS = "Groups"
_NAMES = (("Tokens", GROUPS), ("tokens", "groups"), ("TOKENS", "GROUPS"))

Row = dict[str, str]


def read_tables(source: Source) -> Iterator[Document]:
    """Read the documents of a table of groups, or of tokens, with the other table beside it."""
    is_groups = source.head().removeprefix(BOM).startswith(RUCOR_GROUPS.encode())
    other = _beside(source, is_groups)
    if other is None:
        if is_groups:
            expected = "the table of tokens Tokens.txt beside Groups.txt"
            source.problem(
                1, "groups without tokens", expected, "put both tables into one folder", code="missing-companion-file"
            )
        else:
            yield from _documents(source, None)
        return
    try:
        yield from _documents(*((other, source) if is_groups else (source, other)))
        other.warn_counts()
    finally:
        other.close()


def _documents(tokens: Source, groups: Source | None) -> Iterator[Document]:
    by_doc: dict[str, list[tuple[int, Row]]] = {}
    if groups is not None:
        for line, row in _rows(groups, ("doc_id", "group_id", "chain_id", "shift", "length")):
            by_doc.setdefault(row["doc_id"], []).append((line, row))
    seen: set[str] = set()
    rows = _rows(tokens, ("doc_id", "shift", "token"))
    for id, of_doc in groupby(rows, key=lambda numbered: numbered[1]["doc_id"]):
        numbered = list(of_doc)
        if id in seen:
            found = f"tokens of text {quote(id)} in two places"
            tokens.problem(
                numbered[0][0],
                found,
                "the tokens of each text next to each other",
                "sort the table by doc_id",
                code="scattered-rows",
                fragment=id,
            )
        seen.add(id)
        yield _TokenTable(tokens, numbered).document(id, by_doc.pop(id, []), groups or tokens)
    if by_doc and groups is not None:
        groups.count("groups of texts without tokens, left out", sum(map(len, by_doc.values())), code="left-out")


def _beside(source: Source, is_groups: bool) -> Source | None:
    if source.path is None:
        return None
    for tokens, groups in _NAMES:
        mine, other = (groups, tokens) if is_groups else (tokens, groups)
        if mine in source.path.name:
            name = source.path.name.replace(mine, other)
            for path in (name, name.removesuffix(".gz"), f"{name}.gz"):
                if source.path.with_name(path).is_file():
                    return source.sibling(source.path.with_name(path))
    return None


def _rows(source: Source, needed: tuple[str, ...]) -> Iterator[tuple[int, Row]]:
    """Yield rows as dictionaries with the names of the first line; cells missing at the end of a row are empty."""
    header: list[str] = []
    for line, text in source.lines():
        cells = text.split("\t")
        if not header:
            header = [cell.strip() for cell in cells]
            if missing := [name for name in needed if name not in header]:
                found = f"no column {' or '.join(missing)}"
                source.problem(
                    line,
                    found,
                    "a first line with the names of the columns",
                    "add the names",
                    code="invalid-column-names",
                )
                return
            continue
        if not text.strip():
            continue
        row = dict.fromkeys(header, "") | dict(zip(header, cells, strict=False))
        if len(cells) > len(header) or len(cells) <= max(map(header.index, needed)):
            expected = f"{len(header)} columns as in the first line"
            source.problem(line, f"{len(cells)} columns", expected, "check the row's tabs", code="column-count")
            continue
        yield line, row


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


class _TokenTable:
    """The tokens of a text, and the offset of each."""

    def __init__(self, source: Source, rows: list[tuple[int, Row]]) -> None:
        self.source = source
        self.shifts: list[int] = []
        kept: list[Row] = []
        for line, row in rows:
            shift = _number(row["shift"])
            last = self.shifts[-1] if self.shifts else -1
            if shift is None or not last < shift <= last + _MAX_GAP:
                found = f"shift {quote(row['shift'])} after {last if kept else 'the beginning'}"
                source.problem(
                    line,
                    found,
                    "tokens in the order of the text",
                    "correct or sort the table",
                    code="invalid-token-order",
                    fragment=row["shift"],
                )
            elif not row["token"].strip():
                source.count("tokens without text, left out", code="left-out")
            else:
                self.shifts.append(shift)
                kept.append(row)
        self.position = {shift: position for position, shift in enumerate(self.shifts)}
        self.sentence_ends = [i + 1 for i, row in enumerate(kept) if row.get("gram", "").strip() == _SENTENCE_END]
        if kept and (not self.sentence_ends or self.sentence_ends[-1] < len(kept)):
            self.sentence_ends.append(len(kept))
        self.tokens = self._tokens(kept)

    def _tokens(self, rows: list[Row]) -> Tokens:
        tokens = []
        start_of = {position: start for start, end in self._sentences() for position in range(start, end)}
        for position, row in enumerate(rows):
            form = row["token"].strip()
            end = self.shifts[position] + len(form)
            gap = self.shifts[position + 1] - end if position + 1 < len(rows) else 0
            if gap < 0:
                self.source.count("tokens that are longer than the gap to the next token", code="token-length")
            number = str(position - start_of[position] + 1)
            lemma, gram = row.get("lemma", "").strip() or "_", row.get("gram", "").strip() or "_"
            tokens.append(Token(number, form, lemma, xpos=gram, space=" " * max(gap, 0)))
        return Tokens(tokens, prefix=" " * self.shifts[0] if self.shifts else "")

    def _sentences(self) -> Iterator[tuple[int, int]]:
        return pairwise([0, *self.sentence_ends])

    def document(self, id: str, groups: list[tuple[int, Row]], source: Source) -> Document:
        mentions_of: dict[str, list[Mention]] = {}
        for line, row in groups:
            positions = self._positions(row, source)
            if not positions:
                source.problem(
                    line,
                    f"group {quote(row['group_id'])} at a place where text {quote(id)} has no token",
                    "shifts of tokens in tk_shifts, or shift and length over tokens",
                    "correct the group",
                    code="invalid-span",
                    fragment=row["group_id"],
                )
                continue
            if "".join(row.get("content", "").split()) not in ("", self._letters(positions)):
                source.count("groups whose content differs from their tokens", code="text-mismatch")
            heads = [self.position.get(shift) for shift in _numbers(row.get("hd_shifts", ""))]
            head = next((position for position in heads if position in positions), None)
            name = row["chain_id"].strip() or f"group-{row['group_id']}"
            mention = Mention(self.tokens, tuple(positions), head, _attributes(row))
            mentions_of.setdefault(name, []).append(mention)
        entities = [Entity(name, each_once(mentions, source)) for name, mentions in mentions_of.items()]
        entities.sort(key=lambda entity: mention_order(entity.mentions[0]))
        sentences = tuple(Sentence(self.tokens, start, end) for start, end in self._sentences())
        return Document(self.tokens, sentences, tuple(entities), id=id, language="ru")

    def _positions(self, row: Row, source: Source) -> list[int]:
        shifts = _numbers(row.get("tk_shifts", ""))
        positions = sorted({self.position[shift] for shift in shifts if shift in self.position})
        if len(positions) < len(shifts):
            source.count("pointers to missing tokens", code="unresolved-reference")
        if positions:
            return positions
        start, length = _number(row["shift"]), _number(row["length"])
        if start is None or length is None:
            return []
        return [position for position, shift in enumerate(self.shifts) if start <= shift < start + length]

    def _letters(self, positions: list[int]) -> str:
        return "".join("".join(self.tokens[position].form.split()) for position in positions)


def _numbers(cell: str) -> list[int]:
    return [number for piece in cell.split(",") if (number := _number(piece)) is not None]


def _attributes(row: Row) -> dict[str, str]:
    """Return a group's id, variant and link, and its parsed attributes: str:noun|type:coref|val:spec."""
    attributes = {"id": row["group_id"].strip()}
    attributes |= {name: row[name].strip() for name in ("variant", "link") if row.get(name, "").strip()}
    for pair in filter(None, row.get("attributes", "").strip().split("|")):
        name, separator, value = pair.partition(":")
        name, value = (name, value) if separator else ("attributes", name)
        if name == "id":
            continue
        attributes[name] = f"{attributes[name]},{value}" if name in attributes else value
    return attributes


_OWN = frozenset({"id", "chain", "offset", "length", "head_offset", "head_length"})


def read(source: Source) -> Iterator[Document]:
    """Read the documents of an XML file of groups, or of RuCor's tables."""
    if source.head().removeprefix(BOM).startswith(FIRST_COLUMN):
        yield from read_tables(source)
        return
    root = parse_xml(source)
    if root.tag != "rueval":
        source.problem(
            root.line,
            f"the root <{root.tag}>",
            "<rueval>",
            "check that this is the file of groups",
            code="wrong-root-element",
            fragment=root.tag,
        )
    seen: set[str] = set()
    for node in root.elements("text"):
        id = node.attributes.get("id", "").strip()
        if not id or id in seen:
            _report_id(source, node, "text", "a unique id for each text")
        seen.add(id)
        doc = _document(source, node, id)
        track = node.attributes.get("track") or root.attributes.get("track")
        if doc is not None:
            yield doc.replace(meta={"track": track}) if track else doc


def _report_id(source: Source, node: Node, what: str, expected: str) -> None:
    """Report an element without an id, or with the id of an earlier one."""
    id = node.attributes.get("id", "").strip()
    found = f"a second {what} {quote(id)}" if id else f"a {what} without an id"
    source.problem(node.line, found, expected, f"number the {what}s", code="invalid-annotation-id", fragment=id)


def parts(path: Path) -> list[Path]:
    """Return the texts that an XML file of groups names, without reporting problems."""
    source = Source(path, on_problem=lambda problem: None)
    try:
        if source.head().removeprefix(BOM).startswith(FIRST_COLUMN):
            return []  # RuCor's tables are detected by their columns
        texts = [
            _path(source, node, node.attributes.get("id", "").strip()) for node in parse_xml(source).elements("text")
        ]
    except CoindexError:
        return []
    finally:
        source.close()
    return [text for text in texts if text is not None]


def _document(source: Source, node: Node, id: str) -> Document | None:
    path = _path(source, node, id)
    if path is None:
        return None
    text_source = source.sibling(path)
    try:
        text = text_source.text()
    finally:
        text_source.close()
    groups = list(_groups(source, node, text))
    cuts = [border for group in groups for border in (*group.span, *(group.head or ()))]
    doc = Document.from_text(
        text, id=id or path.stem, language=node.attributes.get("language", "ru"), cuts=cuts, markup="none"
    )
    return doc.replace(entities=_entities(doc, groups, source))


def _path(source: Source, node: Node, id: str) -> Path | None:
    """Return the path of the text, which must be below the folder of the XML file."""
    given = node.attributes.get("file")
    names = [given] if given else [f"{id}.txt", f"texts/{id}.txt"]
    if source.path is None:
        expected, remedy = (
            "a file with its texts beside it",
            "give the path of the file instead of a pipe",
        )
        source.problem(node.line, "groups from standard input", expected, remedy, code="unsupported-standard-input")
        return None
    folder = source.path.parent.resolve()
    for name in (*names, *(f"{name}.gz" for name in names)):
        try:
            path = (folder / name).resolve()
            if folder not in path.parents:
                expected = "a path below the folder of the XML file"
                source.problem(
                    node.line,
                    f"the text file {quote(name)}",
                    expected,
                    "move the text there",
                    code="missing-companion-file",
                    fragment=name,
                )
                return None
            if path.is_file():
                return source.path.parent / name
        except (OSError, ValueError, RuntimeError):  # too long, not a file name, a loop of links
            continue
    expected = f"the text {quote(id)} at {' or '.join(quote(name) for name in names)}"
    source.problem(
        node.line,
        "no text file",
        expected,
        "put the text there or correct the attribute file",
        code="missing-companion-file",
    )
    return None


@dataclass(frozen=True, slots=True)
class _Group:
    id: str
    chain: str | None
    span: Span
    head: Span | None
    attributes: dict[str, str]


def _groups(source: Source, text_node: Node, text: str) -> Iterator[_Group]:
    seen: set[str] = set()
    for node in text_node.elements("group"):
        id = node.attributes.get("id", "").strip()
        if not id or id in seen:
            _report_id(source, node, "group", "a unique id for each group of a text")
            continue
        seen.add(id)
        span = _span(source, node, "offset", "length", len(text))
        if span is None or not _is_expression(source, node, text[slice(*span)]):
            continue
        head = None
        if "head_offset" in node.attributes or "head_length" in node.attributes:
            head = _span(source, node, "head_offset", "head_length", len(text))
            if head is not None and not span[0] <= head[0] < head[1] <= span[1]:
                expected = "a head inside its group"
                source.problem(
                    node.line,
                    f"a head outside group {quote(id)}",
                    expected,
                    "correct its offset",
                    code="invalid-head",
                    fragment=id,
                )
                head = None
        more = {name: value for name, value in node.attributes.items() if name not in _OWN}
        yield _Group(id, node.attributes.get("chain", "").strip() or None, span, head, {"id": id, **more})


def _span(source: Source, node: Node, offset: str, length: str, size: int) -> Span | None:
    numbers = []
    for name in (offset, length):
        value = node.attributes.get(name)
        if value is None or not (value.isascii() and value.isdigit() and len(value) < 16):
            found = f"no {name}" if value is None else f"{name}={quote(value)}"
            source.problem(
                node.line,
                found,
                "a number of characters",
                "correct the group",
                code="invalid-span",
                fragment=value or "",
            )
            return None
        numbers.append(int(value))
    start, end = numbers[0], sum(numbers)
    if start < end <= size:
        return start, end
    found = f"characters {start} to {end} of a text of {size}"
    source.problem(
        node.line, found, "at least one character, all inside the text", "correct the group", code="invalid-span"
    )
    return None


def _is_expression(source: Source, node: Node, there: str) -> bool:
    expression, words = node.text.split(), writable(there).split()
    if not has_words(there):
        remedy = "correct offset and length"
        source.problem(
            node.line,
            f"a group of white space {quote(there)}",
            "a group with words",
            remedy,
            code="invalid-span",
            fragment=there,
        )
        return False
    if expression and expression != words:
        source.problem(
            node.line,
            f"the expression {quote(' '.join(expression))} where the text has {quote(' '.join(words))}",
            "the expression that is at the offset",
            "count characters, not bytes, from 0, line ends included",
            code="text-mismatch",
            fragment=" ".join(expression),
        )
        return False
    return True


def _entities(doc: Document, groups: list[_Group], source: Source) -> tuple[Entity, ...]:
    mentions_of: dict[str, list[Mention]] = {}
    taken = {group.chain for group in groups}
    for group in groups:
        name = group.chain
        if name is None:
            name = group.id
            while name in taken:
                name += "'"
            taken.add(name)
        positions = doc.tokens.positions_in(*group.span)
        head = doc.tokens.positions_in(*group.head) if group.head else ()
        mention = Mention(doc.tokens, tuple(positions), head[0] if head else None, group.attributes)
        mentions_of.setdefault(name, []).append(mention)
    entities = [Entity(name, each_once(mentions, source)) for name, mentions in mentions_of.items()]
    return tuple(sorted(entities, key=lambda entity: mention_order(entity.mentions[0])))


_RESERVED = ("id", "chain", "offset", "length", "head_offset", "head_length")
_TRACK = "coreference"


def write(docs: Iterable[Document], sink: Sink) -> None:
    """Write the texts unchanged, and the groups with offsets into them."""
    track = None
    wordless = 0
    with sink.file("groups.xml") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        for number, doc in enumerate(docs, 1):
            if track is None:
                track = doc.meta.get("track", _TRACK)
                out.write(f"<rueval{xml_attributes({'track': track})}>\n")
            name = file_name(doc.id, str(number))
            file = f"texts/{name}{'_' if name.endswith(GROUPS) else ''}.txt"
            with sink.file(file) as text_out:
                text_out.write(text_beside(doc))
            wordless += _write_text(out, without_zeros(doc), doc.id or str(number), file, track)
        out.write("</rueval>\n" if track is not None else f'<rueval track="{_TRACK}">\n</rueval>\n')
    warn_losses("rueval", Counter({"wordless": wordless}), {"wordless": "mentions that consist of white space"})


def _write_text(out: TextIO, doc: Document, id: str, file: str, track: str) -> int:
    """Write the groups of a text; return how many had no words and were left out."""
    wordless = 0
    values = {"id": id, "file": file}
    if doc.meta.get("track", _TRACK) != track:
        values["track"] = doc.meta.get("track", _TRACK)
    if doc.language not in (None, "ru"):
        values["language"] = doc.language
    out.write(f"<text{xml_attributes(values)}>\n")
    spans = distinct_spans(doc, main_characters)
    groups = mention_ids([mention for mention, _, _ in spans])
    for (mention, entity, (offset, stop)), group in zip(spans, groups, strict=True):
        if not has_words(doc.text[offset:stop]):
            wordless += 1
            continue
        own = {"id": group, "chain": entity.id, "offset": str(offset), "length": str(stop - offset)}
        if mention.head is not None and offset <= (begin := doc.tokens.start_char(mention.head)) < stop:
            own |= {
                "head_offset": str(begin),
                "head_length": str(doc.tokens.end_char(mention.head) - begin),
            }
        more = {name: value for name, value in mention.attributes.items() if name != "id"}
        expression = escape(writable(doc.text[offset:stop]), {"\r": "&#13;"})
        out.write(f"<group{xml_attributes(own)}{xml_attributes(more, reserved=_RESERVED)}>{expression}</group>\n")
    out.write("</text>\n")
    return wordless


FORMAT = Format(
    name="rueval",
    summary="RU-EVAL 2014: plain texts with an XML file of groups (our schema); RuCor's tables, read only",
    carries=frozenset({"spaces", "self-crossing", "cross-sentence", "entities", "heads", "attributes"}),
    read=read,
    write=write,
    is_folder=True,
    parts=parts,
)
