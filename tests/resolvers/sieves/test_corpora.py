"""The resolver on real corpora: at least as good as it was measured to be, and valid to the last mention."""

import pytest

import coindex
from coindex.document.heads import find_heads
from coindex.document.validation import check

FLOORS = {
    ("en_gum/en_gum-corefud-dev.conllu", "sieves"): 66.5,
    ("es_ancora/es_ancora-dev.conllu", "sieves"): 57,
    ("cs_faust/cs_pdtc-ud-train-ft.conllu", "sieves"): 46,
    # its documents are collections of single sentences, and its key links none of them
    ("cs_faust/cs_pdtc-ud-train-ft.conllu", "sieves(reach=sentence)"): 71.5,
    ("fr_democrat/dem1921_sg.dev.conll", "sieves"): 50,
}


@pytest.mark.parametrize(("path", "chain"), FLOORS)
def test_score_and_validity(path, chain, shared_data):
    key = [find_heads(doc) for doc in coindex.read(shared_data / path)]
    response = list(coindex.load(chain).pipe(key))
    assert 100 * coindex.score(key, response).conll > FLOORS[path, chain]
    for doc in response:
        assert not [finding for finding in check(doc) if finding.severity == "error"]
        assert all(mention.head in mention.positions for entity in doc.entities for mention in entity.mentions)
        assert all(
            doc.sentence_index(mention.start) == doc.sentence_index(mention.end - 1)
            for entity in doc.entities
            for mention in entity.mentions
        )


def test_given_mentions_stay_as_they_are(shared_data):
    key = list(coindex.read(shared_data / "en_parcorfull/en_parcorfull-dev.conllu"))
    response = list(coindex.load("sieves", mentions="given").pipe(key))
    for before, after in zip(key, response, strict=True):
        assert {m.positions for m, _ in before.mentions()} == {m.positions for m, _ in after.mentions()}
