"""Every recorded number of the official scorers, to 1e-9."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from coindex.api import read
from coindex.document import Document, Entity, Mention, Sentence, Token, Tokens
from coindex.errors import CoindexError, FormatError, Problem
from coindex.scoring import make_settings, score_documents

NAMES = {"bcub": "b3"}
MATCH = {"partial-corefud": "partial"}
RECORDS = {
    "golden_v1.2.jsonl": ("crac24", 1656),
    "golden_fuzz_v1.2.jsonl": ("crac24", 3000),
    "golden_v1.1.jsonl": ("crac23", 828),
    "golden_v1.0.jsonl": ("crac22", 552),
    "shared_zeros/golden.jsonl": ("crac24", 12),
}
NO_DEPS = "ZeroDivisionError"
"""What the official scorer raises for zeros without DEPS, which are matched by position here."""


def pass_over_unclosed(problem: Problem) -> None:
    """The one mistake in brackets that the official reader passes over."""
    if problem.severity == "error" and problem.code != "unclosed-mention":
        raise FormatError(problem)


@pytest.fixture(scope="module")
def documents(scorer_cases: Path) -> Callable[[str], list[Document]]:
    """Reads each file once; an error is raised each time."""

    @cache
    def load(name: str) -> list[Document] | CoindexError:
        try:
            docs = list(read(scorer_cases / name, "corefud", on_problem=pass_over_unclosed))
        except CoindexError as error:
            return error
        without_id = any(doc.id is None and doc.entities for doc in docs)
        return CoindexError(f"{name}: entities before any # newdoc") if without_id else docs

    def get(name: str) -> list[Document]:
        found = load(name)
        if isinstance(found, CoindexError):
            raise found
        return found

    return get


def rows(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.filterwarnings("ignore")
def test_recorded_scores(name: str, scorer_cases: Path, documents: Callable[[str], list[Document]]) -> None:
    profile, number = RECORDS[name]
    wrong = []
    seen = 0
    for row in rows(scorer_cases / name):
        seen += 1
        options = {
            "match": MATCH.get(row["match"], row["match"]),
            "singletons": row["singletons"],
            "zeros": row.get("zero"),
        }
        wanted = row["scores"]
        try:
            result = score_documents(
                documents(row["key"]), documents(row["sys"]), make_settings(profile, strict=False, **options)
            )
        except CoindexError as error:
            if "error" not in wanted:
                wrong.append((row["key"], row["sys"], options, str(error)))
            continue
        if "error" in wanted:
            if wanted["error"] != NO_DEPS:
                wrong.append((row["key"], row["sys"], options, f"no error, but official {wanted}"))
            continue
        for metric, values in wanted.items():
            found = result[NAMES.get(metric, metric)]
            if (found.recall, found.precision, found.f1) != pytest.approx(values, abs=1e-9):
                wrong.append((row["key"], row["sys"], options, metric, values, found))
    assert seen == number
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("name", ["golden_v1.2.jsonl", "golden_v1.1.jsonl"])
@pytest.mark.filterwarnings("ignore")
def test_strict_scores_are_the_same(name: str, scorer_cases: Path, documents: Callable[[str], list[Document]]) -> None:
    """What is no error when strict has the official number too."""
    errors = set()
    for row in rows(scorer_cases / name):
        if row["match"] != "head" or "error" in row["scores"]:
            continue
        profile = RECORDS[name][0]
        settings = make_settings(profile, match="head", singletons=row["singletons"], zeros=row.get("zero"))
        try:
            result = score_documents(documents(row["key"]), documents(row["sys"]), settings)
        except CoindexError:
            errors.add(Path(row["key"]).name[:2])
            continue
        assert result["muc"].f1 == pytest.approx(row["scores"]["muc"][2], abs=1e-9)
    silent = {"20", "21", "25"}
    assert errors == silent if name == "golden_v1.2.jsonl" else errors >= silent


BRACKET = re.compile(r"\((\w+)(\))?|(\w+)\)")


def read_last_column(path: Path) -> list[Document]:
    """All that the Perl scorer looks at: some of its test files have no words and rows of different lengths."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    cells = [columns[-1] for columns in rows if columns]
    tokens = Tokens(Token(str(number), "_") for number in range(1, len(cells) + 1))
    mentions: dict[str, list[Mention]] = {}
    opened: dict[str, list[int]] = {}
    for position, cell in enumerate(cells):
        for match in BRACKET.finditer(cell):
            name = match[1] or match[3]
            if match[1]:
                opened.setdefault(name, []).append(position)
            if match[2] or match[3]:
                span = range(opened[name].pop(), position + 1)
                mentions.setdefault(name, []).append(Mention(tokens, tuple(span)))
    entities = tuple(Entity(name, tuple(found)) for name, found in mentions.items())
    return [Document(tokens, (Sentence(tokens, 0, len(tokens)),), entities)]


@pytest.mark.filterwarnings("ignore")
def test_conll_reference_scorer(scorer_cases: Path) -> None:
    """The test cases of the Perl scorer, to the precision they are printed with."""
    folder = scorer_cases / "conll-tests"
    for row in rows(folder / "expected.jsonl"):
        key, response = (read_last_column(folder / row[side]) for side in ("key", "response"))
        result = score_documents(key, response, make_settings("conll12", strict=False))
        for metric, values in row["expected"].items():
            found = result[NAMES.get(metric, metric)]
            assert (found.recall, found.precision, found.f1) == pytest.approx(values, abs=6e-6), row["id"]
