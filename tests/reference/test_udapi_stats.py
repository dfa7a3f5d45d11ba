"""Our statistics against those of udapi's block `corefud.Stats`, number by number, on real corpora.

udapi is under the GPL: it is a peer to compare with in tests and benchmarks, never a part of the package.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import coindex
from coindex.analysis.statistics import (
    Counts,
    count,
    dataset_table,
    detail_table,
    entity_table,
    mention_table,
    property_table,
)
from coindex.analysis.tables import Table

udapi = pytest.importorskip("udapi.core.document")
blocks = pytest.importorskip("udapi.block.corefud.stats")

# Their entity ids are unique in the file, as udapi takes them, and their mentions have heads.
CORPORA = [
    "cs_faust/cs_pdtc-ud-train-ft.conllu",
    "en_gum/en_gum-corefud-dev.conllu",
    "en_parcorfull/en_parcorfull-dev.conllu",
    "en_parcorfull/en_parcorfull-train.conllu",
    "es_ancora/es_ancora-dev.conllu",
]
TAGS = ["NOUN", "PRON", "PROPN", "DET", "ADJ", "VERB", "ADV", "NUM"]


Both = tuple[dict[str, Counts], Any]


def run_udapi(doc: Any, **options: Any) -> Any:
    """The block after it has seen the file: its counters are what it prints."""
    block = blocks.Stats(report_basics=True, selected_upos=" ".join(TAGS), **options)
    block.process_document(doc)
    return block


def values(table: Table) -> list[Any]:
    (row,) = table.rows
    return list(row.values)


def entities_of(block: Any) -> list[Any]:
    counter, number = block.counter, block.entities
    shares = [counter[f"c_len_{size}"] / number for size in range(1, 6)]
    return [
        number,
        1000 * number / block.total_nodes,
        block.longest_entity,
        counter["c_total_len"] / number,
        *shares,
    ]


def mentions_of(block: Any) -> list[Any]:
    counter, number = block.counter, block.mentions
    shares = [counter[f"m_len_{length}"] / number for length in range(6)]
    return [
        number,
        1000 * number / block.total_nodes,
        block.longest_mention,
        counter["m_total_len"] / number,
        *shares,
    ]


def details_of(block: Any) -> list[Any]:
    counter, number = block.counter, block.mentions
    kinds = [counter[name] / number for name in ("m_with_empty", "m_with_gaps", "m_nontreelet")]
    return kinds + [counter[f"m_head_upos_{tag}"] / number for tag in (*TAGS, "other")]


@pytest.fixture(scope="module", params=CORPORA)
def both(request: pytest.FixtureRequest, shared_data: Path) -> Both:
    """What we count in a file, and the file as udapi reads it."""
    path = shared_data / request.param
    doc = udapi.Document()
    doc.from_conllu_string(path.read_text(encoding="utf-8"))  # it leaves files open that it opens itself
    return {request.param: count(coindex.read(path))}, doc


def test_with_singletons(both: Both) -> None:
    ours, doc = both
    theirs = run_udapi(doc)
    assert values(entity_table(ours)) == pytest.approx(entities_of(theirs))
    assert values(mention_table(ours, singletons=True)) == pytest.approx(mentions_of(theirs))
    assert values(detail_table(ours)) == pytest.approx(details_of(theirs))


def test_without_singletons(both: Both) -> None:
    ours, doc = both
    theirs = run_udapi(doc, exclude_singletons=True)
    assert values(entity_table(ours, singletons=False)) == pytest.approx(entities_of(theirs))
    assert values(mention_table(ours)) == pytest.approx(mentions_of(theirs))
    assert values(detail_table(ours, singletons=False)) == pytest.approx(details_of(theirs))
    basics = theirs.counter
    assert values(dataset_table(ours))[:4] == [basics[name] for name in ("newdocs", "sents", "words", "empty")]
    assert values(dataset_table(ours))[-1] == theirs.mentions


def test_singletons_alone(both: Both) -> None:
    ours, doc = both
    theirs = run_udapi(doc, exclude_nonsingletons=True)
    (row,) = property_table(ours).rows
    found = dict(zip((column.name for column in property_table(ours).columns), row.values, strict=True))
    assert found["singleton_length"] == pytest.approx(theirs.counter["m_total_len"] / theirs.mentions)
    assert found["singleton_density"] == pytest.approx(theirs.mentions / theirs.total_nodes)
