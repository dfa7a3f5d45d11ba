"""Every definition of the statistics, counted by hand on a small corpus, and what must not change them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.corpus_text import FIRST, SECOND, corpus
from coindex.analysis.statistics import (
    Counts,
    cluster_size_table,
    count,
    count_document,
    dataset_table,
    detail_table,
    entity_table,
    mention_table,
    mention_type_table,
    property_table,
    upos_table,
)
from coindex.analysis.tables import Table
from coindex.document import Document, Entity
from strategies import documents


def values(table: Table, label: str = "small") -> dict[str, object]:
    (row,) = (row for row in table.rows if row.label == label)
    return dict(zip((column.name for column in table.columns), row.values, strict=True))


@pytest.fixture(scope="module")
def small() -> dict[str, Counts]:
    return {"small": count(corpus())}


def test_sizes_of_the_dataset(small: dict[str, Counts]) -> None:
    assert values(dataset_table(small)) == {
        "documents": 2,
        "sentences": 4,
        "words": 13 + 6,
        "zeros": 1 + 1,
        "entities": 6,
        "entity_length": (3 + 2 + 1 + 2 + 1 + 1) / 6,
        "non_singletons": 3 + 2 + 2,
    }


def test_entities_with_singletons(small: dict[str, Counts]) -> None:
    assert values(entity_table(small)) == {
        "total": 6,
        "per_1k": 1000 * 6 / 19,
        "length_max": 3,
        "length_avg": 10 / 6,
        "size_1": 3 / 6,
        "size_2": 2 / 6,
        "size_3": 1 / 6,
        "size_4": 0,
        "size_5+": 0,
    }


def test_entities_without_singletons(small: dict[str, Counts]) -> None:
    found = values(entity_table(small, singletons=False))
    assert (found["total"], found["length_avg"], found["size_1"], found["size_2"]) == (3, 7 / 3, 0, 2 / 3)


def test_mentions_are_those_of_entities_with_several(small: dict[str, Counts]) -> None:
    # the fox (3), zero (0), it (1), a hen (2), the hen (2), Ann (1), she (1)
    assert values(mention_table(small)) == {
        "total": 7,
        "per_1k": 1000 * 7 / 19,
        "length_max": 3,
        "length_avg": (3 + 0 + 1 + 2 + 2 + 1 + 1) / 7,
        "length_0": 1 / 7,
        "length_1": 3 / 7,
        "length_2": 2 / 7,
        "length_3": 1 / 7,
        "length_4": 0,
        "length_5+": 0,
    }


def test_mentions_with_singletons(small: dict[str, Counts]) -> None:
    # and those: saw a hen … ran (6 words, the empty node is none), and … met (2), left + empty node (1)
    found = values(mention_table(small, singletons=True))
    assert (found["total"], found["length_max"]) == (10, 6)
    assert found["length_avg"] == (10 + 6 + 2 + 1) / 10
    assert found["length_5+"] == 1 / 10


def test_kinds_of_mentions(small: dict[str, Counts]) -> None:
    # empty nodes: the zero, the scene, left; gaps: the scene, and … met; no treelet: and … met only
    assert values(mention_type_table(small)) == {"with_empty": 3 / 10, "with_gap": 2 / 10, "non_treelet": 1 / 10}
    apart = values(mention_type_table(small, singletons=False))
    assert apart == {"with_empty": 1 / 7, "with_gap": 0, "non_treelet": 0}


def test_tags_of_heads(small: dict[str, Counts]) -> None:
    # NOUN: the fox, a hen, the hen; PRON: zero, it, she; PROPN: Ann; VERB: saw, met (above "and"), left
    found = values(upos_table(small))
    expected = {"NOUN": 3, "PRON": 3, "PROPN": 1, "DET": 0, "ADJ": 0, "VERB": 3, "ADV": 0, "NUM": 0, "other": 0}
    assert found == {f"head_{tag}": number / 10 for tag, number in expected.items()}


def test_a_given_head_goes_before_the_tree() -> None:
    (fox, *rest) = FIRST.entities
    conjunction = replace(fox.mentions[0], head=1)
    doc = FIRST.replace(entities=(Entity("fox", (conjunction, *fox.mentions[1:])), *rest))
    assert count(doc).others.heads == Counter({"ADJ": 1, "NOUN": 2, "PRON": 2})


def test_details_are_both_parts(small: dict[str, Counts]) -> None:
    assert values(detail_table(small)) == {**values(mention_type_table(small)), **values(upos_table(small))}


def test_values_without_trees_and_tags_are_empty() -> None:
    doc = Document.from_text("Ann saw her", id="d")
    doc = doc.replace(entities=(Entity("a", (doc.mention([0]), doc.mention([1, 2]))),))
    found = values(detail_table({"small": count(doc)}))
    assert (found["with_empty"], found["with_gap"], found["non_treelet"]) == (0, 0, None)
    assert {value for name, value in found.items() if name.startswith("head_")} == {None}


def test_properties_of_preco(small: dict[str, Counts]) -> None:
    assert values(property_table(small)) == {
        "documents": 2,
        "tokens": 19,
        "tokens_per_document": 19 / 2,
        "mention_length": 10 / 7,
        "mention_density": 7 / 19,
        "cluster_size": 7 / 3,
        "cluster_density": 3 / 19,
        "singleton_length": (6 + 2 + 1) / 3,
        "singleton_density": 3 / 19,
        "singleton_rate": 3 / 10,
    }


def test_sizes_of_clusters_leave_singletons_out() -> None:
    doc = Document.from_text(" ".join("w" * 40), id="d")
    sizes = (1, 2, 15, 16, 5)
    starts = [sum(sizes[:at]) for at in range(len(sizes))]
    made = [
        Entity(f"e{start}", tuple(doc.mention([place]) for place in range(start, start + size)))
        for start, size in zip(starts, sizes, strict=True)
    ]
    found = values(cluster_size_table({"small": count(doc.replace(entities=tuple(made)))}))
    assert list(found) == [f"size_{size}" for size in (*range(2, 16), "16+")]
    assert {name: share for name, share in found.items() if share} == {
        "size_2": 1 / 4,
        "size_5": 1 / 4,
        "size_15": 1 / 4,
        "size_16+": 1 / 4,
    }


def test_nothing_is_divided_by_nothing() -> None:
    empty = {"small": count(Document.from_text("Nobody is here", id="d"))}
    assert values(entity_table(empty))["length_avg"] is None
    assert values(entity_table(empty))["total"] == 0
    assert values(mention_table(empty))["length_0"] is None
    assert values(property_table(empty))["singleton_rate"] is None
    assert values(entity_table({"small": Counts()}))["per_1k"] is None


def test_an_entity_of_several_documents_counts_once_by_its_whole_size() -> None:
    one = FIRST.replace(shared_ids=True, topic="1")
    two = SECOND.replace(
        shared_ids=True,
        topic="1",
        entities=tuple(replace(e, id={"ann": "scene"}.get(e.id, e.id)) for e in SECOND.entities),
    )
    found = count([one, two])
    assert found.sizes == Counter({3: 2, 2: 1, 1: 2})  # fox; scene and Ann together; hen; odd; gone
    assert found.singletons.total == 2
    assert found.others.lengths[6] == 1
    # without topics, documents are annotated one by one, even if ids happen to be the same in others
    apart = count([one.replace(topic=None), two.replace(topic=None)])
    assert apart.sizes == Counter({3: 1, 2: 2, 1: 3})


def test_counts_add() -> None:
    parts = count_document(FIRST) + count_document(SECOND)
    assert parts == count(corpus())
    assert count_document(FIRST) == count(FIRST)  # and adding left its parts as they were
    total = Counts()
    for doc in corpus():
        total += count_document(doc)
    assert total == parts


def test_every_number_has_its_signature(small: dict[str, Counts]) -> None:
    for table, sing in ((entity_table(small), "yes"), (mention_table(small), "no"), (property_table(small), "apart")):
        (signature,) = table.signatures
        assert signature.startswith(f"coindex|stats@1|sing:{sing}|v:")


def test_rows_are_those_given_under_the_heading_given() -> None:
    table = entity_table({"b": count(FIRST), "a": count(SECOND)})
    assert [(row.label, row.keys) for row in table.rows] == [("b", {"system": "b"}), ("a", {"system": "a"})]
    assert dataset_table({"a": count(FIRST)}).stub == "dataset"


@settings(max_examples=40, deadline=None)
@given(st.lists(documents(), min_size=1, max_size=3), st.randoms())
def test_names_and_order_do_not_matter(docs: list[Document], random: object) -> None:
    changed = [_renamed(doc) for doc in docs]
    random.shuffle(changed)  # type: ignore[attr-defined]
    assert count(changed) == count(docs)
    assert sum((count_document(doc) for doc in changed), Counts()) == count(docs)


@settings(max_examples=40, deadline=None)
@given(documents())
def test_all_numbers_fit_together(doc: Document) -> None:
    counts = count(doc)
    mentions = counts.mentions(singletons=True)
    assert mentions.total == sum(map(len, doc.entities)) == mentions.heads.total() == mentions.in_trees
    assert counts.sizes.total() == len(doc.entities)
    assert counts.words + counts.zeros == len(doc.tokens)
    assert mentions.lengths[0] == sum(m.is_zero for e in doc.entities for m in e.mentions) <= mentions.with_empty


def _renamed(doc: Document) -> Document:
    """The same entities under other names and in another order."""
    names = {entity.id: f"x{number}" for number, entity in enumerate(reversed(doc.entities))}
    entities = tuple(replace(entity, id=names[entity.id]) for entity in reversed(doc.entities))
    return doc.replace(entities=entities, bridges=(), split_antecedents=())
