"""Write CorefUD: unchanged lines are copied from the source, the rest is generated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from ...document import Document, Multiword, Sentence
from ...document.tokens import Extra
from ...errors import CoindexError, quote
from ..losses import FEATURES, warn_losses
from ..sink import Sink
from ..source import Source
from ..surface import all_sentences
from .annotation import (
    Annotation,
    annotate,
    count_interleaved,
    count_loose,
    count_overwritten,
    entity_names,
    find_changed_positions,
    header_for,
)
from .brackets import GLOBAL, Header
from .lines import NO_WORDS, STANDARD, Layout, further_columns, problem_of, with_further
from .reader import Origin, read

_OURS = ("Bridge", "Entity", "SplitAnte")
_UNESCAPED = re.compile(r"[ \t\n\r|\\]")
_ESCAPES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}
_GLOBAL_LINE = re.compile("^" + re.escape(GLOBAL.rstrip("= ")), re.MULTILINE)
_MISSING_END = ("\n\n", "\n", "")  # after a file that ends without a blank line, when another document follows
_BREAKS = re.compile(r"[\t\n\r]+")
_LOSSES = {
    "loose-relations": "bridging relations and split antecedents of entities that do not exist",
    "overwritten": "types, kinds or attributes that are empty, repeat those of their entity, or are read as such",
    "interleaved": "discontinuous mentions that interleave with another one of their entity, written without heads; "
    "their parts may be exchanged when the file is read again",
    "extra-columns": f"{FEATURES['extra-columns'][0]}, which columns=standard leaves out",
}
_PLUS = (".conllup", ".conllup.gz")


def write(docs: Iterable[Document], sink: Sink, sent_ids: str = "unique", columns: str = "all") -> None:
    """Write documents one after the other, with the line ends of the first."""
    writer = _Writer(sink, keeps_ids=sent_ids == "kept", drops_columns=columns == "standard")
    lost: Counter[str] = Counter()
    for doc in docs:
        writer.add(_with_all_sentences(doc))
        lost["loose-relations"] += 0 if isinstance(doc.origin, Origin) else count_loose(doc)
        lost["overwritten"] += count_overwritten(doc, writer.in_force or Header())
        lost["interleaved"] += count_interleaved(doc)
        lost["extra-columns"] += FEATURES["extra-columns"][1](doc) if writer.drops_columns else 0
    warn_losses("corefud", lost, _LOSSES)


class _Writer:
    """The state of the output that the next document depends on."""

    def __init__(self, sink: Sink, *, keeps_ids: bool, drops_columns: bool) -> None:
        self.sink = sink
        self.keeps_ids = keeps_ids
        self.drops_columns = drops_columns
        self.layout: Layout | None = None
        """The columns of the file, None for those of CoNLL-U."""
        self.number = 0
        self.in_force: Header | None = None
        self.grown: Header | None = None
        """The fields for all documents, once a document needs more than it has: udapi expects one header per file."""
        self.newline = ""
        self.tail = ""

    def add(self, doc: Document) -> None:
        origin = doc.origin if isinstance(doc.origin, Origin) else None
        if not self.drops_columns:
            self._fit_columns(doc, origin)
        base = self._base(origin)
        if origin is not None and base == origin.header and _is_unchanged(doc, origin):
            self._write(doc, origin, base, is_unchanged=True)
            return
        header = header_for(doc, base)
        if base is not None and header != base:
            self._grow(header, base)
        self._write(doc, origin, header, is_unchanged=False)

    def _base(self, origin: Origin | None) -> Header | None:
        header = None if origin is None else origin.header
        if header is not None and self.grown is not None and set(header.fields) <= set(self.grown.fields):
            return self.grown
        return header

    def _grow(self, header: Header, base: Header) -> None:
        """Use these fields for all documents; those already written are read and written again."""
        self.grown = header
        if self.in_force == base:
            self._write_again()

    def _write_again(self) -> bool:
        """Write the documents so far again; return False if they cannot be read, as in a pipe."""
        earlier = self.sink.restart()
        if earlier is None:
            return False
        self.number, self.in_force, self.tail = 0, None, ""
        source = Source(earlier, on_problem=lambda problem: None)  # such as a missing end, which is expected
        for doc in read(source):
            self.add(doc)
        source.close()
        return True

    def _fit_columns(self, doc: Document, origin: Origin | None) -> None:
        """Add the columns of the document to those of the file."""
        further = [*further_columns(doc.columns), *_further_in(doc, origin)]
        if self.layout is not None or self.number:
            self._add_columns(further, doc)
        elif doc.columns or further or (self.sink.path is not None and self.sink.path.name.endswith(_PLUS)):
            self.layout = Layout(doc.columns or STANDARD)
            if origin is not None and origin.layout == self.layout:
                self.layout = origin.layout  # as it was read
            self._add_columns(further, doc)

    def _add_columns(self, names: Iterable[str], doc: Document) -> None:
        """Add columns to the file; documents that are already written get them too."""
        old = self.layout or Layout(STANDARD)
        new = old.with_columns(names)
        if new == old:
            return
        if wrong := problem_of(new.names):
            raise CoindexError(
                f"document {quote(doc.id or '')}: {wrong} cannot be written; rename it without spaces",
                code="unwritable-document",
            )
        self.layout = new
        if self.number and not self._write_again():
            added = ", ".join(name for name in new.names if name not in old.names)
            raise CoindexError(
                f"document {quote(doc.id or '')} needs columns that the output does not name in its first line: "
                f"{added}; write to a file instead of a pipe, or with --write-option columns=standard",
                code="unwritable-document",
            )

    def _write(self, doc: Document, origin: Origin | None, header: Header | None, *, is_unchanged: bool) -> None:
        further = () if self.layout is None else self.layout.further
        if origin is not None:
            origin = _with_columns(origin, further)
        if origin is not None and is_unchanged and _has_header(origin, self.in_force):
            text = "\n\n".join(origin.raw) + origin.end
            in_force = origin.header or self.in_force
        else:
            new = header or Header()
            make = _Made(further, self.number + 1, keeps_ids=self.keeps_ids)
            text, in_force = _rewrite(doc, origin, new, self.in_force, make)
        if self.layout is not None:
            self._add_columns(self.layout.find_missing_columns(text), doc)
            text = self.layout.to_file(text)
        missing = _MISSING_END[self.tail.count("\n")] if self.tail else ""
        self.number += 1
        self.in_force = in_force
        self.tail = text[-2:] or self.tail
        text = missing + text
        if self.number == 1:
            self.newline = self.newline or (origin.newline if origin is not None else "\n")
            text = (self.layout.comment + "\n" if self.layout is not None else "") + text
        self.sink.stream.write(text if self.newline == "\n" else text.replace("\n", self.newline))


def _further_in(doc: Document, origin: Origin | None) -> list[str]:
    """Return the columns beyond those of CoNLL-U that the tokens of a document have."""
    if origin is not None and doc.tokens is origin.document.tokens:
        return [] if origin.layout is None else list(origin.layout.further)
    names = {name for token in doc.tokens for name, _ in token.extra}
    return sorted(names | {name for multiword in doc.tokens.multiwords for name, _ in multiword.extra})


def _with_columns(origin: Origin, further: tuple[str, ...]) -> Origin:
    """Return the source lines with the further columns of the file that is written."""
    old = () if origin.layout is None else origin.layout.further
    if old == further:
        return origin
    return replace(origin, raw=tuple(with_further(raw, old, further) for raw in origin.raw))


class _Made(NamedTuple):
    """The context that word lines and comments depend on besides their document."""

    further: tuple[str, ...]
    number: int
    keeps_ids: bool


def _with_all_sentences(doc: Document) -> Document:
    """Return the document with every token in a sentence, and no sentence without tokens."""
    sentences = all_sentences(doc)
    return doc if len(sentences) == len(doc.sentences) else doc.replace(sentences=tuple(sentences))


def _is_unchanged(doc: Document, origin: Origin) -> bool:
    was = origin.document
    same = doc.tokens is was.tokens and (doc.sentences is was.sentences or doc.sentences == was.sentences)
    same = same and doc.id == was.id and _meta(doc) == _meta(was)
    if same and doc.entities is was.entities:
        return doc.bridges is was.bridges and doc.split_antecedents is was.split_antecedents
    return same and (doc.entities, doc.bridges, doc.split_antecedents, doc.shared_ids) == (
        was.entities,
        was.bridges,
        was.split_antecedents,
        was.shared_ids,
    )


def _has_header(origin: Origin, in_force: Header | None) -> bool:
    """Return whether a copy can be read at its new place: many files name the fields in their first document only."""
    return origin.header in (None, in_force) or _GLOBAL_LINE.search(origin.raw[0]) is not None


def _rewrite(
    doc: Document, origin: Origin | None, header: Header, in_force: Header | None, make: _Made
) -> tuple[str, Header | None]:
    """Return the text of a document with these fields, and the header that applies after it."""
    old_header = origin.header if origin is not None else None
    if origin is None or len(origin.raw) != len(doc.sentences):
        new = annotate(doc, header, entity_names(doc, header, make.number))
        return _generate(doc, header, new, make), header
    was = origin.document
    names = entity_names(doc, header, make.number, kept={entity.id for entity in was.entities})
    only = None
    if doc.tokens is was.tokens and header == old_header and all(id == name for id, name in names.items()):
        only = find_changed_positions(was, doc)
    new = annotate(doc, header, names, only)
    old = {}
    if old_header is not None:
        old = annotate(was, old_header, {entity.id: entity.id for entity in was.entities}, only)
    touched = None if only is None else {doc.sentence_index(position) for position in only}
    stated = header if doc.entities or old_header is not None else None
    blocks = []
    for index, (raw, sentence, before) in enumerate(zip(origin.raw, doc.sentences, was.sentences, strict=True)):
        if index > 0 and touched is not None and index not in touched and sentence == before:
            blocks.append(raw)
            continue
        lines = raw.split("\n")
        comments = [line for line in lines if line.startswith("#") or not line]
        if index == 0:
            comments = _first_comments(comments, doc, was, stated, in_force)
        if doc.tokens is was.tokens or sentence.tokens == before.tokens:
            words = _patch_lines(lines[-_count_words(lines) :], sentence, before, new, old)
        else:
            words = word_lines(doc, sentence, new, make.further)
            if sentence.text != before.text:
                comments = _with_comment(comments, "text", sentence.text)
        blocks.append("\n".join(_change_comments(comments, sentence, before) + words))
    return "\n\n".join(blocks) + origin.end, stated or in_force


def _generate(doc: Document, header: Header, new: Mapping[int, Annotation], make: _Made) -> str:
    if not doc.sentences:
        return "\n".join([*_first_lines(doc, header, make.number), with_further(NO_WORDS, (), make.further)]) + "\n\n"
    blocks = []
    ids = _sentence_ids(doc, make.number, keeps_ids=make.keeps_ids)
    for index, sentence in enumerate(doc.sentences):
        _check_ids(doc, index)
        comments = _comments(doc, index, header, make.number, ids[index])
        blocks.append("\n".join(comments + word_lines(doc, sentence, new, make.further)) + "\n\n")
    return "".join(blocks)


def _check_ids(doc: Document, index: int) -> None:
    """Raise an error for word ids that are invalid in CoNLL-U."""
    word = zero = 0
    for token in doc.sentences[index].tokens:
        if token.is_empty:
            zero += 1
            expected = f"{word}.{zero}"
        else:
            word, zero = word + 1, 0
            expected = str(word)
        if token.id != expected:
            place = f"document {quote(doc.id or '')}, sentence {index + 1}"
            raise CoindexError(
                f"{place}: the word id {quote(token.id)}; expected {expected}; number words from 1 in each sentence, "
                "and empty nodes after word 3 as 3.1, 3.2, …",
                code="unwritable-document",
            )


def _count_words(lines: list[str]) -> int:
    return sum(bool(line) and not line.startswith("#") for line in lines)


def _first_comments(
    comments: list[str], doc: Document, was: Document, header: Header | None, in_force: Header | None
) -> list[str]:
    """Return the comments of a document's first sentence, with its new id and fields if they changed."""
    begin = next((i for i, comment in enumerate(comments) if comment), 0)  # after superfluous blank lines
    if doc.id != was.id and doc.id is not None:
        rest = [line for line in comments[begin:] if not line.startswith("# newdoc")]
        comments = [*comments[:begin], f"# newdoc id = {_one_line(doc.id)}", *rest]
    now, before = _meta(doc), _meta(was)
    for name in dict.fromkeys([*before, *now]):
        if now.get(name) != before.get(name):
            comments = _with_comment(comments, f"meta::{name}", now.get(name))
    if header is None:
        return comments
    line = GLOBAL + "-".join(header.fields)
    for index, comment in enumerate(comments):
        if comment.startswith(GLOBAL.rstrip("= ")):
            return (
                comments
                if _normalize_comment(comment) == header.fields
                else [*comments[:index], line, *comments[index + 1 :]]
            )
    if in_force == header:
        return comments
    after = next((i + 1 for i, c in enumerate(comments) if c.startswith("# newdoc")), begin)
    return [*comments[:after], line, *comments[after:]]


