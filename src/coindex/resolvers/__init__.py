"""Resolvers find entities in documents. Each is a function `Document -> Document` that knows no files or scores."""

from collections.abc import Callable
from typing import Any

_HOOKS: dict[str, Callable[..., Any]] = {}


def register_training(*, load: Callable[..., Any], check: Callable[[], None]) -> None:
    """Register the functions that load a trained model before export and check that the packages for it are installed.

    Resolvers do not import the training code; it registers itself here.
    """
    _HOOKS.update(load=load, check=check)


def load_trained(*arguments: Any, **options: Any) -> Any:
    """Return the step of a trained model that is not exported yet. It runs with torch."""
    return _HOOKS["load"](*arguments, **options)


def check_training() -> None:
    """Raise an error if the packages for training are not installed."""
    _HOOKS["check"]()
