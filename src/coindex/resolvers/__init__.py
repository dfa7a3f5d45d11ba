"""Resolvers: text in, entities out. Each is `Document -> Document`; they know neither files nor scores."""

from collections.abc import Callable
from typing import Any

_LOADERS: dict[str, Callable[..., Any]] = {}


def register_trained_loader(load: Callable[..., Any]) -> None:
    """Set what reads a trained model that is not exported: resolvers do not import what trains them."""
    _LOADERS["trained"] = load


def load_trained(*arguments: Any, **options: Any) -> Any:
    """Return the step of a trained model that is not exported; it computes with torch."""
    return _LOADERS["trained"](*arguments, **options)
