"""Profiles: the settings under which a campaign published its scores. A published profile never changes.

A corrected profile gets a new number; the old one stays available. A name without a number selects the newest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from ..document import Kind
from ..errors import CoindexError, UnknownNameError
from .matching import Zeros, get_matching
from .metrics.registry import get_metric

ALL = ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mor", "zero")
CONLL = ("muc", "b3", "ceafe")
"""The metrics whose mean F1 is the CoNLL score."""
UnitName = Literal["document", "topic", "subtopic", "corpus"]
"""The documents that are scored together; see `corpus`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The choices of a campaign; `source` is the publication that specifies them."""

    rules: str
    match: str
    singletons: bool
    zeros: Zeros
    metrics: tuple[str, ...] = ALL
    unit: UnitName = "document"
    source: str


PROFILES = {
    "crac22@1": Profile(
        rules="corefud-1.0",
        match="partial",
        singletons=False,
        zeros="linear",
        source="CRAC 2022 shared task, section 3; CorefUD scorer 1.0",
    ),
    "crac23@1": Profile(
        rules="corefud-1.1",
        match="head",
        singletons=False,
        zeros="linear",
        source="CRAC 2023 shared task; CorefUD scorer 1.1",
    ),
    "crac24@1": Profile(
        rules="corefud-1.2",
        match="head",
        singletons=False,
        zeros="dependent",
        source="CRAC 2024 and 2025 shared tasks; CorefUD scorer 1.2",
    ),
    "conll12@1": Profile(
        rules="conll-8.01",
        match="exact",
        singletons=True,
        zeros="linear",
        metrics=("muc", "b3", "ceafm", "ceafe", "blanc"),
        source="CoNLL 2012 shared task; reference scorer 8.01",
    ),
    "ecb-topic@1": Profile(
        rules="cross-document",
        match="exact",
        singletons=False,
        zeros="linear",
        metrics=("muc", "b3", "ceafe", "lea", "mentions"),
        unit="topic",
        source="Cattan et al. 2021, section 3",
    ),
    "ecb-subtopic@1": Profile(
        rules="cross-document",
        match="exact",
        singletons=False,
        zeros="linear",
        metrics=("muc", "b3", "ceafe", "lea", "mentions"),
        unit="subtopic",
        source="Cattan et al. 2021, section 3",
    ),
    "rueval14-anaphora@1": Profile(
        rules="rueval-2014",
        match="lenient",
        singletons=False,
        zeros="linear",
        metrics=("anaphora",),
        source="Toldova et al. 2014 (RU-EVAL), sections 3.5 and 4.1",
    ),
    "rueval14-coref@1": Profile(
        rules="rueval-2014",
        match="lenient",
        singletons=False,
        zeros="linear",
        metrics=("muc", "b3", "ceafm", "ceafe"),
        source="Toldova et al. 2014 (RU-EVAL), sections 3.5 and 4.2",
    ),
    "are07-task1@1": Profile(
        rules="are-2007",
        match="exact",
        singletons=False,
        zeros="linear",
        metrics=("success",),
        source="Orăsan et al. 2008 (ARE 2007), section 3.3.1",
    ),
    "are07-task2@1": Profile(
        rules="are-2007",
        match="exact",
        singletons=False,
        zeros="linear",
        metrics=("muc",),
        source="Orăsan et al. 2008 (ARE 2007), section 3.3.2",
    ),
    "are07-task3@1": Profile(
        rules="are-2007",
        match="overlap",
        singletons=False,
        zeros="linear",
        metrics=("antecedent",),
        source="Orăsan et al. 2008 (ARE 2007), section 3.3.3",
    ),
    "are07-task4@1": Profile(
        rules="are-2007",
        match="overlap",
        singletons=False,
        zeros="linear",
        metrics=("muc",),
        source="Orăsan et al. 2008 (ARE 2007), section 3.3.3",
    ),
}
DEFAULT = "crac24"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a score is computed: the choices of a profile, with possible changes."""

    profile: str
    rules: str
    match: str
    singletons: bool
    zeros: Zeros
    metrics: tuple[str, ...]
    strict: bool = True
    unit: UnitName = "document"
    kind: Kind | None = None
    """Whether only events or only entities in the narrow sense are scored; None for both."""


def find_profile(name: str) -> str:
    """Return the full name of a profile: the newest version if the number is missing."""
    if name in PROFILES:
        return name
    numbers = [int(full.partition("@")[2]) for full in PROFILES if full.partition("@")[0] == name]
    if not numbers:
        raise UnknownNameError("profile", name, PROFILES)
    return f"{name}@{max(numbers)}"


def make_settings(
    profile: str | None = None,
    *,
    match: str | None = None,
    singletons: bool | None = None,
    zeros: str | None = None,
    metrics: tuple[str, ...] | list[str] | None = None,
    strict: bool = True,
    unit: str | None = None,
    kind: str | None = None,
) -> Settings:
    """Return the settings of a profile, with single choices changed.

    Parameters:
        profile: The name of a profile, with or without its number; by default crac24.
        match: How mentions are matched, such as "exact", "partial" or "head".
        singletons: Whether singletons are scored.
        zeros: How zeros are matched: "dependent" (by their relations) or "linear" (by position).
        metrics: The names of the metrics to compute.
        strict: Whether response and key must have the same documents, sentences and words.
        unit: The documents that are scored together: "document", "topic", "subtopic" or "corpus".
        kind: Score only entities of this kind: "entity" or "event".
    """
    name = find_profile(profile or DEFAULT)
    base = PROFILES[name]
    settings = Settings(
        profile=name,
        rules=base.rules,
        match=match or base.match,
        singletons=base.singletons if singletons is None else singletons,
        zeros=cast(Zeros, zeros or base.zeros),
        metrics=tuple(dict.fromkeys(metrics)) if metrics else base.metrics,
        strict=strict,
        unit=cast(UnitName, _check_choice("unit", unit or base.unit, UnitName)),
        kind=cast(Kind, _check_choice("kind", kind, Kind)) if kind else None,
    )
    for metric in settings.metrics:
        get_metric(metric, settings.rules)
    _check_zeros(settings)
    return settings


def _check_choice(what: str, name: str, names: object) -> str:
    if name not in get_args(names):
        raise UnknownNameError(what, name, get_args(names))
    return name


def _check_zeros(settings: Settings) -> None:
    known = get_matching(settings.rules, settings.match).align
    if settings.zeros in known:
        return
    if settings.zeros not in ("dependent", "linear"):
        raise UnknownNameError("way to match zeros", settings.zeros, known)
    raise CoindexError(
        f"{settings.profile} with match {settings.match} does not support zeros {settings.zeros!r}, only "
        f"{', '.join(known)}; omit the option, or choose another profile",
        code="invalid-option",
    )


def signature(settings: Settings, version: str, *more: str) -> str:
    """Return a short description of how a score was computed; `more` describes what was done to it afterwards.

    >>> signature(make_settings("crac24"), "0.1.0")
    'coindex|crac24@1|match:head|sing:no|zeros:dep|v:0.1.0'
    """
    sing = "yes" if settings.singletons else "no"
    fields = [
        "coindex",
        settings.profile,
        f"match:{settings.match}",
        f"sing:{sing}",
        f"zeros:{settings.zeros[:3]}",
        *([] if settings.unit == "document" else [f"unit:{settings.unit}"]),
        *([] if settings.kind is None else [f"kind:{settings.kind}"]),
        *([] if settings.strict else ["strict:no"]),
        *more,
        f"v:{version}",
    ]
    return "|".join(fields)
