"""The document transformer for LangChain."""

from __future__ import annotations

import asyncio

import pytest

import coindex
from coindex.errors import CoindexError

pytest.importorskip("langchain_core", reason="it needs the extra coindex[langchain]")

from langchain_core.documents import BaseDocumentTransformer, Document

from coindex.integrations.langchain import ORIGINAL, CoreferenceTransformer

STORY = "Alice met Bob at the station. She gave him her key."
OTHER = "It rained. Nothing happened."


@pytest.fixture(scope="module")
def transformer() -> CoreferenceTransformer:
    return CoreferenceTransformer("en-small", language="en")


def test_pronouns_are_replaced(transformer: CoreferenceTransformer) -> None:
    assert isinstance(transformer, BaseDocumentTransformer)
    documents = [Document(page_content=STORY, metadata={"source": "a"}, id="1"), Document(page_content=OTHER, id="2")]
    first, empty, second = transformer.transform_documents([documents[0], Document(page_content=" "), documents[1]])
    assert empty.page_content == " "
    assert first.page_content == coindex.load("en-small", language="en")(STORY).resolved_text()
    assert first.page_content.startswith("Alice met Bob at the station. Alice gave Bob ")
    assert (first.id, first.metadata) == ("1", {"source": "a", ORIGINAL: STORY})
    assert (second.page_content, second.metadata) == (OTHER, {})
    assert documents[0].page_content == STORY
    assert documents[0].metadata == {"source": "a"}
    assert transformer.transform_documents([]) == []


def test_it_works_asynchronously(transformer: CoreferenceTransformer) -> None:
    (document,) = asyncio.run(transformer.atransform_documents([Document(page_content=STORY)]))
    assert document.metadata[ORIGINAL] == STORY


def test_options_are_those_of_load() -> None:
    assert (
        CoreferenceTransformer("en-small", confidence=1.0)
        .transform_documents([Document(page_content=STORY)])[0]
        .page_content
        == STORY
    )
    with pytest.raises(CoindexError) as raised:
        CoreferenceTransformer("nothing")
    assert raised.value.code == "unknown-name"
