"""Endpoints for Starlette: check the request, read the body, then run the handler in a thread."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import quote

from anyio.to_thread import run_sync
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import Message, Receive

from ..errors import CoindexError
from .calls import KILOBYTE, Call, Refused, Rule, open_call, page, parse_json
from .database import Store
from .security import FORM, is_same_origin, is_same_token, set_cookie

_log = logging.getLogger("coindex.server")
CSRF_HEADER = "x-form-token"
CSRF_FIELD = "form_token"
MOST_FIELDS = 200
SMALL = 64 * KILOBYTE
"""Larger than nearly everything that an editor sends."""


class Endpoint:
    """The endpoint of one route; `kind` is the type of call that its handler takes."""

    def __init__(self, rule: Rule, kind: type[Call], store: Store, state: Any) -> None:
        self.rule = rule
        self.kind = kind
        self.store = store
        self.state = state
        self._limiter = state.hashing if rule.hashes else None

    async def __call__(self, request: Request) -> Response:
        answering = _Answering(self, request)
        response: Response
        try:
            if self.rule.method == "POST" and not is_same_origin(request):
                raise Refused(403, "The form was sent from another site; open it on this server and try again.")
            response = await self._answer(answering)
        except Refused as refused:
            response = self._refusal(request, answering.call, refused)
        except CoindexError as error:
            response = self._refusal(
                request, answering.call, Refused(error.http_status, str(error), code=error.code), error
            )
        except Exception:
            _log.exception("%s %s", self.rule.method, self.rule.path)  # the path's pattern: links are secrets
            response = self._refusal(
                request, answering.call, Refused(500, "Internal server error; it has been logged. Try again later.")
            )
        call = answering.call
        for file in call.files if call is not None else ():
            await file.close()
        if call is not None and call.new_form_token and self.rule.method == "GET":
            set_cookie(request, response, FORM, call.form_token, seconds=None)
        return response

    async def _answer(self, answering: _Answering) -> Response:
        """Answer in one thread as far as possible, because switching costs as much as a small response."""
        if self.rule.method == "GET":
            return await run_sync(answering.at_once)
        if self.rule.body == "json" and _is_small(answering.request):
            return await run_sync(answering.at_once, await self._json(answering.request))
        call = await run_sync(answering.open)
        await self._read_body(call)
        return await run_sync(self.rule.handler, call, limiter=self._limiter)

    async def _read_body(self, call: Call) -> None:
        """Read the body under its cap and check the form token, before anything else looks at it."""
        if self.rule.body == "json" or (self.rule.is_api and _is_json(call.request)):
            check_token(call)
            call.data = parse_json(await self._json(call.request))
            return
        if CSRF_HEADER in call.request.headers:
            check_token(call)
        request = Request(call.request.scope, _cap(call.request.receive, self.rule.most))
        try:
            form = await request.form(max_files=100, max_fields=MOST_FIELDS)
        except HTTPException as error:  # from the parser, or from `_cap`
            raise Refused(413 if isinstance(error.__context__, _TooMuch) else 400, str(error.detail)) from error
        call.fields = {name: value for name, value in form.multi_items() if isinstance(value, str)}
        call.files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        check_token(call)

    async def _json(self, request: Request) -> bytes:
        try:
            return await Request(request.scope, _cap(request.receive, self.rule.most)).body()
        except MultiPartException as error:
            raise Refused(413, error.message) from error

    def _refusal(
        self, request: Request, call: Call | None, refused: Refused, error: CoindexError | None = None
    ) -> Response:
        headers = {"Retry-After": str(refused.wait)} if refused.wait else {}
        if self.rule.is_data:
            fields = error.json_fields() if error is not None else {}
            body: dict[str, Any] = {"error": refused.message, "code": refused.code, **fields}
            if refused.status == 401 and self.rule.is_api:
                headers["WWW-Authenticate"] = "Bearer"
            return JSONResponse(body, refused.status, headers)
        if refused.status == 401 and self.rule.method == "GET":
            return RedirectResponse(f"/login?next={quote(request.url.path)}", 303)
        response = page(call, request, "message.html", title="Error", message=refused.message)
        response.status_code = refused.status
        response.headers.update(headers)
        return response


class _Answering:
    """A request in progress; `call` is set as soon as the caller is known."""

    def __init__(self, endpoint: Endpoint, request: Request) -> None:
        self.request = request
        self.call: Call | None = None
        self._endpoint = endpoint

    def open(self) -> Call:
        """Run all checks except that of the form token."""
        endpoint = self._endpoint
        call = endpoint.kind(self.request, endpoint.store, endpoint.rule, endpoint.state)
        open_call(call)
        self.call = call
        return call

    def at_once(self, body: bytes | None = None) -> Response:
        """Run the checks and the handler; a body is JSON."""
        call = self.open()
        if body is not None:
            check_token(call)
            call.data = parse_json(body)
        response: Response = self._endpoint.rule.handler(call)
        return response


def check_token(call: Call) -> None:
    """Check the form token of the header or of the form.

    API calls need none: without a session there is nothing that another site could misuse.
    """
    if call.by_token or (call.rule.is_api and call.user is None):
        return
    given = call.request.headers.get(CSRF_HEADER)
    if not is_same_token(call.fields.get(CSRF_FIELD, "") if given is None else given, call.form_token):
        raise Refused(403, "The form token is missing or expired; reload the page and try again.")


def _is_json(request: Request) -> bool:
    return request.headers.get("content-type", "").partition(";")[0].strip().casefold() == "application/json"


def _is_small(request: Request) -> bool:
    """Return whether the body may be read before the caller is known."""
    length = request.headers.get("content-length", "")
    return length.isascii() and length.isdigit() and int(length) <= SMALL


class _TooMuch(MultiPartException):
    """A body that is too large."""


def _cap(receive: Receive, most: int) -> Receive:
    """Limit the size of a stream; the exception makes the form parser close its files."""
    seen = 0

    async def receive_capped() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise _TooMuch(f"The request is too large; send at most {most:,} bytes.")
        return message

    return receive_capped
