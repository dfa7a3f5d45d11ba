"""The pandas frame and the networkx graph."""

import sys

import pytest
from hypothesis import given

import coindex
from coindex.document import Bridge, Document, Entity, SplitAntecedent
from coindex.errors import MissingExtraError
from coindex.render.mention_table import COLUMNS
from marked_text import marked
from stories import story
from strategies import documents


@pytest.fixture
def doc():
    """Ann, then she by a rule that is 75 % sure."""
    doc = Document.from_text("Ann left. She sings. They clap.", id="d", language="en")
    she = doc.mention([3], head=3, attributes={"by": "rules/pronouns", "score": "0.7500"})
    ann, group = Entity("ann", (doc.mention([0], head=0), she), "person"), Entity("all", (doc.mention([6]),))
    return doc.replace(
        entities=(ann, group),
        bridges=(Bridge(group.mentions[0], "all", "ann", "part"), Bridge(group.mentions[0], "all", "elsewhere")),
        split_antecedents=(SplitAntecedent(group.mentions[0], "all", ("ann", "elsewhere")),),
    )


def test_frame(doc):
    pytest.importorskip("pandas")
    frame = coindex.to_frame(doc)
    assert list(frame.columns) == list(COLUMNS)
    assert list(frame["text"]) == ["Ann", "She", "They"]
    assert list(frame["name"]) == ["Ann", "Ann", "They"]
    assert frame["score"].isna().tolist() == [True, False, True]
    assert frame.loc[1, ["by", "score", "antecedent", "head_text"]].tolist() == ["rules/pronouns", 0.75, 0, "She"]
    assert frame["head"].dtype == frame["antecedent"].dtype == "Int64"
    assert list(frame["is_singleton"]) == [False, False, True]


def test_frame_of_many_and_of_none(doc):
    pytest.importorskip("pandas")
    assert coindex.to_frame([doc, doc.replace(id="two")]).groupby("document").size().to_dict() == {"d": 3, "two": 3}
    for nothing in ([], Document.from_text("Nothing.")):
        empty = coindex.to_frame(nothing)
        assert len(empty) == 0
        assert empty.dtypes["start"] == "int64"
        assert empty.dtypes["is_zero"] == "bool"


def test_the_frame_and_the_csv_are_the_same(doc, tmp_path):
    pandas = pytest.importorskip("pandas")
    with pytest.warns(coindex.errors.LossWarning):
        coindex.write([doc, story()], tmp_path / "a.csv")
    read = pandas.read_csv(tmp_path / "a.csv", keep_default_na=False)
    frame = coindex.to_frame([doc, story()])
    for column in ("document", "entity", "text", "start", "end", "spans", "is_zero", "kind", "name"):
        assert list(read[column]) == list(frame[column])


def test_graph_of_mentions(doc):
    pytest.importorskip("networkx")
    graph = coindex.to_graph(doc)
    assert graph.graph == {"id": "d", "language": "en"}
    assert sorted(graph.nodes) == [("all", 0), ("ann", 0), ("ann", 1)]
    assert graph.nodes["ann", 1]["text"] == "She"
    assert graph.nodes["ann", 1]["type"] == "person"
    assert "type" not in graph.nodes["all", 0]
    edges = sorted((a, b, about["kind"], about) for a, b, about in graph.edges(data=True))
    assert [(a, b, about) for a, b, _, about in edges] == [
        (("all", 0), ("ann", 1), {"kind": "bridging", "relation": "part"}),
        (("all", 0), ("ann", 1), {"kind": "split"}),
        (("ann", 1), ("ann", 0), {"kind": "coreference", "by": "rules/pronouns", "score": 0.75}),
    ]


def test_graph_with_entities(doc):
    pytest.importorskip("networkx")
    graph = coindex.to_graph(doc, entities=True)
    about = {"kind": "entity", "size": 2, "name": "Ann", "type": "person", "entity_kind": "entity", "score": 0.75}
    assert graph.nodes["ann"] == about
    assert [a for a, _, about in graph.in_edges("ann", data=True) if about["kind"] == "mention"] == [
        ("ann", 0),
        ("ann", 1),
    ]
    assert [a for a, _, about in graph.in_edges("ann", data=True) if about["kind"] == "bridging"] == [("all", 0)]


def test_a_relation_to_what_comes_later():
    pytest.importorskip("networkx")
    doc = marked("[They|g] left: [Ann|a] and [Bob|b].")
    doc = doc.replace(split_antecedents=(SplitAntecedent(doc.entity("g").mentions[0], "g", ("a", "b")),))
    assert sorted(coindex.to_graph(doc).edges()) == [(("g", 0), ("a", 0)), (("g", 0), ("b", 0))]


@given(documents())
def test_chains_are_connected(doc):
    networkx = pytest.importorskip("networkx")
    graph = coindex.to_graph(doc)
    links = [(a, b) for a, b, about in graph.edges(data=True) if about["kind"] == "coreference"]
    chains = networkx.Graph(links)
    chains.add_nodes_from(graph.nodes)
    assert sorted(map(len, networkx.connected_components(chains))) == sorted(map(len, doc.entities))
    assert "\n".join(networkx.generate_graphml(graph)).startswith("<graphml")


@pytest.mark.parametrize(("package", "extra", "call"), [
    ("pandas", "pandas", coindex.to_frame), ("networkx", "graph", coindex.to_graph)
])  # fmt: skip
def test_a_missing_package_is_named(package, extra, call, doc, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'coindex\[{extra}\]'"):
        call(doc)
