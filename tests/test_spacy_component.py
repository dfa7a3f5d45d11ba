"""`nlp.add_pipe("coindex")`: found by its entry point, with a blank pipeline and with a real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex.errors import CoindexError
from pipelines import english

spacy = pytest.importorskip("spacy")
from spacy.language import Language  # noqa: E402 - after the test for the package
from spacy.tokens import Doc  # noqa: E402

TEXT = "Alice met Bob.  \n\nShe smiled at him. Then Alice left."


@Language.component("names_and_pronouns")
def names_and_pronouns(doc: Doc) -> Doc:
    words = {"Alice", "Bob", "She", "him"}
    doc.spans["sc"] = [doc[token.i : token.i + 1] for token in doc if token.text in words]
    return doc


def texts(doc: Doc) -> list[list[str]]:
    return [[doc.text[start:end] for start, end in cluster] for cluster in doc._.coref_clusters]


@pytest.fixture
def blank() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex")
    return nlp


def test_a_blank_pipeline(blank: Language):
    doc = blank(TEXT)
    assert texts(doc) == [["Alice", "She", "Alice"], ["Bob", "him"]]
    assert doc._.coref_clusters[1] == [(10, 13), (TEXT.index("him"), TEXT.index("him") + 3)]


def test_clusters_are_spans_too(blank: Language):
    doc = blank(TEXT)
    assert [span.text for span in doc.spans["coref_clusters_1"]] == ["Alice", "She", "Alice"]
    assert [span.text for span in doc.spans["coref_clusters_2"]] == ["Bob", "him"]
    assert len(doc.spans["coref_clusters_1"].attrs["by"]) == 3
    assert [span._.coref_cluster for span in doc.spans["coref_clusters_2"]] == [1, 1]
    assert doc[1:3]._.coref_cluster is None
    assert [token.text for token in doc if token._.coref_clusters == [0]] == ["Alice", "She", "Alice"]


def test_the_text_is_resolved_when_asked(blank: Language):
    assert blank(TEXT)._.resolved_text == "Alice met Bob.  \n\nAlice smiled at Bob. Then Alice left."


@pytest.mark.parametrize("text", ["", " \n ", "Alice", "😀", "שלום", "She"])
def test_little_text(blank: Language, text: str):
    doc = blank(text)
    assert doc._.coref_clusters == []
    assert doc._.resolved_text == text


def test_a_second_run_replaces_the_first(blank: Language):
    doc = blank(TEXT)
    doc.spans["coref_clusters_7"] = [doc[0:1]]
    doc.spans["coref_clusters_of_mine"] = [doc[0:1]]
    again = blank.get_pipe("coindex")(doc)
    assert sorted(again.spans) == ["coref_clusters_1", "coref_clusters_2", "coref_clusters_of_mine"]


def test_settings():
    nlp = spacy.blank("en")
    nlp.add_pipe("names_and_pronouns")
    nlp.add_pipe("coindex", config={"resolver": "singleton", "mentions": "sc", "singletons": True, "prefix": "m"})
    doc = nlp(TEXT)
    assert texts(doc) == [["Alice"], ["Bob"], ["She"], ["him"], ["Alice"]]
    assert [span.text for span in doc.spans["m_3"]] == ["She"]


def test_given_mentions_that_are_not_there():
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex", config={"resolver": "singleton", "mentions": "sc"})
    with pytest.raises(CoindexError, match="no spans 'sc' in the document"):
        nlp(TEXT)


def test_a_wrong_resolver_is_told_at_once():
    with pytest.raises(CoindexError, match="unknown resolver 'sieve'"):
        spacy.blank("en").add_pipe("coindex", config={"resolver": "sieve"})


def test_a_resolver_that_needs_trees_says_so():
    nlp = spacy.blank("en")
    nlp.add_pipe("coindex", config={"resolver": "simple-rules"})
    with pytest.raises(CoindexError, match="spacy"):
        nlp(TEXT)


def test_batches(blank: Language):
    many = [TEXT, "", "Bob slept. He snored."] * 3
    docs = list(blank.pipe(many, batch_size=2))
    assert [doc.text for doc in docs] == many
    assert [texts(doc) for doc in docs] == [texts(blank(text)) for text in many]


def test_disk(blank: Language, tmp_path: Path):
    blank.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.get_pipe_meta("coindex").factory == "coindex"
    assert again(TEXT)._.coref_clusters == blank(TEXT)._.coref_clusters


def test_bytes(blank: Language):
    doc = blank(TEXT)
    again = Doc(blank.vocab).from_bytes(doc.to_bytes())
    assert again._.coref_clusters == doc._.coref_clusters
    assert again._.resolved_text == doc._.resolved_text


def test_sentences_of_the_pipeline_are_kept():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("coindex")
    assert texts(nlp(TEXT)) == [["Alice", "She", "Alice"], ["Bob", "him"]]


@pytest.fixture(scope="module")
def real() -> Language:
    nlp = spacy.load(english())
    nlp.add_pipe("coindex")
    return nlp


def test_a_real_pipeline(real: Language):
    found = texts(real(TEXT))
    assert ["Alice", "She", "Alice"] in found
    assert ["Bob", "him"] in found


def test_several_processes(real: Language):
    alone = [doc._.coref_clusters for doc in real.pipe([TEXT] * 4)]
    assert [doc._.coref_clusters for doc in real.pipe([TEXT] * 4, n_process=2, batch_size=2)] == alone