def _meta(doc: Document) -> dict[str, str]:
    """Return the values of the `# meta::` lines of a document."""
    fields = {"genre": doc.genre, "topic": doc.topic, "subtopic": doc.subtopic}
    return dict(doc.meta) | {name: value for name, value in fields.items() if value is not None}


def _change_comments(comments: list[str], sentence: Sentence, before: Sentence) -> list[str]:
    if sentence.id != before.id:
        comments = _with_comment(comments, "sent_id", sentence.id)
    if sentence.speaker != before.speaker:
        comments = _with_comment(comments, "speaker", sentence.speaker)
    if sentence.comments != before.comments:
        gone = set(before.comments) - set(sentence.comments)
        comments = [comment for comment in comments if comment not in gone]
        comments += [comment for comment in sentence.comments if comment not in comments]
    return comments


def _with_comment(comments: list[str], name: str, value: str | None) -> list[str]:
    """Return the comments with `# name = value` instead of the comment of that name, otherwise at the end."""
    places = [i for i, comment in enumerate(comments) if comment[1:].partition("=")[0].strip() == name]
    line = [] if value is None else [f"# {name} = {_one_line(value)}"]
    at = places[0] if places else len(comments)
    return comments[:at] + line + [c for i, c in enumerate(comments) if i >= at and i not in places]


