"""Models that are installed separately from coindex, each as a distribution such as `coindex-en-base`.

A distribution has an entry point in the group `coindex.models`: its name is that of the resolver, its value is a
package with the folder `model`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from ..errors import CoindexError
from ..text.language_names import UnknownLanguageError, language_code

GROUP = "coindex.models"
FOLDER = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """A model with the name of its resolver and of the distribution that contains it."""

    name: str
    distribution: str
    summary: str
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes; empty if the model works for any language."""
    licence: str

    @property
    def install(self) -> str:
        """The command that installs it."""
        return f"pip install {self.distribution}"


KNOWN = {
    companion.name: companion
    for companion in (
        Companion(
            name="en-base",
            distribution="coindex-en-base",
            summary="larger neural model for English with the options of en-small; accurate, slower",
            languages=("en",),
            licence="CC BY-SA 4.0 (commercial use allowed)",
        ),
    )
}
"""The companions of coindex. If they are installed, they are preferred to the included models for their languages."""


class MissingModelError(CoindexError):
    """Raised if a model is used that is not installed, or that is installed incompletely."""

    default_code = "missing-model"


@cache
def _entry_points() -> dict[str, tuple[EntryPoint, ...]]:
    """Return the installed models by name; more than one for a name means that distributions conflict."""
    entries: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in entry_points(group=GROUP):
        entries[entry.name] = (*entries.get(entry.name, ()), entry)
    return entries


def is_installed(name: str) -> bool:
    """Return whether a distribution with that model is installed."""
    return name in _entry_points()


def companions() -> dict[str, Companion]:
    """Return the known companions, installed or not, and those of other installed distributions."""
    others = {name: _describe(entries[0]) for name, entries in _entry_points().items() if name not in KNOWN}
    return KNOWN | others


def _describe(entry: EntryPoint) -> Companion:
    """Return the description of a model that is not in `KNOWN`, from the metadata of its distribution."""
    assert entry.dist is not None, "entry points are found in distributions"
    metadata = entry.dist.metadata

    def value(key: str) -> str:
        return next(iter(metadata.get_all(key) or ()), "")

    return Companion(
        name=entry.name,
        distribution=entry.dist.name,
        summary=value("Summary") or f"a model of {entry.dist.name}",
        languages=tuple(filter(None, map(_classified_language, metadata.get_all("Classifier") or ()))),
        licence=value("License-Expression") or value("License") or "see the distribution",
    )


def _classified_language(classifier: str) -> str | None:
    """Return the code of a language for "Natural Language :: English"."""
    topic, _, name = classifier.partition(" :: ")
    try:
        return language_code(name) if topic == "Natural Language" else None
    except UnknownLanguageError:
        return None


def describe_installed(name: str) -> str:
    """Return the distribution that contains an installed model, with its version: "coindex-en-base 0.1.0"."""
    return " and ".join(
        f"{entry.dist.name} {entry.dist.version}" for entry in _entry_points()[name] if entry.dist is not None
    )


def reinstall(name: str) -> str:
    """Return the command that installs a damaged model again."""
    return f"pip install --force-reinstall --no-deps {companions()[name].distribution}"


def companion_folder(name: str) -> Path:
    """Return the model folder of a companion."""
    if not is_installed(name):
        raise MissingModelError(f"{name} is not installed; install it with: {companions()[name].install}")
    entry, *others = _entry_points()[name]
    if others:
        raise MissingModelError(
            f"several distributions contain a model named {name}: {describe_installed(name)}; uninstall all but one"
        )
    spec = find_spec(entry.value) if entry.value.isidentifier() else None
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        raise MissingModelError(
            f"{describe_installed(name)} is damaged: the package {entry.value} is missing; install it again with: "
            f"{reinstall(name)}"
        )
    return Path(folders[0]) / FOLDER
