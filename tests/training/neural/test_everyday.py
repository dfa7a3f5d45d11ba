"""The corpora of short texts that shipped models are trained on."""

from pathlib import Path

import pytest

import coindex
from coindex.document.validation import check

FOLDER = Path(__file__).parents[3] / "corpora"


@pytest.fixture(scope="module", params=["en_everyday.conllu", "en_everyday_2.conllu"])
def path(request):
    return FOLDER / request.param


@pytest.fixture(scope="module")
def docs(path):
    return list(coindex.read(path))


def test_the_corpus_is_valid_and_as_large_as_described(path, docs):
    assert not [problem for doc in docs for problem in check(doc)]
    words = sum(len(doc.tokens) for doc in docs)
    mentions = sum(len(entity.mentions) for doc in docs for entity in doc.entities)
    (row,) = [line for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines() if path.name in line]
    assert row.endswith(f"| {len(docs):,} | {words:,} | {mentions:,} |")


def test_ids_are_unique(docs):
    assert len({doc.id for doc in docs}) == len(docs)


def test_no_text_of_the_corpus_is_in_the_suite_of_behaviours(docs):
    from benchmarks.behaviours.suite import read_suite

    def sentences(doc):
        return {sentence.text for sentence in doc.sentences if len(sentence) > 5}

    tested = set()
    for capability in read_suite():
        for text in capability.texts:
            tested |= sentences(coindex.Document.from_text(text.text, language="en"))
    assert not [doc.id for doc in docs if sentences(doc) & tested]