def _normalize_comment(comment: str) -> tuple[str, ...]:
    return tuple(comment.partition("=")[2].strip().split("-"))


def _patch_lines(
    lines: list[str],
    sentence: Sentence,
    before: Sentence,
    new: Mapping[int, Annotation],
    old: Mapping[int, Annotation],
) -> list[str]:
    """Return the source lines with the annotation of changed words replaced."""
    result = []
    offset = 0
    for line in lines:
        name, _, _ = line.partition("\t")
        if "-" in name:
            result.append(line)
            continue
        now, then = new.get(sentence.start + offset, {}), old.get(before.start + offset, {})
        offset += 1
        if now != then:
            columns, _, misc = line.rpartition("\t")
            line = f"{columns}\t{_with_annotation(misc, now, then)}"
        result.append(line)
    return result


def _with_annotation(misc: str, now: Annotation, then: Annotation) -> str:
    pairs = [] if misc == "_" else misc.split("|")
    for name in _OURS:
        if now.get(name) == then.get(name):
            continue
        places = [i for i, pair in enumerate(pairs) if pair.startswith(name + "=")]
        if name not in now:
            pairs = [pair for i, pair in enumerate(pairs) if i not in places]
        elif places:
            pairs[places[0]] = f"{name}={now[name]}"
        else:  # CorefUD sorts the names in MISC
            at = next((i for i, pair in enumerate(pairs) if pair.casefold() > name.casefold()), len(pairs))
            pairs.insert(at, f"{name}={now[name]}")
    return "|".join(pairs) or "_"


