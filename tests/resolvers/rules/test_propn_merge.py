"""Proper nouns by lemma, after another resolver."""

import pytest

import coindex
from coindex.document import Entity
from coindex.errors import CoindexError, DataWarning
from parsed_text import chains, parsed

SPANISH = """
El       el       DET   _ 2 det
alcalde  alcalde  NOUN  _ 4 nsubj
Ruiz     Ruiz     PROPN _ 2 appos
habló    hablar   VERB  _ 0 root

Ruiz     Ruiz     PROPN _ 2 nsubj
visitó   visitar  VERB  _ 0 root
Lima     Lima     PROPN _ 2 obj

Lima     Lima     PROPN _ 3 nsubj
lo       él       PRON  _ 3 obj
recibió  recibir  VERB  _ 0 root

Quito    Quito    PROPN _ 0 root
"""


def resolved(chain, doc):
    return coindex.load(chain, keep_entities=True)(doc)


def spanish(*clusters, **fields):
    doc = parsed(SPANISH, **{"language": "es", **fields})
    entities = (Entity(f"x{n}", tuple(doc.mention(span) for span in spans)) for n, spans in enumerate(clusters))
    return doc.replace(entities=tuple(entities))


def test_spans_become_heads_and_names_of_one_lemma_one_entity():
    doc = resolved("propn-merge", spanish([range(2), [8]], [[4]]))
    assert chains(doc) == [["alcalde", "lo"], ["Ruiz", "Ruiz"], ["Lima", "Lima"]]
    assert [entity.id for entity in doc.entities] == ["x0", "x1", "e1"]
    assert [mention.attributes.get("by") for mention in doc.entities[1].mentions] == ["propn-merge", None]


def test_entities_that_hold_one_name_are_merged():
    assert chains(resolved("propn-merge", spanish([[2], [8]], [[4], [1]]))) == [
        ["alcalde", "Ruiz", "Ruiz", "lo"],
        ["Lima", "Lima"],
    ]


def test_entities_that_come_to_share_a_head_are_merged():
    assert chains(resolved("propn-merge(none)", spanish([range(2), [8]], [[1], [4]]))) == [["alcalde", "Ruiz", "lo"]]


@pytest.mark.parametrize(
    ("languages", "language", "merges"),
    [
        ("", "es", True),
        ("", "pt", False),
        ("(pt+es)", "pt", True),
        ("(languages=cs+de)", "es", False),
        ("(all)", "sw", True),
        ("(none)", "es", False),
        ("", "es-PE", True),
    ],
)
def test_languages(languages, language, merges):
    doc = resolved("propn-merge" + languages, spanish(language=language))
    assert bool(doc.entities) == merges


def test_bad_languages():
    with pytest.raises(CoindexError, match=r"invalid languages 'all\+cs'; expected language codes joined by \+"):
        coindex.load("propn-merge(all+cs)", keep_entities=True)


def test_zeros_stay_and_shared_ids_are_not_taken():
    text = "0.1 _ _ PRON _ _ _ 1:nsubj\nvino venir VERB _ 0 root\nAna Ana PROPN _ 2 obj\nAna Ana PROPN _ 2 obj"
    doc = parsed(text, language="es", id="d7", shared_ids=True)
    doc = doc.replace(entities=(Entity("e9", (doc.mention([0]),)),))
    result = resolved("propn-merge", doc)
    assert chains(result) == [["∅_"], ["Ana", "Ana"]]
    assert [entity.id for entity in result.entities] == ["e9", "d7:e1"]


def test_empty_document():
    assert resolved("propn-merge", parsed("Ana Ana PROPN").replace(entities=())).entities == ()
    with pytest.warns(DataWarning, match="an empty text"):
        assert coindex.load("propn-merge", keep_entities=True)("").entities == ()
