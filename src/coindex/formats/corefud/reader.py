"""Read CorefUD. Lines are parsed only when needed, and kept unchanged for the writer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...document import Document, Sentence, Tokens
from ...errors import quote
from ..detection import is_columns_line
from ..source import Source
from .brackets import GLOBAL, Header, MentionBuilder, in_misc, parse_header
from .lines import (
    BAD,
    GLOBAL_COLUMNS,
    NO_WORDS,
    STANDARD,
    Layout,
    Lines,
    SentenceWords,
    check_words,
    problem_of,
    with_further,
)


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a document, from which the writer finds what has changed since."""

    raw: tuple[str, ...]
    """The lines of each sentence, comments included, joined by line feeds; columns in internal order."""
    document: Document
    header: Header | None
    newline: str
    end: str
    """The text after the last sentence, usually the blank line."""
    path: str = ""
    line: int = 1
    """The file, and the line where the document begins."""
    layout: Layout | None = None
    """The columns of a CoNLL-U Plus file."""

    def line_of(self, position: int) -> int:
        """Return the line of a position; for a position past the end, the last line."""
        doc = self.document
        index = doc.sentence_index(min(position, len(doc.tokens) - 1))
        before = self.line + sum(raw.count("\n") + 2 for raw in self.raw[:index])
        lines = self.raw[index].rstrip("\n").split("\n")
        if position < len(doc.tokens):
            start = doc.tokens[position].id + "\t"
            return before + next(number for number, text in enumerate(lines) if text.startswith(start))
        return before + len(lines) - 1


@dataclass(slots=True)
class _Draft:
    """A document while it is being read."""

    id: str | None = None
    line: int = 1
    errors_before: int = 0
    """The number of errors in the file before this document, if problems are collected instead of raised."""
    raw: list[str] = field(default_factory=list)
    cleaned: dict[int, str] = field(default_factory=dict)
    """Sentences from which bad lines were removed, if problems are collected instead of raised."""
    sentences: list[tuple[int, int, str | None, str | None, tuple[str, ...]]] = field(default_factory=list)
    sentence_ids: set[str] = field(default_factory=set)
    paragraphs: list[int] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    length: int = 0
    is_wordless: bool = False
    """Whether a line marks the document as having no words: it is a document even without sentences."""
    meta: dict[str, str] = field(default_factory=dict)
    mentions: MentionBuilder = field(default_factory=MentionBuilder)


def read(source: Source) -> Iterator[Document]:
    """Read the documents of a CorefUD file; sentences before any `# newdoc` are a document without an id."""
    return _Reader(source).documents()