def _document_name(doc: Document, number: int) -> str:
    return _one_line(doc.id or "") or f"document{number}"


def _comments(doc: Document, index: int, header: Header, number: int, id: str | None) -> list[str]:
    """Return the comments of a sentence that was not read from CorefUD."""
    sentence = doc.sentences[index]
    lines = _first_lines(doc, header, number) if index == 0 else []
    lines += sentence.comments
    if id is not None:
        lines.append(f"# sent_id = {id}")
    if sentence.speaker is not None:
        lines.append(f"# speaker = {_one_line(sentence.speaker)}")
    lines.append(f"# text = {_one_line(sentence.text)}")
    return lines


def _first_lines(doc: Document, header: Header, number: int) -> list[str]:
    """Return the comments that begin a document."""
    lines = [f"# newdoc id = {_document_name(doc, number)}", GLOBAL + "-".join(header.fields)]
    return lines + [f"# meta::{key} = {_one_line(value)}" for key, value in _meta(doc).items()]


def _sentence_ids(doc: Document, number: int, *, keeps_ids: bool) -> list[str | None]:
    """Return the id of each sentence; a number is appended to an id that an earlier sentence has."""
    document = _document_name(doc, number)
    ids: list[str | None] = []
    taken: set[str] = set()
    for index, sentence in enumerate(doc.sentences):
        if keeps_ids and sentence.id is None:
            ids.append(None)
            continue
        id = _one_line(sentence.id or "") if keeps_ids else _sentence_name(sentence, index, document, number)
        free = (name for again in count(2) if (name := f"{id}-{again}") not in taken)
        ids.append(next(free) if id in taken else id)
        taken.add(ids[-1] or "")
    return ids


