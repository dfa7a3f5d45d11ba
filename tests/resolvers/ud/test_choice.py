"""The default resolver of a document, the error if there is none, and the option `--zeros`."""

from __future__ import annotations

from pathlib import Path

import pytest

import coindex
from coindex import Document
from coindex.api.evaluation import evaluate
from coindex.errors import CoindexError
from coindex.resolvers import defaults
from coindex.resolvers.chain import load_chain
from coindex.resolvers.defaults import LEARNED, RULES, choose, with_trees
from coindex.resolvers.ud import xx_ud
from command import run
from parsed_text import parsed

ROOT = Path(__file__).parents[3]
SPANISH = "Llegó llegar VERB Person=3|Number=Sing 0 root\nMarta Marta PROPN _ 1 nsubj"


@pytest.mark.parametrize(("there", "name"), [(True, LEARNED), (False, RULES)])
def test_trees_of_any_language_but_english(monkeypatch, there, name):
    monkeypatch.setattr(xx_ud, "is_there", lambda: there)
    assert with_trees() == name
    for language in ("es", "cs", "he", "hbo", None):
        assert choose(parsed(SPANISH, language=language)).resolver == name
    assert choose(Document.from_text("Marta llegó."), parsed=True, language="es") == (name, "es")
    assert choose(parsed(SPANISH, language="en")).resolver == defaults.default_for("en")


@pytest.mark.parametrize("code", ["es", "ru", "cs", "fa"])
def test_the_error_for_raw_text_names_parsers_and_conllu(code):
    with pytest.raises(CoindexError) as raised:
        choose(Document.from_text("..."), language=code)
    said = str(raised.value)
    assert ("parser='spacy(MODEL)'" in said) == (code not in defaults.PARSERS)
    assert "pip install stanza" in said
    assert f"(coindex resolve text.conllu --language {code})" in said


def test_zeros_are_an_option_only_of_resolvers_that_support_it():
    assert coindex.load("xx-ud", zeros="ignore").name == "xx-ud(zeros=ignore)"
    with pytest.raises(
        CoindexError, match="zeros=predict has no effect with sieves, which uses empty nodes as they are"
    ):
        coindex.load("sieves", zeros="predict")
    with pytest.raises(CoindexError, match="zeros"):
        coindex.load("xx-ud(zeros=some)")


def test_callers_that_keep_words_get_no_new_ones():
    assert load_chain("xx-ud", keep_words=True).name == "xx-ud(zeros=given)"
    assert load_chain("sieves", keep_words=True).name == "sieves"


def test_the_command():
    story = b"Nora left. She waved."
    assert run("resolve", "-", "--zeros", "ignore", input=story).code == 0  # chosen by itself: nothing to ignore
    done = run("resolve", "-", "-r", "en-small", "--zeros", "ignore", input=story)
    assert (done.code, "has no effect with en-small, which uses empty nodes" in done.err) == (2, True)
    done = run("resolve", "-", "--zeros", "some", input=story)
    assert (done.code, "'predict', 'given', 'ignore'" in done.err) == (2, True)
    done = run("resolve", "-", "--cross", "--zeros", "given", input=story)
    assert (done.code, "--zeros cannot be combined with --cross" in done.err) == (2, True)


def test_it_describes_itself():
    resolver = xx_ud.RESOLVER
    assert resolver.needs == ("trees",)
    assert {option.name for option in resolver.options} == {"zeros", "style", "singletons", "min_link"}
    with pytest.raises(CoindexError, match="is not a probability"):
        coindex.load("xx-ud(min_link=2)")


def test_a_corpus_without_its_empty_nodes():
    corpus = [ROOT / "examples" / "cartero.conllu"]
    kept, overt = (evaluate("sieves", corpus, columns=columns) for columns in ("keep", "overt"))
    assert kept.total["zero"].recall > 0 == overt.total["zero"].recall
    assert "without its empty nodes" in overt.to_dict()["input"]
    assert next(iter(kept.corpora.values())).words == next(iter(overt.corpora.values())).words
