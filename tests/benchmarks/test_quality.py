"""The quality benchmark: the documents it makes from a corpus, and the contents of its page."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from coindex import Document
from coindex.document import Entity, Sentence, Token, Tokens
from coindex.resolvers.chain import Measured

ROOT = Path(__file__).parents[2]


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The package, which is not installed."""
    monkeypatch.syspath_prepend(str(ROOT))
    import benchmarks.corpora
    import benchmarks.quality.page

    return benchmarks


@pytest.fixture
def doc() -> Document:
    """A dropped subject and four words: (zero) saw Ann . She slept ."""
    tokens = Tokens(
        [
            Token("0.1", "_", upos="PRON"),
            Token("1", "saw", upos="VERB"),
            Token("2", "Ann", lemma="Ann", upos="PROPN", space=""),
            Token("3", ".", upos="PUNCT"),
            Token("1", "She", upos="PRON"),
            Token("2", "slept", upos="VERB", space=""),
            Token("3", ".", upos="PUNCT"),
        ]
    )
    doc = Document(tokens, (Sentence(tokens, 0, 4), Sentence(tokens, 4, 7)), id="d", language="en")
    ann = Entity("e1", (doc.mention([2], head=2), doc.mention([4], head=4)))
    return doc.replace(entities=(ann, Entity("e2", (doc.mention([0], head=0),))))


def test_words_only_leaves_words_and_their_mentions(benchmarks: ModuleType, doc: Document) -> None:
    bare = benchmarks.corpora.bare(doc)
    assert list(bare.tokens.forms) == ["saw", "Ann", ".", "She", "slept", "."]
    assert {(token.lemma, token.upos, token.head) for token in bare.tokens} == {("_", "_", "_")}
    assert [(part.start, part.end) for part in bare.sentences] == [(0, 3), (3, 6)]
    assert [[(mention.text, mention.head) for mention in entity.mentions] for entity in bare.entities] == [
        [("Ann", None), ("She", None)]
    ]
    assert (bare.id, bare.language) == ("d", "en")


def test_pronouns_with_an_antecedent_are_asked_for(benchmarks: ModuleType, doc: Document) -> None:
    asked = benchmarks.quality.anaphora.asked(doc)
    assert [mention.text for mention, _ in asked.mentions() if "anaphoric" in mention.attributes] == ["She"]


def row(benchmarks: ModuleType, system: str, corpus: str, number: float, mentions: str = "detected") -> object:
    measured = Measured(
        chain=system,
        corpus=corpus,
        mentions=mentions,
        measure="CoNLL",
        number=number,
        signature="coindex|crac24@1",
        version="0",
    )
    return benchmarks.quality.rows.Row(measured, system)


def test_a_corpus_is_a_line_and_a_system_a_column(benchmarks: ModuleType) -> None:
    rows = [row(benchmarks, "sieves", "a", 61.24), row(benchmarks, "nearest-np", "b", 20.0)]
    page = benchmarks.quality.page.results_page(rows, [])
    found = page.partition("## Mentions found")[2].partition("\n## ")[0]
    assert "| a |  |  |  | 61.2 |  |  |  |  |  |  |  |  | <code>coindex&#124;crac24@1</code> |" in found
    assert "| b |  |  |  |  |  |  |  |  |  | 20.0 |  |  | <code>coindex&#124;crac24@1</code> |" in found


def test_what_a_model_has_learned_from_is_no_measure_of_it(benchmarks: ModuleType) -> None:
    """And one that reads words alone is not asked again about the same words with a parser's trees."""
    corpora = {corpus.name: corpus for corpus in benchmarks.corpora.CORPORA}

    def is_sensible(system: str, corpus: str) -> bool:
        return benchmarks.quality.coreference._is_sensible(system, corpora[corpus])

    assert is_sensible("xx-ud", "hu_korkor dev")
    assert is_sensible("xx-ud", "en_gum dev, parsed")
    assert not is_sensible("xx-ud", "es_ancora dev")
    assert is_sensible("en-small(scheme=litbank)", "en_litbank dev")
    assert not is_sensible("en-small", "en_gum dev, parsed")
    assert not is_sensible("en-small", "hu_korkor dev")
    assert not is_sensible("en-small", "en_parcorfull train+dev")


def test_what_is_left_out_is_one_line_a_reason(benchmarks: ModuleType) -> None:
    misfit = benchmarks.quality.rows.Misfit
    misfits = [
        misfit("a", "sieves", "detected", "no dependency tree"),
        misfit("a", "sieves", "given", "no dependency tree"),
        misfit("b", "sieves", "given", "no dependency tree"),
        misfit("a", "are-baseline", "detected", "no tags"),
        misfit("a", "{names} + sieves + ne-post", "detected", "no names"),
    ]
    page = benchmarks.quality.page.results_page([], misfits)
    assert page.partition("## Left out")[2].splitlines()[-3:] == [
        "- sieves: no dependency tree (a; b)",
        "- are-baseline with mentions found: no tags (a)",
        "- sieves + ne-post: no names (a)",
    ]


def test_an_error_explains_why_a_system_does_not_fit(
    benchmarks: ModuleType, doc: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpora = benchmarks.corpora
    docs = [corpora.bare(doc)]
    monkeypatch.setattr(corpora, "_read", lambda corpus: iter(docs))
    corpus = corpora.Corpus("c", ("c.conllu",), "en")
    rows, misfits = benchmarks.quality.coreference.corpus_rows(corpus, docs)
    assert {misfit.reason for misfit in misfits if misfit.system == "sieves"} == {"no dependency tree"}
    ways = {row.measured.mentions for row in rows if row.system == "are-baseline"}
    assert ways == {"detected", "given", "given-nonsingleton"}
    assert {row.measured.signature.split("|")[2] for row in rows} == {"match:exact"}
