"""Requests and answers as data: the limits, the parsed body, the JSON of results and of errors."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..document import Document, Entity, Mention
from ..document.documents import CONFIDENCE
from ..errors import CoindexError, CoindexWarning, UnknownNameError
from ..render.resolved_text import resolve_text
from ..settings import ConfigError, parse_section

Form = Literal["entities", "resolved"]
FORMS: tuple[Form, ...] = ("entities", "resolved")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the service accepts; more is refused with 413, 429, 503 or 504."""

    body_bytes: int = 1_000_000
    texts: int = 64
    """Texts in one request."""
    words: int = 10_000
    """Words of all texts of a request."""
    requests: int = 256
    """Requests that are waiting or running."""
    seconds: float = 60.0
    """Time for one request, including the time that it waits."""
    batch_words: int = 4_096
    """Words that are resolved together; a longer text is resolved alone."""


class ServiceError(CoindexError):
    """A request that is refused, with the status of the response and the seconds after which it may be repeated."""

    default_code = "invalid-request"

    def __init__(self, status: int, message: str, *, code: str = "invalid-request", retry_after: int = 0) -> None:
        super().__init__(message, code=code)
        self.http_status = status
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainOptions:
    """The options of a request that select and configure a resolver."""

    resolver: str | None = None
    scheme: str | None = None
    min_link: float | None = None
    singletons: bool | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Body:
    """The fields of the body of `POST /v1/resolve`, with their types."""

    text: str = ""
    texts: tuple[str, ...] = ()
    resolver: str | None = None
    scheme: str | None = None
    min_link: float | None = None
    singletons: bool | None = None
    language: str | None = None
    format: Form = "entities"
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveRequest:
    """A checked request."""

    texts: tuple[str, ...]
    options: ChainOptions
    format: Form = "entities"
    confidence: float = CONFIDENCE


def parse_request(body: bytes, limits: Limits) -> ResolveRequest:
    """Parse and check the body of `POST /v1/resolve`."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ServiceError(400, "the body is not valid JSON in UTF-8; correct it") from error
    if not isinstance(data, dict):
        raise _value_error(f"the body is a JSON {_json_type(data)}; expected an object with the key 'text' or 'texts'")
    try:
        fields: _Body = parse_section(_Body, data, "body")
    except (ConfigError, UnknownNameError) as error:
        raise _value_error(error.message) from error
    if ("text" in data) == ("texts" in data):
        raise _value_error("expected either the key 'text' or the key 'texts'")
    texts = (fields.text,) if "text" in data else fields.texts
    if not texts:
        raise _value_error("texts: the list is empty; expected at least one text")
    if len(texts) > limits.texts:
        raise ServiceError(
            413,
            f"texts: {len(texts)} texts; at most {limits.texts} are accepted; send several requests",
            code="limit-exceeded",
        )
    for name, number in (("min_link", fields.min_link), ("confidence", fields.confidence)):
        if number is not None and not 0 <= number <= 1:
            raise _value_error(f"{name}: expected a probability from 0 to 1, not {number:g}")
    for name, value in (("resolver", fields.resolver), ("scheme", fields.scheme), ("language", fields.language)):
        _check_characters(name, value or "")
    for number, text in enumerate(texts):
        _check_characters(place(number, texts), text)
    check_words([len(text.split()) for text in texts], limits)
    return ResolveRequest(
        texts=texts,
        options=ChainOptions(
            resolver=fields.resolver,
            scheme=fields.scheme,
            min_link=fields.min_link,
            singletons=fields.singletons,
            language=fields.language,
        ),
        format=fields.format,
        confidence=CONFIDENCE if fields.confidence is None else fields.confidence,
    )


def place(number: int, texts: Sequence[object]) -> str:
    """Return the name of a text in messages."""
    return "text" if len(texts) == 1 else f"texts[{number}]"


def check_words(words: Iterable[int], limits: Limits) -> None:
    """Refuse a request with too many words."""
    if (total := sum(words)) > limits.words:
        raise ServiceError(
            413,
            f"the request has {total:,} words; at most {limits.words:,} are accepted; split it",
            code="limit-exceeded",
        )


def _check_characters(name: str, text: str) -> None:
    if surrogate := _SURROGATE.search(text):
        raise ServiceError(
            422,
            f"{name}: a lone surrogate (half a character) at character {surrogate.start()}; correct the escape \\ud…",
            code="lone-surrogate",
        )
    if "\0" in text:
        raise _value_error(f"{name}: a NUL at character {text.index(chr(0))}; remove it")


def _value_error(message: str) -> ServiceError:
    return ServiceError(422, message, code="invalid-json-value")


def _json_type(value: object) -> str:
    names = {type(None): "null", bool: "boolean", str: "string", list: "array"}
    return names.get(type(value), "number")


def render_result(doc: Document, form: Form, confidence: float, warnings: Sequence[CoindexWarning]) -> dict[str, Any]:
    """Return the result of one text as JSON."""
    result: dict[str, Any] = {"entities": [_entity(entity) for entity in doc.entities]}
    if form == "resolved":
        resolved = resolve_text(doc, confidence=confidence)
        records = [replacement.record() for replacement in resolved.replacements]
        for record in records:
            del record["tokens"]  # the answer has no tokens
        result = {"resolved": resolved.text, "replacements": records}
    return {**result, "words": len(doc.tokens), "warnings": [render_message(warning, doc) for warning in warnings]}


def _entity(entity: Entity) -> dict[str, Any]:
    return {
        "id": entity.id,
        "type": entity.type,
        "type_probability": entity.type_probability,
        "mentions": [_mention(mention) for mention in entity.mentions],
    }


def _mention(mention: Mention) -> dict[str, Any]:
    return {
        "text": mention.text,
        "start": mention.start_char,
        "end": mention.end_char,
        "spans": [list(span) for span in mention.char_spans],
        "probability": mention.score,
        "mention_probability": mention.detection_score,
    }


def render_message(message: CoindexError | CoindexWarning, doc: Document | None = None) -> dict[str, str]:
    """Return an error or warning as JSON; locations of files are reduced to their names."""
    text = message.text(lambda path: Path(path).name)
    if doc is not None and doc.id:
        text = text.removeprefix(f"{doc.id}: ")  # the id was given by the service
    return {"error" if isinstance(message, CoindexError) else "message": text, "code": message.code}


def retry_seconds(words: int, speed: float) -> int:
    """Return the seconds until so many waiting words are resolved, from 1 to 60."""
    return min(60, max(1, math.ceil(words / speed))) if speed > 0 else 1
