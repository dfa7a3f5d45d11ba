"""Resolvers: text in, entities out. Each is `Document -> Document`; they know neither files nor scores."""

from collections.abc import Callable
from typing import Any

_HOOKS: dict[str, Callable[..., Any]] = {}


def register_training(*, load: Callable[..., Any], check: Callable[[], None]) -> None:
    """Set what reads a trained model that is not exported, and what checks that this is possible.

    Resolvers do not import what trains them.
    """
    _HOOKS.update(load=load, check=check)


def load_trained(*arguments: Any, **options: Any) -> Any:
    """Return the step of a trained model that is not exported; it computes with torch."""
    return _HOOKS["load"](*arguments, **options)


def check_training() -> None:
    """Refuse to go on where the packages for training are not installed."""
    _HOOKS["check"]()
