"""Compare the documents of a submission with the input; offline and on a server.

The check never uses the entities of the key, so it reports the same problems for the blind input and the key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..document import Document
from ..document.validation import check
from ..errors import CoindexError, Place, Problem, leave_codes, quote
from ..formats.corefud.reader import Origin
from ..scoring import MismatchError, Settings
from ..scoring.matching import RULES
from ..scoring.token_alignment import check_pair, cut_alike, describe_place

SHOWN = 5
"""The maximum number of names in a message."""
_CUT = "the response seems to be truncated; submit the complete output"
_EXTRA = "remove everything that is not in the input"
REMEDIES = {
    "document-mismatch": "submit all documents of the input, in the same order and with the same ids",
    "sentence-id-mismatch": "submit all sentences of the input, in the same order and with the same sent_id",
    "missing-sentences": _CUT,
    "extra-sentences": _EXTRA,
    "missing-word": _CUT,
    "extra-word": _EXTRA,
    "word-mismatch": "submit a response produced from this input, with the same words",
    "empty-node-mismatch": "keep the empty nodes of the input; the scorers of 2022 and 2023 need them",
}
"""How to fix a response whose words differ from the input, by error code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionProblem:
    """A problem in a submission; `line` and `column` start at 1, `where` describes the place in words."""

    file: str
    line: int | None = None
    column: int | None = None
    where: str = ""
    code: str
    found: str
    expected: str
    remedy: str
    severity: str = "error"

    def __post_init__(self) -> None:
        leave_codes(self)

    @classmethod
    def of(cls, problem: Problem) -> SubmissionProblem:
        """Convert a problem to a finding."""
        return cls(
            file=problem.path,
            line=problem.line,
            column=problem.column,
            where=problem.where,
            code=problem.code,
            found=problem.found,
            expected=problem.expected,
            remedy=problem.remedy,
            severity=problem.severity,
        )

    @classmethod
    def of_error(cls, file: str, error: CoindexError, expected: str) -> SubmissionProblem:
        """Convert an error that stopped the reading of a file to a finding."""
        remedy = error.remedy or "upload the file again"
        return cls(file=file, code=error.code, found=error.found, expected=expected, remedy=remedy)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        where = f" {self.where}:" if self.where else ""
        return f"{place}:{where} {self.found}; expected {self.expected}; {self.remedy}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetInput:
    """The input of a dataset: its documents, whether it contains mentions, and the documents of other datasets."""

    name: str
    docs: Sequence[Document]
    settings: Settings
    mentions: bool = False
    others: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Document ids by name of the other datasets."""


@dataclass(frozen=True, slots=True)
class ResponseDocument:
    """A document of a submission and the file it was read from."""

    file: str
    doc: Document


def check_dataset(given: DatasetInput, answers: Sequence[ResponseDocument]) -> Iterator[SubmissionProblem]:
    """Yield all problems in the response to a dataset, as far as it could be read."""
    file = answers[0].file if answers else given.name
    problems = list(_documents(given, answers, file))
    yield from problems
    by_id = {doc.id: doc for doc in given.docs}
    for answer in answers:
        if answer.doc.id in by_id:
            yield from _compare(given, by_id[answer.doc.id], answer)
    if answers and not problems and not any(answer.doc.entities for answer in answers):
        yield SubmissionProblem(
            file=file,
            code="no-entities",
            found=f"none of the {len(answers)} documents contains an entity",
            expected="the input with coreference annotation",
            remedy="check that the file is the output of your system, not its input",
        )


def _documents(given: DatasetInput, answers: Sequence[ResponseDocument], file: str) -> Iterator[SubmissionProblem]:
    """Yield problems with missing, unknown, repeated and reordered documents."""
    wanted, there = [doc.id for doc in given.docs], [answer.doc.id for answer in answers]
    if answers and not set(there) & set(wanted):
        other = next((name for name, ids in given.others.items() if set(there) & set(ids)), None)
        if other is not None:
            yield SubmissionProblem(
                file=file,
                code="wrong-dataset",
                found=f"documents of the dataset {other}, such as {quote(str(there[0]))}",
                expected=f"the documents of {given.name}",
                remedy="swap the files, or rename them like those of the input",
            )
            return
    missing = [id for id in wanted if id not in set(there)]
    if missing:
        yield SubmissionProblem(
            file=file,
            code="missing-document",
            found=f"no document {_list_ids(missing)}",
            expected=f"all {len(wanted)} documents of {given.name}",
            remedy="include every document, even those without entities",
        )
    times: dict[str | None, int] = {}
    for answer in answers:
        id = answer.doc.id
        times[id] = times.get(id, 0) + 1
        extra = id not in set(wanted)
        if extra or times[id] > wanted.count(id):
            found = f"the document {quote(str(id))}" + ("" if extra else " repeated")
            expected = f"the documents of {given.name}" + ("" if extra else ", each once")
            code = "extra-document" if extra else "duplicate-document-id"
            yield _at(answer, 0, Problem("", None, found, expected, "remove it", code=code))
    if not missing and sorted(map(str, there)) == sorted(map(str, wanted)) and there != wanted:
        at = next(number for number, (first, other) in enumerate(zip(there, wanted, strict=True)) if first != other)
        found, expected = f"the document {quote(str(there[at]))}", f"{quote(str(wanted[at]))} here"
        remedy = "keep the order of the input"
        yield _at(answers[at], 0, Problem("", None, found, expected, remedy, code="document-order"))


def _list_ids(ids: Sequence[str | None]) -> str:
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return ", ".join(quote(str(id)) for id in ids[:SHOWN]) + more


def _compare(given: DatasetInput, doc: Document, answer: ResponseDocument) -> Iterator[SubmissionProblem]:
    """Compare the words, the sentences and, if the input contains them, the mentions of a document."""
    rules = RULES[given.settings.rules]
    own, other = cut_alike(doc, answer.doc) if rules.cuts_alike else (doc, answer.doc)
    places: list[int] = []

    def locate(_: Document, position: int) -> Place:
        places.append(position)
        return Place()

    try:
        check_pair(own, other, strict=True, compares=rules.compares, locate=locate)
    except MismatchError as error:
        problem = error.against("the input", REMEDIES[error.code])
        yield _at(ResponseDocument(answer.file, other), places[-1], problem)
        return
    if given.mentions:
        yield from _mentions(doc, answer)
    for finding in check(answer.doc):
        if finding.severity == "error":  # scorers accept it, but rarely interpret it as intended
            yield _at(answer, finding.position or 0, replace(finding.problem(), severity="warning"))


def _mentions(doc: Document, answer: ResponseDocument) -> Iterator[SubmissionProblem]:
    """Yield mentions that are not in the input, and mentions of the input that are missing."""
    wanted = {mention.positions for mention, _ in doc.mentions()}
    there = {mention.positions: mention for mention, _ in answer.doc.mentions()}
    remedy = "this track provides the mentions: cluster them without changing them"
    for positions in sorted(there.keys() - wanted)[:SHOWN]:
        found = f"the mention {quote(there[positions].text)}"
        problem = Problem("", None, found, "only mentions of the input", remedy, code="extra-mention")
        yield _at(answer, positions[0], problem)
    gone = sorted(wanted - there.keys())
    if gone:
        text = " ".join(doc.tokens[position].form for position in gone[0])
        found = f"no mention {quote(text)}" + (f" ({len(gone)} such mentions)" if len(gone) > 1 else "")
        expected = "all mentions of the input"
        problem = Problem("", None, found, expected, remedy, "warning", code="missing-mention")
        yield _at(answer, gone[0][0], problem)


def _at(answer: ResponseDocument, position: int, problem: Problem) -> SubmissionProblem:
    """Return a problem at a word: line and column where the format has them, otherwise document, sentence and word."""
    line, column = spot(answer.doc, position)
    where = "" if line is not None else str(describe_place(answer.doc, position))
    return SubmissionProblem.of(replace(problem, path=answer.file, line=line, column=column, where=where))


def spot(doc: Document, position: int) -> tuple[int | None, int | None]:
    """Return the line of a word in its file and the column where its form starts."""
    if not isinstance(doc.origin, Origin) or not len(doc.tokens):
        return None, None
    line = doc.origin.line_of(position)
    return line, len(doc.tokens[min(position, len(doc.tokens) - 1)].id) + 2


def count_errors(findings: Iterable[SubmissionProblem]) -> int:
    """Return the number of findings that reject the submission."""
    return sum(finding.severity == "error" for finding in findings)