_OURS = frozenset({"text", "sent", "spea", "glob", "meta", "newd", "newp"})
"""The prefixes of comments that the reader interprets."""


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.header = parse_header(source.piece.context) if source.piece is not None else None
        self.layout: Layout | None = None
        self.draft = _Draft()
        self.document_ids: set[str] = set()
        self.blank = ""  # superfluous blank lines before the next sentence
        self.is_blank = True

    def documents(self) -> Iterator[Document]:
        end = None
        for line, block in self.source.blocks():
            if line == 1 and is_columns_line(block):
                comment, _, block = block.partition("\n")
                line += 1
                if not self._set_layout(comment):
                    return
            *sentences, rest = block.split("\n\n")
            for raw in sentences:
                lines = raw.split("\n")
                if raw and raw != "\n":
                    if doc := self._sentence(raw, lines, line):
                        yield doc
                else:
                    self.blank += raw + "\n\n"
                line += len(lines) + 1
            if rest.strip("\n"):  # only the last block can end without a blank line
                body = rest.rstrip("\n")
                end = rest[len(body) :]
                doc = self._sentence(body, body.split("\n"), line)
                self._warn_of_cut(line + body.count("\n"))
                if doc:
                    yield doc
            else:
                self.blank += rest
        if self.draft.raw or self.draft.is_wordless:
            yield self._finish("\n\n" + self.blank if end is None else end)
        elif self.is_blank:
            self.source.problem(1, "no sentence", self._word_lines(), "check how the file was made", code="no-document")

    def _word_lines(self) -> str:
        return f"lines of {'ten' if self.layout is None else len(self.layout.names)} tab-separated columns"

    def _set_layout(self, comment: str) -> bool:
        """Set the columns that the first line names; return False if they are wrong."""
        names = tuple(_value(comment).split())
        wrong = problem_of(names)
        if wrong is None:
            self.layout = Layout(names, comment)
            return True
        self.source.problem(
            1,
            f"{wrong} in {quote(comment)}",
            "the name of each column once, FORM among them, separated by spaces",
            f"write for example {GLOBAL_COLUMNS}{' '.join(STANDARD)} CORPUS:NAME",
            code="invalid-column-names",
            fragment=comment,
        )
        return False

    def _warn_of_cut(self, line: int) -> None:
        self.source.problem(
            line,
            "the end of the file right after a word",
            "a blank line after the last sentence",
            "add one, or fetch the file again if it was cut short",
            severity="warning",
            code="unterminated-sentence",
        )

    def _sentence(self, raw: str, lines: list[str], line: int) -> Document | None:
        """Read a sentence; return the previous document if this sentence begins a new one."""
        finished = None
        self.is_blank = False
        began = line - self.blank.count("\n") if self.blank else line
        count = 0
        written = lines
        if self.layout is not None:
            lines = self.layout.to_inside(lines)
            raw = "\n".join(lines)
        if not lines[0]:  # a second blank line before this sentence
            lines, written = lines[1:], written[1:]
            line += 1
        for count, text in enumerate(lines):  # the number of comments is needed below
            if not text.startswith("#"):
                break
            if text.startswith("# newdoc"):
                if self.draft.raw or self.draft.is_wordless:
                    finished = self._finish()
                self._begin(text, line + count)
        else:
            count = len(lines)
        draft = self.draft
        comments = self._comments(lines[:count], line)
        if self._is_wordless(lines[count:]):
            draft.is_wordless = True
            return finished
        words = check_words(lines[count:], line + count, draft.length, self.source, self.layout, written[count:])
        if not words.length:
            self.source.problem(
                line,
                "a sentence without words",
                self._word_lines(),
                "remove it, or add its words",
                code="empty-sentence",
            )
            return finished
        if len(words.good) != len(words.lines):
            draft.cleaned[len(draft.raw)] = "\n".join(lines[:count] + words.good)
        if not draft.raw:
            draft.line = began
        draft.raw.append(self.blank + raw)
        self.blank = ""
        self._annotations(raw, words, line + count)
        draft.sentences.append((draft.length, draft.length + words.length, *comments))
        draft.empty += words.empty
        draft.length += words.length
        return finished

    def _is_wordless(self, lines: list[str]) -> bool:
        if self.layout is None or len(lines) != 1 or lines[0] == BAD:
            return lines == [NO_WORDS]
        return with_further(lines[0], self.layout.further, ()) == NO_WORDS

    def _begin(self, comment: str, line: int) -> None:
        name = comment.partition("=")[2].strip() or str(len(self.document_ids) + 1)
        if name in self.document_ids:
            self.source.problem(
                line,
                f"duplicate document id {quote(name)}",
                "a unique id for each document",
                "rename one of them",
                severity="warning",
                code="duplicate-document-id",
                fragment=name,
            )
        self.document_ids.add(name)
        self.draft = _Draft(name, errors_before=self.source.errors)

    def _comments(self, comments: list[str], line: int) -> tuple[str | None, str | None, tuple[str, ...]]:
        sentence_id = speaker = None
        others: list[str] = []
        for number, comment in enumerate(comments, line):
            if (
                comment[2:6] not in _OURS and comment[:2] == "# " and comment[2:3] > " "
            ):  # most comments are not interpreted
                others.append(comment)
                continue
            name = comment[1:].partition("=")[0].strip()
            if name == "text":
                continue
            if name == "sent_id":
                sentence_id = _value(comment)
                self._sentence_id(sentence_id, number)
            elif name == "speaker":
                speaker = _value(comment)
            elif name == "global.Entity":
                self._global_entity(_value(comment), number)
            elif name == "global.columns":
                self._report_misplaced_columns(comment, number)
            elif comment.startswith("# meta::"):
                self.draft.meta[name[6:]] = _value(comment)
            elif not comment.startswith("# newdoc"):
                others.append(comment)
                if comment.startswith(("# newpar ", "# newpar\t")) or comment == "# newpar":
                    self.draft.paragraphs.append(len(self.draft.raw))
        return sentence_id, speaker, tuple(others)

    def _sentence_id(self, value: str, line: int) -> None:
        if value in self.draft.sentence_ids:
            self.source.problem(
                line,
                f"duplicate sent_id {quote(value)} in a document",
                "a unique id for each sentence",
                "rename one of them",
                code="duplicate-sentence-id",
                fragment=value,
            )
        self.draft.sentence_ids.add(value)

    def _global_entity(self, value: str, line: int) -> None:
        header = parse_header(value)
        if header is None or (self.draft.mentions.mentions and header != self.header):
            self.source.problem(
                line,
                f"global.Entity = {quote(value)}",
                "fields joined by '-', one of them eid or GRP, the same in the whole document",
                f"write for example {GLOBAL}eid-etype-head-other",
                code="invalid-entity-header",
                fragment=value,
            )
        else:
            self.header = header

    def _report_misplaced_columns(self, comment: str, line: int) -> None:
        remedy = "remove it" if self.layout is not None else "move it to the first line"
        if self.layout is not None and self.layout.names != tuple(_value(comment).split()):
            remedy = "split the file here: a file has the same columns throughout"
        self.source.problem(
            line,
            quote(comment),
            "the columns named on the first line of the file only",
            remedy,
            code="invalid-column-names",
            fragment=comment,
        )

    def _annotations(self, raw: str, words: SentenceWords, line: int) -> None:
        builder = self.draft.mentions
        if "Entity=" in raw:
            if self.header is None:
                self._no_header(words.lines, line)
            builder.read_sentence(words.lines, words.positions, line, self.header or Header(), self.source)
        for name, relations in (("Bridge=", builder.bridges), ("SplitAnte=", builder.splits)):
            if name in raw:
                for number, text in enumerate(words.lines):
                    position = words.positions[number]
                    if name in text and position is not None and (value := in_misc(text, name)):
                        relations.append((value, position, line + number))

    def _no_header(self, lines: list[str], line: int) -> None:
        for number, text in enumerate(lines, line):
            if in_misc(text, "Entity="):
                self.source.problem(
                    number,
                    "Entity= before any # global.Entity line",
                    "the names of its fields",
                    f"add {GLOBAL}eid-etype-head-other after the first # newdoc",
                    code="missing-entity-header",
                )
                self.header = Header()
                return

    def _finish(self, end: str = "\n\n") -> Document:
        draft = self.draft
        columns = () if self.layout is None else self.layout.names
        if draft.is_wordless and draft.raw:
            self.source.count("documents with sentences without words (Empty=Yes), left out", code="left-out")
        elif draft.is_wordless:
            self.draft = _Draft(errors_before=self.source.errors)
            return Document.from_sentences(Tokens(()), (), id=draft.id, columns=columns, **_fields(draft.meta))
        raw = tuple(draft.raw)
        readable = raw
        if draft.cleaned:
            readable = tuple(draft.cleaned.get(index, text) for index, text in enumerate(raw))
        tokens = Tokens.deferred(
            Lines(
                readable,
                frozenset(draft.paragraphs),
                tuple([fields[0] for fields in draft.sentences]),
                draft.length,
                frozenset(draft.empty),
                () if self.layout is None else self.layout.further,
            )
        )
        entities, bridges, splits = draft.mentions.finish(tokens, self.header or Header(), self.source)
        doc = Document(
            tokens,
            tuple([Sentence(tokens, *fields) for fields in draft.sentences]),
            entities,
            id=draft.id,
            bridges=bridges,
            split_antecedents=splits,
            shared_ids=self.header is None or self.header.shared_ids,
            columns=columns,
            **_fields(draft.meta),
        )
        source = self.source
        self.draft = _Draft(errors_before=source.errors)
        if source.errors > draft.errors_before:  # a copy of the source would have the same errors
            return doc
        line = draft.line + source.first_line - 1
        return doc.replace(origin=Origin(raw, doc, self.header, source.newline, end, source.name, line, self.layout))


def _fields(meta: dict[str, str]) -> dict[str, Any]:
    """Return the fields of a document that are set by comments."""
    return {**{name: meta.pop(name, None) for name in ("topic", "subtopic", "genre")}, "meta": meta}


def _value(comment: str) -> str:
    return comment.partition("=")[2].strip()
