"""Pages from templates; every value is escaped."""

from __future__ import annotations

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from .calls import Call

_environment = Environment(
    loader=ChoiceLoader(
        [
            PackageLoader("coindex.server"),
            PackageLoader("coindex.annotation_app"),
            PrefixLoader({"campaigns": PackageLoader("coindex.campaigns")}),
        ]
    ),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(call: Call | None, request: Request, template: str, *, title: str, **values: Any) -> HTMLResponse:
    """A page for whoever calls; without a call, for anybody."""
    text = _environment.get_template(template).render(
        title=title,
        user=call.user if call else None,
        who=call.who if call else "nobody",
        form_token=call.form_token if call else "",
        path=request.url.path,
        **values,
    )
    return HTMLResponse(text)


def show(call: Call, template: str, *, title: str, **values: Any) -> HTMLResponse:
    return page(call, call.request, template, title=title, **values)


def go(path: str) -> RedirectResponse:
    """To another page, after something was done."""
    return RedirectResponse(path, 303)


PAGE = 100
"""How many documents a page lists."""


def part(call: Call, number: int) -> tuple[int, int]:
    """Which part of so many documents the address asks for, from 1, and how many parts there are."""
    pages = max(1, -(-number // PAGE))
    text = call.query("page")
    page = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1
    return min(max(1, page), pages), pages
