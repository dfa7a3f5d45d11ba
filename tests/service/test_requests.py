"""Requests: what is accepted, what is refused and with which code; results as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

import coindex
from coindex.errors import CoindexError
from coindex.service.requests import Limits, ServiceError, parse_request, render_message, render_result, retry_seconds

LIMITS = Limits(texts=3, words=20)


def parse(**body: Any) -> Any:
    return parse_request(json.dumps(body).encode(), LIMITS)


def refusal(body: bytes) -> tuple[int, str]:
    with pytest.raises(ServiceError) as raised:
        parse_request(body, LIMITS)
    return raised.value.http_status, raised.value.code


def test_a_request_is_parsed() -> None:
    request = parse(texts=["a", "b"], resolver="x", min_link=1, singletons=False, language="en", scheme=None)
    assert request.texts == ("a", "b")
    assert (request.options.resolver, request.options.min_link, request.options.singletons) == ("x", 1.0, False)
    assert (request.format, request.confidence) == ("entities", 0.7)
    assert parse(text="").texts == ("",)
    assert parse(text="a", format="resolved", confidence=0).confidence == 0


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "invalid-request"),
        (b"{", 400, "invalid-request"),
        (b'{"text": "\xff"}', 400, "invalid-request"),
        (b"[" * 100_000, 400, "invalid-request"),
        (b'{"text": "a", "min_link": ' + b"9" * 5000 + b"}", 400, "invalid-request"),
        (b"[]", 422, "invalid-json-value"),
        (b"null", 422, "invalid-json-value"),
        (b"{}", 422, "invalid-json-value"),
        (b'{"text": null}', 422, "invalid-json-value"),
        (b'{"text": 1}', 422, "invalid-json-value"),
        (b'{"texts": "a"}', 422, "invalid-json-value"),
        (b'{"texts": []}', 422, "invalid-json-value"),
        (b'{"texts": ["a", 1]}', 422, "invalid-json-value"),
        (b'{"text": "a", "texts": ["a"]}', 422, "invalid-json-value"),
        (b'{"text": "a", "path": "/etc/passwd"}', 422, "invalid-json-value"),
        (b'{"text": "a", "format": "xml"}', 422, "invalid-json-value"),
        (b'{"text": "a", "format": null}', 422, "invalid-json-value"),
        (b'{"text": "a", "min_link": "0.5"}', 422, "invalid-json-value"),
        (b'{"text": "a", "min_link": true}', 422, "invalid-json-value"),
        (b'{"text": "a", "min_link": 1.5}', 422, "invalid-json-value"),
        (b'{"text": "a", "min_link": NaN}', 422, "invalid-json-value"),
        (b'{"text": "a", "min_link": 1' + b"0" * 400 + b"}", 422, "invalid-json-value"),
        (b'{"text": "a", "confidence": -1}', 422, "invalid-json-value"),
        (b'{"text": "a", "singletons": 1}', 422, "invalid-json-value"),
        (b'{"text": "a\\u0000"}', 422, "invalid-json-value"),
        (b'{"text": "a", "resolver": "\\u0000"}', 422, "invalid-json-value"),
        (b'{"text": "\\ud83d"}', 422, "lone-surrogate"),
        (b'{"text": "a", "language": "\\udc00"}', 422, "lone-surrogate"),
        (b'{"texts": ["a", "a", "a", "a"]}', 413, "limit-exceeded"),
        (b'{"text": "' + b"a " * 21 + b'"}', 413, "limit-exceeded"),
    ],
)
def test_bad_requests_are_refused(body: bytes, status: int, code: str) -> None:
    assert refusal(body) == (status, code)


def test_an_escaped_pair_of_surrogates_is_a_character() -> None:
    assert parse_request(b'{"text": "\\ud83d\\ude00"}', LIMITS).texts == ("😀",)


def test_entities_have_offsets_types_and_probabilities() -> None:
    text = "😀 Zoë’s dog barked. It was hungry."
    doc = coindex.load("en-small")(text)
    result = render_result(doc, "entities", 0.8, [])
    assert [entity["id"] for entity in result["entities"]] == [entity.id for entity in doc.entities]
    mentions = [mention for entity in result["entities"] for mention in entity["mentions"]]
    assert {"Zoë’s dog", "It"} <= {mention["text"] for mention in mentions}
    for mention in mentions:
        assert text[mention["start"] : mention["end"]] == mention["text"]
        assert mention["spans"] == [[mention["start"], mention["end"]]]
        assert 0 < mention["probability"] <= 1
        assert 0 < mention["mention_probability"] <= 1
    assert result["words"] == len(doc.tokens)


def test_rules_have_no_probabilities_and_models_may_have_types() -> None:
    doc = coindex.load("are-baseline")("Alice left. She waved.")
    (entity, *_) = render_result(doc, "entities", 0.8, [])["entities"]
    assert (entity["type"], entity["mentions"][0]["probability"]) == (None, None)
    typed = doc.replace(entities=tuple(e.__class__(e.id, e.mentions, "person") for e in doc.entities))
    assert render_result(typed, "entities", 0.8, [])["entities"][0]["type"] == "person"


def test_replacements_have_offsets_in_both_texts() -> None:
    text = "Alice left. She waved."
    result = render_result(coindex.load("en-small")(text), "resolved", 0.5, [])
    assert result["resolved"] == "Alice left. Alice waved."
    (one,) = result["replacements"]
    assert text[one["start"] : one["end"]] == one["old"] == "She"
    assert result["resolved"][one["start_new"] : one["end_new"]] == one["new"] == "Alice"


def test_messages_hide_folders() -> None:
    error = CoindexError("is damaged", code="invalid-model", path="/srv/secret/model")
    assert render_message(error)["code"] == "invalid-model"
    assert "secret" not in render_message(error)["error"]


def test_the_time_to_wait_is_bounded() -> None:
    assert [retry_seconds(0, 100), retry_seconds(250, 100), retry_seconds(10**9, 1), retry_seconds(9, 0)] == [
        1,
        3,
        60,
        1,
    ]
