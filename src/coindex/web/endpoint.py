"""From a rule of the table to what Starlette calls: checks first, then the body, then the handler in a thread."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import Message, Receive

from ..errors import CoindexError
from ..store import Store
from ..store.steps import OperationError
from .access import Rule
from .calls import Call, Refused, open_call, parse_json
from .pages import page
from .security import FORM, is_same_origin, is_same_token, set_cookie

_log = logging.getLogger("coindex.web")
CSRF_HEADER = "x-form-token"
CSRF_FIELD = "form_token"
MOST_FIELDS = 200


class Endpoint:
    """Answers one route."""

    def __init__(self, rule: Rule, store: Store, state: Any) -> None:
        self.rule = rule
        self.store = store
        self.state = state

    async def __call__(self, request: Request) -> Response:
        call = None
        response: Response
        try:
            if self.rule.method == "POST" and not is_same_origin(request):
                raise Refused(403, "This form was sent from another site.")
            call = await run_in_threadpool(open_call, request, self.store, self.rule, self.state)
            if self.rule.method == "POST":
                await self._read_body(call)
            response = await run_in_threadpool(self.rule.handler, call)
        except Refused as refused:
            response = self._refusal(request, call, refused)
        except CoindexError as error:
            response = self._refusal(request, call, Refused(422, str(error)), error)
        except Exception:
            _log.exception("%s %s", self.rule.method, self.rule.path)  # the path's pattern: links are secrets
            response = self._refusal(request, call, Refused(500, "Something went wrong here; it was noted."))
        finally:
            for file in call.files if call is not None else ():
                await file.close()
        if call is not None and call.new_form_token and self.rule.method == "GET":
            set_cookie(request, response, FORM, call.form_token, seconds=None)
        return response

    async def _read_body(self, call: Call) -> None:
        """Read the body under its cap and check the form token, before anything else looks at it."""
        request = Request(call.request.scope, _capped(call.request.receive, self.rule.most))
        if self.rule.body == "json":
            if not is_same_token(request.headers.get(CSRF_HEADER, ""), call.form_token):
                raise Refused(403, "The form token is missing or old; reload the page.")
            try:
                call.data = parse_json(await request.body())
            except MultiPartException as error:
                raise Refused(413, error.message) from error
            return
        header = request.headers.get(CSRF_HEADER)
        if header is not None and not is_same_token(header, call.form_token):
            raise Refused(403, "The form token is missing or old; reload the page.")
        try:
            form = await request.form(max_files=100, max_fields=MOST_FIELDS)
        except HTTPException as error:  # what the parser says, and what `_capped` makes it say
            raise Refused(413 if error.detail == _too_much(self.rule.most) else 400, str(error.detail)) from error
        call.fields = {name: value for name, value in form.multi_items() if isinstance(value, str)}
        call.files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        if not is_same_token(header or call.fields.get(CSRF_FIELD, ""), call.form_token):
            raise Refused(403, "The form token is missing or old; reload the page.")

    def _refusal(
        self, request: Request, call: Call | None, refused: Refused, error: CoindexError | None = None
    ) -> Response:
        headers = {"Retry-After": str(refused.wait)} if refused.wait else {}
        if self.rule.is_data:
            body: dict[str, Any] = {"error": refused.message}
            if isinstance(error, OperationError):
                body["sequence"] = error.sequence
            return JSONResponse(body, refused.status, headers)
        if refused.status == 401 and self.rule.method == "GET":
            return RedirectResponse(f"/login?next={quote(request.url.path)}", 303)
        response = page(call, request, "message.html", title="That did not work", message=refused.message)
        response.status_code = refused.status
        response.headers.update(headers)
        return response


def _capped(receive: Receive, most: int) -> Receive:
    """The same stream, refused when it has brought too much: in words that make the parser close its files."""
    seen = 0

    async def capped() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise MultiPartException(_too_much(most))
        return message

    return capped


def _too_much(most: int) -> str:
    return f"Too much was sent; at most {most:,} bytes are taken here."