def _sentence_name(sentence: Sentence, index: int, name: str, number: int) -> str:
    """Return an id that is unique in the file; ids of the first document are kept."""
    name = name.replace("/", "_")  # which UD reserves for the parts of parallel texts
    own = f"{index + 1}" if sentence.id is None else _one_line(sentence.id)
    is_unique = own.startswith(name) or (number == 1 and sentence.id is not None)
    return own if is_unique else f"{name}-{own}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def word_lines(doc: Document, sentence: Sentence, new: Mapping[int, Annotation], further: tuple[str, ...]) -> list[str]:
    """Return the word lines of a sentence, generated from the document."""
    multiwords = {}
    if doc.tokens.multiwords:
        multiwords = {m.start: m for m in doc.tokens.multiwords if sentence.start <= m.start < sentence.end}
    covered = {p for m in multiwords.values() for p in range(m.start, m.end)}
    last = len(doc.tokens) - 1
    lines = []
    for position, token in enumerate(sentence.tokens, sentence.start):
        if position in multiwords:
            lines.append(_multiword_line(doc, multiwords[position], last, further))
        misc = token.misc
        unsaid = (token.space == " " and position != last) or position in covered or token.is_empty
        if not unsaid or position in new:
            space = "" if unsaid else _space(token.space, position == last)
            misc = _misc(misc, new.get(position, {}), space)
        cells = "\t".join(token[:9])
        if "" in token[:9] or cells.count("\t") != 8 or "\n" in cells or "\r" in cells:
            cells = "\t".join(_BREAKS.sub(" ", cell) or "_" for cell in token[:9])
        lines.append("\t".join([cells, *_further_cells(token.extra, further), misc]))
    return lines


def _further_cells(extra: Extra, further: tuple[str, ...]) -> list[str]:
    values = dict(extra)
    return [_BREAKS.sub(" ", values.get(name, "_")) or "_" for name in further]


def _multiword_line(doc: Document, multiword: Multiword, last: int, further: tuple[str, ...]) -> str:
    words = [token.id for token in doc.tokens[multiword.start : multiword.end] if not token.is_empty]
    misc = _misc(multiword.misc, {}, _space(multiword.space, multiword.end - 1 == last))
    return "\t".join(
        [f"{words[0]}-{words[-1]}", multiword.form, *["_"] * 7, *_further_cells(multiword.extra, further), misc]
    )


def _space(space: str, is_last: bool) -> str:
    """Return the MISC attribute for the text after a word; empty for one space, and for no text at the end."""
    if space == ("" if is_last else " "):
        return ""
    if not space:
        return "SpaceAfter=No"
    return "SpacesAfter=" + _UNESCAPED.sub(lambda match: _ESCAPES[match.group()], space)


def _misc(misc: str, annotation: Annotation, space: str) -> str:
    pairs = [] if misc == "_" else list(filter(None, misc.split("|")))
    pairs += [f"{name}={value}" for name, value in annotation.items()]
    if space:
        pairs.append(space)
    return "|".join(sorted(pairs, key=str.casefold)) or "_"
