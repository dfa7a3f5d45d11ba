"""The checks of every input: reading raises nothing but `CoindexError`, and written files can be read again.

A case is read twice, strictly and collecting problems, then written in its target formats. Each output is read
again, compared with what was written as far as the format can carry it, validated, and written once more, which
must give the same bytes.
"""

from __future__ import annotations

import re
import shutil
import traceback
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import coindex
from coindex import Document
from coindex.document import Mention, Token, Tokens
from coindex.document.edits import canonical
from coindex.document.validation import Finding, check
from coindex.errors import CoindexError, LossWarning, Problem
from coindex.formats.losses import count_losses
from coindex.formats.registry import Format, get_format
from coindex.formats.surface import all_sentences, surface
from coindex.formats.text import has_words

from .cases import Case, Target
from .readers import READERS

LONGEST_MESSAGE = 2_000
EXACT = ("json", "parquet", "arrow")
"""Formats that carry everything."""
_PACKAGE = Path(coindex.__file__).parent


@dataclass(frozen=True)
class Failure:
    """Something that must not happen: the step it happened in, what it was, and where in the code."""

    step: str
    what: str
    where: str = ""
    detail: str = field(default="", compare=False)

    def __str__(self) -> str:
        place = f" at {self.where}" if self.where else ""
        return f"{self.step}: {self.what}{place}"


@dataclass(frozen=True)
class Outcome:
    """What became of a case: whether the strict reader accepted it, and what failed."""

    result: Literal["read", "refused"]
    failures: tuple[Failure, ...] = ()
    message: str = ""


class Refused(Exception):  # noqa: N818 - an outcome, not an error
    """A `CoindexError` with its code, which is allowed except when reading our own output."""

    def __init__(self, message: str = "", code: str = "") -> None:
        super().__init__(message)
        self.code = code


class Watch:
    """Runs the steps of a case and notes what fails; a step that fails ends those that need its result."""

    def __init__(self, before_step: Callable[[], object]) -> None:
        self.failures: list[Failure] = []
        self._before_step = before_step

    @contextmanager
    def step(self, name: str, *, own: bool = False) -> Iterator[None]:
        """Run a step. A `CoindexError` is refusal, but for `own` output a failure."""
        self._before_step()
        try:
            yield
        except Refused:
            raise
        except CoindexError as error:
            message = str(error)
            self.message(name, message, error.code)
            if own:
                self.failures.append(Failure(name, "our own output is refused", error.code, message))
            raise Refused(message, error.code) from error
        except Exception as error:
            place = _place(error)
            detail = "".join(traceback.format_exception(error, limit=-6))
            self.failures.append(Failure(name, type(error).__name__, place, detail))
            raise Refused from error

    def message(self, step: str, text: str, code: str) -> None:
        """Check that a message is a short, printable line."""
        if len(text) > LONGEST_MESSAGE:
            self.failures.append(Failure(step, "a very long message", code, text[:200]))
        if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in text):
            self.failures.append(Failure(step, "a message with control characters", code, text[:500]))

    def expect(self, holds: bool, step: str, what: str, where: str = "", detail: str = "") -> None:
        if not holds:
            self.failures.append(Failure(step, what, where, detail))


