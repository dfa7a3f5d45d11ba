"""The node post-processor for LlamaIndex.

llama-index-core is not among the packages of the tests, since it takes 170 MB with what it needs; `pip install
'coindex[llama-index]'` enables these tests.
"""

from __future__ import annotations

import asyncio

import pytest

import coindex

pytest.importorskip("llama_index.core", reason="it needs the extra coindex[llama-index]")

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import ImageNode, IndexNode, NodeWithScore, TextNode

from coindex.integrations.llama_index import CoreferencePostprocessor

STORY = "Alice met Bob at the station. She gave him her key."


@pytest.fixture(scope="module")
def postprocessor() -> CoreferencePostprocessor:
    return CoreferencePostprocessor("en-small", language="en")


def test_pronouns_are_replaced(postprocessor: CoreferencePostprocessor) -> None:
    assert isinstance(postprocessor, BaseNodePostprocessor)
    nodes = [
        NodeWithScore(node=TextNode(text=STORY, id_="1", metadata={"source": "a"}), score=0.5),
        NodeWithScore(node=IndexNode(text=STORY, id_="2", index_id="x")),
    ]
    first, second = postprocessor.postprocess_nodes(nodes, query_str="Who has the key?")
    assert first.node.get_content() == coindex.load("en-small", language="en")(STORY).resolved_text() != STORY
    assert (first.node_id, first.metadata, first.score) == ("1", {"source": "a"}, 0.5)
    assert isinstance(second.node, IndexNode)
    assert second.node.text == first.node.text
    assert nodes[0].node.text == STORY, "the nodes of the index do not change"
    assert postprocessor.postprocess_nodes([]) == []


def test_nodes_without_text_stay(postprocessor: CoreferencePostprocessor) -> None:
    (node,) = postprocessor.postprocess_nodes([NodeWithScore(node=ImageNode(image_url="x.png"))])
    assert node.node.image_url == "x.png"


def test_it_works_asynchronously(postprocessor: CoreferencePostprocessor) -> None:
    (node,) = asyncio.run(postprocessor.apostprocess_nodes([NodeWithScore(node=TextNode(text=STORY))]))
    assert node.node.text != STORY


def test_it_can_be_stored(postprocessor: CoreferencePostprocessor) -> None:
    assert postprocessor.to_dict()["class_name"] == "CoreferencePostprocessor"
    assert CoreferencePostprocessor("en-small", confidence=1.0).confidence == 1.0
