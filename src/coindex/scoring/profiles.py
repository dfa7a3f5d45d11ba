"""Profiles: the settings under which a campaign published its scores. A published profile never changes.

A corrected profile gets a new number; the old one stays available. A name without a number selects the newest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from ..errors import CoindexError, UnknownNameError
from .matching import RULES, Zeros, get_matching
from .metrics.registry import get_metric
from .ua import Split

ALL = ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mor", "zero")
CONLL = ("muc", "b3", "ceafe")
"""The metrics whose mean F1 is the CoNLL score."""
UA = ("muc", "b3", "ceafe", "ceafm", "blanc", "lea")
UA_RELATIONS = ("non-referring", "bridging-anaphor", "bridging-mention", "bridging-entity")
"""The metrics of the Universal Anaphora scorer that do not apply to discourse deixis."""
ScoredKind = Literal["entity", "event", "deixis"]
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
    split: Split = "ignored"
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
    "crac25@1": Profile(
        rules="corefud-1.2",
        match="head",
        singletons=False,
        zeros="dependent",
        source="CRAC 2025 shared task, both tracks; CorefUD scorer 1.2",
    ),
    "crac26@1": Profile(
        rules="corefud-1.2",
        match="head",
        singletons=False,
        zeros="dependent",
        source="CRAC 2026 shared task; CorefUD scorer 1.2",
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
    "ua1@1": Profile(
        rules="ua-1",
        match="exact",
        singletons=True,
        zeros="linear",
        metrics=UA + UA_RELATIONS,
        split="scored",
        source="CODI-CRAC 2021 and 2022 shared tasks; Universal Anaphora scorer 1",
    ),
    "ua2@1": Profile(
        rules="ua-2",
        match="exact",
        singletons=True,
        zeros="none",
        metrics=UA + UA_RELATIONS,
        split="scored",
        source="Yu et al. 2023; Universal Anaphora scorer 2.0 with the settings of CODI-CRAC 2022",
    ),
}
ALIASES = {"ua": "ua2"}
"""Names that mean the newest of several profiles."""
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
    kind: ScoredKind | None = None
    """Whether only events, only entities in the narrow sense or only discourse deixis is scored; None for all. The
    profiles `ua` score discourse deixis only separately."""
    split: Split = "ignored"
    """Whether split antecedents are scored with the other mentions, not at all, or alone."""


def find_profile(name: str) -> str:
    """Return the full name of a profile: the newest version if the number is missing."""
    name = ALIASES.get(name, name)
    if name in PROFILES:
        return name
    numbers = [int(full.partition("@")[2]) for full in PROFILES if full.partition("@")[0] == name]
    if not numbers:
        raise UnknownNameError("profile", name, [*PROFILES, *ALIASES])
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
    split: str | None = None,
) -> Settings:
    """Return the settings of a profile, with single choices changed.

    Parameters:
        profile: The name of a profile, with or without its number; by default crac24.
        match: How mentions are matched, such as "exact", "partial" or "head".
        singletons: Whether singletons are scored.
        zeros: How zeros are matched: "dependent" (by their relations), "linear" (by position), or "none" (removed).
        metrics: The names of the metrics to compute.
        strict: Whether response and key must have the same documents, sentences and words.
        unit: The documents that are scored together: "document", "topic", "subtopic" or "corpus".
        kind: Score only entities of this kind: "entity", "event" or "deixis".
        split: Whether split antecedents are "scored" with the other mentions, "ignored", or scored alone ("only").
    """
    name = find_profile(profile or DEFAULT)
    base = PROFILES[name]
    settings = Settings(
        profile=name,
        rules=base.rules,
        match=match or base.match,
        singletons=base.singletons if singletons is None else singletons,
        zeros=cast(Zeros, zeros or base.zeros),
        metrics=tuple(dict.fromkeys(metrics)) if metrics else _choose_metrics(base, kind, split),
        strict=strict,
        unit=cast(UnitName, _check_choice("unit", unit or base.unit, UnitName)),
        kind=cast(ScoredKind, _check_choice("kind", kind, ScoredKind)) if kind else None,
        split=cast(Split, _check_choice("way to score split antecedents", split or base.split, Split)),
    )
    for metric in settings.metrics:
        get_metric(metric, settings.rules)
    _check_zeros(settings)
    _check_ua(settings)
    return settings


def _choose_metrics(profile: Profile, kind: str | None, split: str | None) -> tuple[str, ...]:
    """Return the metrics of a profile that apply to what is scored."""
    if kind == "deixis" or split == "only":
        return tuple(name for name in profile.metrics if name not in UA_RELATIONS)
    return profile.metrics


def _check_ua(settings: Settings) -> None:
    """Raise an error for settings that make sense only with the Universal Anaphora scorer, or not with it."""
    is_ua = RULES[settings.rules].is_ua
    wrong = ""
    if settings.split != "ignored" and not is_ua:
        wrong = f"does not score split antecedents ({settings.split})"
    elif is_ua and settings.unit != "document":
        wrong = f"scores documents, not the unit {settings.unit}"
    if wrong:
        remedy = "choose the profile ua" if not is_ua else "change one of these options"
        raise CoindexError(f"{settings.profile} {wrong}; {remedy}", code="invalid-option")


def _check_choice(what: str, name: str, names: object) -> str:
    if name not in get_args(names):
        raise UnknownNameError(what, name, get_args(names))
    return name


def _check_zeros(settings: Settings) -> None:
    known = get_matching(settings.rules, settings.match).align
    if settings.zeros in known:
        return
    if settings.zeros not in get_args(Zeros):
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
        f"zeros:{'no' if settings.zeros == 'none' else settings.zeros[:3]}",
        *([] if settings.split == PROFILES[settings.profile].split == "ignored" else [f"split:{settings.split}"]),
        *([] if settings.unit == "document" else [f"unit:{settings.unit}"]),
        *([] if settings.kind is None else [f"kind:{settings.kind}"]),
        *([] if settings.strict else ["strict:no"]),
        *more,
        f"v:{version}",
    ]
    return "|".join(fields)
