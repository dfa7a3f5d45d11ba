"""The description of the service in OpenAPI 3.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import __version__
from ..document.documents import CONFIDENCE
from ..text.language_names import known_codes
from .requests import FORMS, Limits

Json = dict[str, Any]
PATHS = ("/v1/resolve", "/v1/resolvers", "/healthz", "/readyz", "/metrics", "/openapi.json")
TEXT = "^[^\\u0000]*$"
"""Texts without NUL; JSON Schema has no lone surrogates."""
LANGUAGE = f"^({'|'.join(code for code in known_codes() if len(code) == 2)}|[a-z]{{3}})(-[A-Za-z0-9]{{1,8}})*$"
EXAMPLE = {"text": "Alice met Bob at the station. She gave him her key."}

ERRORS = {
    "400": "The body is not JSON.",
    "401": "The API key is missing or wrong.",
    "408": "The body did not arrive in time.",
    "413": "The body has too many bytes, texts or words.",
    "415": "The content type is not application/json.",
    "422": "A value of the request cannot be used, or the resolver cannot resolve the text.",
    "429": "Too many requests are waiting.",
    "500": "An error of the service.",
    "503": "The service is stopping, or the request waited too long.",
    "504": "Resolving took longer than the time limit.",
}
CAN_RETRY = ("429", "503")


def describe_api(limits: Limits, resolvers: Sequence[Json], *, has_keys: bool) -> Json:
    """Return the description for these limits and resolvers."""
    protection: Json = {"security": [{"key": []}]} if has_keys else {}
    known = {status: reason for status, reason in ERRORS.items() if has_keys or status != "401"}
    refused = ("401",) if has_keys else ()
    description: Json = {
        "openapi": "3.1.0",
        "info": {
            "title": "coindex",
            "version": __version__,
            "description": "Coreference resolution: which expressions of a text refer to the same entity.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {
            "/v1/resolve": {
                "post": {
                    "operationId": "resolve",
                    "summary": "Resolve one text or several",
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": _ref("Request"), "example": EXAMPLE}},
                    },
                    "responses": {"200": _json("The results, in the order of the texts.", _ref("Answer"))}
                    | {status: _error(status) for status in known},
                    **protection,
                }
            },
            "/v1/resolvers": {
                "get": {
                    "operationId": "listResolvers",
                    "summary": "List the resolvers that requests can name",
                    "responses": {"200": _json("The resolvers.", _ref("Resolvers"))}
                    | {status: _error(status) for status in (*refused, "500")},
                    **protection,
                }
            },
            "/healthz": _status("health", "Check whether the service works"),
            "/readyz": _status("readiness", "Check whether the service accepts requests"),
            "/metrics": {
                "get": {
                    "operationId": "metrics",
                    "summary": "Metrics for Prometheus",
                    "responses": {
                        "200": {
                            "description": "Metrics in the text format of Prometheus.",
                            "content": {"text/plain": {"schema": {"type": "string"}}},
                        }
                    }
                    | {status: _error(status) for status in (*refused, "500")},
                    **protection,
                }
            },
            "/openapi.json": {
                "get": {
                    "operationId": "description",
                    "summary": "This description",
                    "responses": {"200": _json("The description.", {"type": "object"})},
                }
            },
        },
        "components": {"schemas": _schemas(limits, resolvers)},
    }
    if has_keys:
        description["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    return description


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(description: str, schema: Json) -> Json:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _error(status: str) -> Json:
    response = _json(ERRORS[status], _ref("Error"))
    if status in CAN_RETRY:
        schema = {"type": "integer", "minimum": 1}
        response["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": schema}}
    return response


def _status(name: str, summary: str) -> Json:
    schema = _object({"status": {"type": "string", "const": "ok"}})
    responses = {"200": _json("Yes.", schema), "500": _error("500"), "503": _json("No.", _ref("Error"))}
    return {"get": {"operationId": name, "summary": summary, "responses": responses}}


def _object(properties: Json, **more: Any) -> Json:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


def _maybe(kind: str, description: str, **more: Any) -> Json:
    """Return the schema of a value that can be null or missing."""
    return {"type": [kind, "null"], "description": description, **more}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _schemas(limits: Limits, resolvers: Sequence[Json]) -> dict[str, Json]:
    text = {"type": "string", "pattern": TEXT, "maxLength": limits.body_bytes}
    probability = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
    offset = {"type": "integer", "minimum": 0}
    options = {
        "resolver": {
            "description": "A name of GET /v1/resolvers (default: that of the service, or the model for the language).",
            "enum": [*(resolver["name"] for resolver in resolvers), None],
        },
        "scheme": {
            "description": "Annotation scheme to follow, for resolvers that know several.",
            "enum": [*dict.fromkeys(scheme for resolver in resolvers for scheme in resolver["schemes"]), None],
        },
        "min_link": _maybe(
            "number", "Lowest probability of a link, for resolvers that compute one.", minimum=0, maximum=1
        ),
        "singletons": _maybe("boolean", "Whether to keep entities with one mention (default: as the resolver)."),
        "language": _maybe("string", "ISO 639 code of the language, with or without a region.", pattern=LANGUAGE),
        "format": {
            "type": "string",
            "enum": list(FORMS),
            "default": FORMS[0],
            "description": "entities: mentions with character offsets; resolved: the text with names for pronouns.",
        },
        "confidence": _maybe(
            "number",
            f"Replace a pronoun only if its links are right with this probability (default: {CONFIDENCE}).",
            minimum=0,
            maximum=1,
        ),
    }
    texts = {"type": "array", "items": text, "minItems": 1, "maxItems": limits.texts}
    return {
        "Request": {
            "description": f"One text or several, with at most {limits.words:,} words together.",
            "type": "object",
            "properties": {"text": text, "texts": texts, **options},
            "oneOf": [{"required": ["text"]}, {"required": ["texts"]}],
            "additionalProperties": False,
        },
        "Answer": _object(
            {
                "resolver": {"type": "string"},
                "scheme": {"type": ["string", "null"]},
                "results": _list({"oneOf": [_ref("Entities"), _ref("Resolved")]}),
            }
        ),
        "Entities": _object(
            {
                "entities": _list(_ref("Entity")),
                "words": offset,
                "warnings": _list(_ref("Warning")),
            }
        ),
        "Resolved": _object(
            {
                "resolved": {"type": "string"},
                "replacements": _list(_ref("Replacement")),
                "words": offset,
                "warnings": _list(_ref("Warning")),
            }
        ),
        "Entity": _object(
            {
                "id": {"type": "string"},
                "type": {"type": ["string", "null"]},
                "type_probability": probability,
                "mentions": {**_list(_ref("Mention")), "minItems": 1},
            }
        ),
        "Mention": _object(
            {
                "text": {"type": "string"},
                "start": offset,
                "end": offset,
                "spans": _list({**_list(offset), "minItems": 2, "maxItems": 2}),
                "probability": probability,
                "mention_probability": probability,
            },
            description="Offsets count Unicode characters (code points) from 0; the end is exclusive. There are "
            "several spans if the mention is discontinuous. probability: that it belongs to its entity.",
        ),
        "Replacement": _object(
            {
                "start": offset,
                "end": offset,
                "start_new": offset,
                "end_new": offset,
                "old": {"type": "string"},
                "new": {"type": "string"},
                "entity": {"type": "string"},
                "confidence": probability,
            },
            description="Characters start to end of the text became start_new to end_new of the resolved text.",
        ),
        "Warning": _object({"message": {"type": "string"}, "code": {"type": "string"}}),
        "Error": _object({"error": {"type": "string"}, "code": {"type": "string"}}),
        "Resolvers": _object({"resolvers": _list(_ref("Resolver"))}),
        "Resolver": _object(
            {
                "name": {"type": "string"},
                "kind": {"type": "string"},
                "summary": {"type": "string"},
                "languages": {**_list({"type": "string"}), "description": "ISO 639 codes; empty for any language."},
                "schemes": _list({"type": "string"}),
                "has_min_link": {"type": "boolean"},
                "licence": {"type": "string"},
                "is_default": {"type": "boolean"},
                "is_loaded": {"type": "boolean"},
            }
        ),
    }