def _place(error: Exception) -> str:
    """Return the innermost function of coindex in the traceback of an exception."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _PACKAGE in Path(frame.filename).parents]
    if not frames:
        return ""
    path = Path(frames[-1].filename).relative_to(_PACKAGE)
    return f"{path}:{frames[-1].name}"


def run(case: Case, folder: Path, before_step: Callable[[], object] = lambda: None) -> Outcome:
    """Run a case in a folder, which is empty afterwards; `before_step` is called before each reading and writing."""
    watch = Watch(before_step)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _run(case, folder, watch)
    finally:
        for inner in folder.iterdir():
            shutil.rmtree(inner) if inner.is_dir() else inner.unlink()


def _run(case: Case, folder: Path, watch: Watch) -> Outcome:
    path = case.lay_out(folder / "in")
    if case.reader in READERS:
        try:
            with watch.step(f"read {case.reader}"):
                READERS[case.reader].read(path)
        except Refused as error:
            return Outcome("refused", tuple(watch.failures), str(error))
        return Outcome("read", tuple(watch.failures))
    strict, refusal = _read_strictly(case, path, watch)
    lenient, problems, stopped = _read_leniently(case, path, watch)
    errors = [problem for problem in problems if problem.severity == "error"]
    if strict is not None:
        watch.expect(not errors and not stopped, "collect problems", "errors in a file that is read without one")
        watch.expect(bool(strict), "read", "no document and no error")
    elif not watch.failures:
        found = bool(errors) or stopped
        watch.expect(found, "collect problems", "no error in a file that is refused", refusal.code)
    docs = lenient if strict is None else strict
    if docs and case.resolver:
        _resolve(docs, case.resolver, watch)
    if docs:
        for target in case.targets:
            _write(docs, target, folder / target.format, watch)
    return Outcome("refused" if strict is None else "read", tuple(dict.fromkeys(watch.failures)), str(refusal))


def _read_strictly(case: Case, path: Path, watch: Watch) -> tuple[list[Document] | None, Refused]:
    try:
        with watch.step("read"):
            docs = list(coindex.read(path, None if case.detected else case.reader))
            for doc in docs:
                _look_at(doc)
        return docs, Refused()
    except Refused as error:
        return None, error


def _read_leniently(case: Case, path: Path, watch: Watch) -> tuple[list[Document], list[Problem], bool]:
    """Return the documents, the problems, and whether reading stopped before the end."""
    problems: list[Problem] = []
    docs: list[Document] = []
    stopped = False
    try:
        with watch.step("collect problems"):
            for doc in coindex.read(path, None if case.detected else case.reader, on_problem=problems.append):
                docs.append(doc)
    except Refused:
        stopped = True
    with_problem = [*problems]
    try:
        with watch.step("check"):
            for doc in docs:
                _look_at(doc)
                found = [finding for finding in check(doc) if finding.severity == "error"]
                with_problem += [finding.problem() for finding in found]
    except Refused:
        docs = []
    for problem in with_problem[:20]:
        watch.message("collect problems", str(problem), problem.code)
        whole = bool(problem.found and problem.expected and problem.remedy)
        watch.expect(whole, "collect problems", "a problem that does not say what, what instead or what to do")
    return docs, problems, stopped


def _look_at(doc: Document) -> None:
    """Access everything that readers compute lazily."""
    assert isinstance(doc.text, str)
    for entity in doc.entities:
        assert entity.mentions
        for mention in entity.mentions:
            assert 0 <= mention.start < mention.end <= len(doc.tokens)
            assert mention.head is None or mention.head in mention.positions
            assert isinstance(mention.text, str)
    for sentence in doc.sentences:
        assert isinstance(sentence.text, str)
    anaphors = [bridge.anaphor for bridge in doc.bridges] + [split.anaphor for split in doc.split_antecedents]
    assert all(anaphor.positions for anaphor in anaphors)


def _resolve(docs: list[Document], name: str, watch: Watch) -> None:
    """Resolve the documents, and score the result against them."""
    try:
        with watch.step(f"resolve with {name}"):
            resolved = [coindex.load(name)(doc) for doc in docs]
        with watch.step("score"):
            coindex.score(docs, resolved)
    except Refused:
        return


# --- writing and reading again


def _write(docs: list[Document], target: Target, folder: Path, watch: Watch) -> None:
    chosen = get_format(target.format)
    first = _output(chosen, folder / "1")
    try:
        with watch.step(f"write {chosen.name}"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            coindex.write(docs, first, target.format, **dict(target.options))
        losses = {
            name
            for warning in caught
            if isinstance(warning.message, LossWarning)
            for name in warning.message.details["lost"]
        }
        with watch.step(f"write {chosen.name}"):
            coindex.write(docs, _output(chosen, folder / "2"), target.format, **dict(target.options))
        same = _content(folder / "1") == _content(folder / "2")
        watch.expect(same, f"write {chosen.name}", "other bytes a second time")
        if chosen.read is None or not any(file.is_file() for file in (folder / "1").rglob("*")):
            return
        if "sentences" not in chosen.carries and any("\0" in doc.text for doc in docs):  # which no text file has
            return
        problems: list[Problem] = []
        with watch.step(f"read what was written as {chosen.name}", own=True):
            again = list(coindex.read(first, target.format))
        with watch.step(f"validate what was written as {chosen.name}", own=True):
            list(coindex.read(first, target.format, on_problem=problems.append))
        errors = [problem for problem in problems if problem.severity == "error"]
        watch.expect(not errors, f"validate what was written as {chosen.name}", "errors")
        if not _wrong(docs):
            for finding in _wrong(again):
                step = f"validate what was written as {chosen.name}"
                watch.expect(False, step, "a wrong document", finding.code, finding.found)
        if not target.options:
            _compare(docs, again, chosen, losses, watch)
        with watch.step(f"write {chosen.name} again", own=True):
            coindex.write(again, _output(chosen, folder / "3"), target.format, **dict(target.options))
        before, after = folder / "1", folder / "3"
        if "sentences" not in chosen.carries and _content(before) != _content(after):
            # Plain text is cut into words by rules, not always into those it was made of; these stay the same.
            with watch.step(f"write {chosen.name} again", own=True):
                again = list(coindex.read(_output(chosen, after), target.format))
                coindex.write(again, _output(chosen, folder / "4"), target.format, **dict(target.options))
            before, after = after, folder / "4"
        if dict(target.options).get("kind", "key") != "key":  # an input or a response does not have the whole chains
            return
        if dict(target.options).get("task", "1") in "34" and _has_same_spans(docs):  # mentions are named by their words
            return
        exchanged = losses & {"self-crossing", "interleaved"}  # the mentions of an entity are read differently
        if _is_named(docs) and not exchanged and _content(before) != _content(after):
            watch.expect(False, f"write {chosen.name} again", "other bytes", detail=_difference(before, after))
    except Refused:
        return


def _wrong(docs: list[Document]) -> list[Finding]:
    """Return the errors of documents that are not valid."""
    return [finding for doc in docs for finding in check(doc) if finding.severity == "error"]


def _has_same_spans(docs: list[Document]) -> bool:
    """Return whether two entities of a document have a mention at the same words."""
    places = ([mention.positions for mention, _ in doc.mentions()] for doc in docs)
    return any(len(set(positions)) < len(positions) for positions in places)


def _is_named(docs: list[Document]) -> bool:
    """Return whether all ids of documents and entities fit every format; others are replaced when they are read."""
    names = [doc.id or "" for doc in docs] + [entity.id for doc in docs for entity in doc.entities]
    return all(name and name.isprintable() and name == name.strip() for name in names)


def _output(chosen: Format, folder: Path) -> Path:
    """Return the path that a format writes to: a folder, or a file with its extension."""
    return folder if chosen.is_folder else folder / f"out{chosen.extensions[0] if chosen.extensions else ''}"


def _content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def _difference(first: Path, second: Path) -> str:
    before, after = _content(first), _content(second)
    for name in sorted({*before, *after}):
        old, new = before.get(name, b"").split(b"\n"), after.get(name, b"").split(b"\n")
        for number, (a, b) in enumerate(zip(old, new, strict=False), 1):
            if a != b:
                return f"{name}:{number}: {a[:300]!r} became {b[:300]!r}"
        if old != new:
            return f"{name}: {len(old)} lines became {len(new)}"
    return ""


def _compare(docs: list[Document], again: list[Document], chosen: Format, losses: set[str], watch: Watch) -> None:
    """Compare the documents read again with those written, as far as the format carries them."""
    step = f"compare {chosen.name}"
    if chosen.name == "text":
        before, after = ("".join("".join(doc.text for doc in side).split()) for side in (docs, again))
        watch.expect(before == after, step, "other text")
        return
    watch.expect(len(docs) == len(again), step, "another number of documents", detail=f"{len(docs)} → {len(again)}")
    if len(docs) != len(again):
        return
    others = {doc.id: doc for doc in again} if chosen.is_folder else {}
    for doc, at in zip(docs, again, strict=True):
        found = others.get(doc.id, at if len(docs) == 1 else None)
        if found is not None:
            _compare_document(doc, found, chosen, losses, watch)


def _compare_document(doc: Document, found: Document, chosen: Format, losses: set[str], watch: Watch) -> None:
    step = f"compare {chosen.name}"
    carries = chosen.carries
    if chosen.name in (*EXACT, "corefud") and not losses:
        _compare_exactly(doc, found, chosen.name, watch)
        return
    is_text = "sentences" not in carries
    old, new = _words(doc, is_text=is_text), _words(found, is_text=is_text)
    if "characters" not in losses:
        watch.expect(old == new, step, "other words", detail=_first_difference(old, new))
    lost = count_losses(doc, carries)
    if len(old) != len(new) or losses & {"self-crossing", "crossing", "interleaved"}:
        return
    unclear = ("discontinuous", "zeros", "cross-sentence")  # which part of a mention is kept is up to the format
    if any(lost[what] for what in unclear) and (is_text or "discontinuous" in carries):
        return
    old_entities, new_entities = _entities(doc, carries), _entities(found, carries)
    gone, new_ones = old_entities - new_entities, new_entities - old_entities
    watch.expect(not gone and not new_ones, step, "other entities", detail=f"{[*gone][:3]} became {[*new_ones][:3]}")


def _compare_exactly(doc: Document, found: Document, name: str, watch: Watch) -> None:
    """Compare everything in a document, except for what CorefUD normalizes."""
    old, new = canonical(doc), canonical(found)
    if name == "corefud":
        old, new = _as_corefud(old), _as_corefud(new)
        id, new_id = (" ".join((one.id or "").split()) for one in (old, new))
        watch.expect(id in (new_id, ""), f"compare {name}", "another id", detail=f"{old.id} → {new.id}")
    for part in ("tokens", "sentences", "entities", "bridges", "split_antecedents"):
        a, b = list(getattr(old, part)), list(getattr(new, part))
        if name == "corefud" and part not in ("tokens", "sentences"):  # entities of the same mentions in any order
            a, b = sorted(a, key=repr), sorted(b, key=repr)
        watch.expect(a == b, f"compare {name}", f"other {part}", detail=_first_difference(a, b))
    if name in EXACT:
        watch.expect(old == new, f"compare {name}", "another document")


def _clean(token: Token) -> Token:
    """Return the token with single spaces in its columns, and "_" for empty ones."""
    columns = zip(Token._fields[:10], token[:10], strict=True)
    clean: dict[str, Any] = {name: " ".join(str(cell).split()) or "_" for name, cell in columns}
    return token._replace(**clean)


def _as_corefud(doc: Document) -> Document:
    """Return the document without comments, ids of sentences and entities, and the space after a sentence.

    A relation stands at the first word of its anaphor, so it is left out where two mentions of an entity begin.
    """
    starts = Counter((entity.id, mention.start) for entity in doc.entities for mention in entity.mentions)
    names = {entity.id: str(sorted(mention.positions for mention in entity.mentions)) for entity in doc.entities}
    last = {max((p for p in range(s.start, s.end) if not doc.tokens[p].is_empty), default=-1) for s in doc.sentences}
    tokens = [_clean(token) for token in doc.tokens]
    tokens = [token._replace(misc="|".join(sorted(filter(None, token.misc.split("|")))) or "_") for token in tokens]
    tokens = [token._replace(space="") if at in last or token.is_empty else token for at, token in enumerate(tokens)]
    inside = {at for group in doc.tokens.multiwords for at in range(group.start, group.end)}
    tokens = [token._replace(space="") if at in inside else token for at, token in enumerate(tokens)]
    groups = [replace(group, space="") if group.end - 1 in last else group for group in doc.tokens.multiwords]
    return canonical(
        doc.replace(
            tokens=Tokens(tokens, multiwords=groups),
            sentences=tuple(replace(sentence, id=None, comments=()) for sentence in all_sentences(doc)),
            entities=tuple(replace(entity, id=names[entity.id]) for entity in doc.entities),
            bridges=tuple(
                replace(one, entity=names.get(one.entity, ""), antecedent=names.get(one.antecedent, ""))
                for one in doc.bridges
                if starts[one.entity, one.anaphor.start] < 2
            ),
            split_antecedents=tuple(
                replace(
                    one,
                    entity=names.get(one.entity, ""),
                    antecedents=tuple(names.get(id, "") for id in one.antecedents),
                )
                for one in doc.split_antecedents
                if starts[one.entity, one.anaphor.start] < 2
            ),
        )
    )


def _first_difference(old: object, new: object) -> str:
    if isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        pairs = ((a, b) for a, b in zip(old, new, strict=True) if a != b)
        old, new = next(pairs, (old, new))
    return f"{old!r:.400} became {new!r:.400}"


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffc\U00010000-\U0010ffff]")


def _words(doc: Document, *, is_text: bool) -> list[str]:
    """Return the words, or the characters for a format of plain text, without what formats normalize."""
    if is_text:
        return list(_NOT_XML.sub("?", "".join(filter(has_words, doc.text))))
    empty = doc.tokens.empty_positions
    forms = (token.form for at, token in enumerate(doc.tokens) if at not in empty)
    return [_NOT_XML.sub("?", re.sub(r"[\s_]+", "", form)) for form in forms]


Spans = tuple[tuple[int, ...], ...]


def _entities(doc: Document, carries: frozenset[str]) -> Counter[tuple[object, ...]]:
    """Return the entities as sets of mentions, each by its words or characters, with the types carried."""
    is_text = "sentences" not in carries
    if "discontinuous" not in carries and not is_text:
        spans = surface(doc, within_sentences="cross-sentence" not in carries).entities
        return Counter((tuple(sorted(set(places))),) for _, places in spans)
    number: dict[int, int] = {}
    for position in range(len(doc.tokens)):
        if position not in doc.tokens.empty_positions or "zeros" in carries:
            number[position] = len(number)
    found: Counter[tuple[object, ...]] = Counter()
    before = [0]  # characters that are no white space before each character
    for character in doc.text if is_text else "":
        before.append(before[-1] + has_words(character))
    for entity in doc.entities:
        mentions = set()
        for mention in entity.mentions:
            places = _characters(mention, before) if is_text else _numbers(mention, number)
            if places:
                mentions.add(places)
        if mentions:
            found[tuple(sorted(mentions)), " ".join((entity.type or "").split()) if "types" in carries else None] += 1
    return found


def _numbers(mention: Mention, number: dict[int, int]) -> Spans:
    return tuple((number[position],) for position in mention.positions if position in number)


def _characters(mention: Mention, before: list[int]) -> Spans:
    if mention.is_zero:
        return ()
    found: list[tuple[int, int]] = []
    for start, end in ((before[start], before[end]) for start, end in mention.char_spans):
        if found and found[-1][1] == start:
            found[-1] = found[-1][0], end
        elif start < end:
            found.append((start, end))
    return tuple(found)
