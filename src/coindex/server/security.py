"""Security of requests: headers, origins, form tokens, cookies, rate limits."""

from __future__ import annotations

import hmac
import time
from collections import deque
from threading import Lock
from typing import Literal

from cachetools import LRUCache
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = "; ".join(
    [
        "default-src 'self'",  # scripts and styles are files of ours: nothing inline, nothing from elsewhere
        "base-uri 'none'",
        "object-src 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
SESSION = "coindex-session"
FORM = "coindex-form"
SESSION_SECONDS = 14 * 24 * 3600


class SecurityHeaders:
    """Middleware that adds security headers to every response, including errors and static files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if scope["scheme"] == "https":
                    headers["Strict-Transport-Security"] = "max-age=31536000"
                if not scope["path"].startswith("/static/"):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self._app(scope, receive, send_guarded if scope["type"] == "http" else send)


def is_same_origin(request: Request) -> bool:
    """Return whether a page of this server sent the request; if the browser does not report it, assume so."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or origin == f"{request.url.scheme}://{request.headers.get('host', '')}"


def is_same_token(given: str, expected: str) -> bool:
    return bool(expected) and hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode("utf-8", "replace"))


def _cookie(request: Request, name: str) -> str:
    """Return the name of the cookie; with HTTPS, the prefix keeps other hosts from setting it."""
    return f"__Host-{name}" if request.url.scheme == "https" else name


def get_cookie(request: Request, name: str) -> str | None:
    return request.cookies.get(_cookie(request, name))


def set_cookie(
    request: Request, response: Response, name: str, value: str, *, seconds: int | None = SESSION_SECONDS
) -> None:
    """Set a cookie that scripts cannot read and that is not sent from other sites."""
    same: Literal["lax"] = "lax"
    secure = request.url.scheme == "https"
    response.set_cookie(
        _cookie(request, name), value, max_age=seconds, path="/", secure=secure, httponly=True, samesite=same
    )


def drop_cookie(request: Request, response: Response, name: str) -> None:
    set_cookie(request, response, name, "", seconds=0)


class Limiter:
    """Count attempts by key in a time window. In memory, because one process serves all users."""

    def __init__(self, most: int, seconds: float, *, keys: int = 10_000) -> None:
        self._most = most
        self._seconds = seconds
        self._tries: LRUCache[str, deque[float]] = LRUCache(keys)
        self._lock = Lock()

    def wait(self, key: str) -> int:
        """Count an attempt and return 0, or return the seconds to wait until the next attempt is allowed."""
        now = time.monotonic()
        with self._lock:
            tries = self._tries.setdefault(key, deque())
            while tries and tries[0] <= now - self._seconds:
                tries.popleft()
            if len(tries) >= self._most:
                return int(tries[0] + self._seconds - now) + 1
            tries.append(now)
            return 0

    def forget(self, key: str) -> None:
        with self._lock:
            self._tries.pop(key, None)
