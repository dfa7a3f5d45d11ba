"""The web app of `coindex serve`: HTTP only. Routes call the store and the library; `routes` says who may do what."""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import starlette as _starlette  # noqa: F401 - only to say early and clearly what is missing
except ImportError as error:  # pragma: no cover - an environment without the extra
    raise MissingExtraError("starlette", "web") from error

from .application import app

__all__ = ["app"]
