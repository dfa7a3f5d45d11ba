"""Anonymity in one place: team names go out of results before anything is made of them, and out of every message.

Tables, CSV, JSON and logs are made of what comes out here; nothing else knows who is who. ARE 2007 printed S1, S2, S3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random, SystemRandom
from typing import Protocol, Self, TypeVar

from ..errors import CoindexError, quote


class OfTeam(Protocol):
    """Something that belongs to a team: a run with its scores, or one that failed."""

    @property
    def team(self) -> str: ...

    def renamed(self, team: str, message: str) -> Self:
        """The same under another name, with another text for what is said of it."""
        ...

    @property
    def message(self) -> str: ...


Owned = TypeVar("Owned", bound=OfTeam)


@dataclass(frozen=True, slots=True)
class Aliases:
    """Aliases by team; a team without one keeps its name."""

    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        twice = len(set(self.names.values())) < len(self.names)
        clash = next(
            (alias for alias in self.names.values() if alias.casefold() in map(str.casefold, self.names)), None
        )
        if twice or clash is not None:
            what = f"the alias {quote(clash)} is a team's name" if clash is not None else "two teams of one alias"
            raise CoindexError(
                f"{what}; expected an alias of its own for each team; choose others", code="invalid-alias"
            )

    def of(self, team: str) -> str:
        """What a team is called."""
        return self.names.get(team, team)

    def text(self, text: str) -> str:
        """A message with every name of a team in it exchanged, whole words only, in whatever case."""
        if not self.names:
            return text
        longest = sorted(self.names, key=len, reverse=True)
        pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest)
        folded = {name.casefold(): alias for name, alias in self.names.items()}
        return re.sub(pattern, lambda match: folded[match[0].casefold()], text, flags=re.IGNORECASE)

    def apply(self, results: Iterable[Owned]) -> list[Owned]:
        """The results under aliases, in an order that says nothing: that of the aliases."""
        renamed = [one.renamed(self.of(one.team), self.text(one.message)) for one in results]
        return sorted(renamed, key=lambda one: natural(one.team))

    def but(self, team: str | None) -> Aliases:
        """The aliases as a team sees them that knows its own name."""
        return Aliases({name: alias for name, alias in self.names.items() if name != team})


def draw_aliases(
    teams: Iterable[str], *, prefix: str = "S", seed: int, given: Mapping[str, str] | None = None
) -> Aliases:
    """S1, S2 … dealt by chance, so that neither names nor the order of registration show; those given stay.

    Who knows the seed and the teams knows who is who, so it is to be a secret.

    >>> sorted(draw_aliases(["mill", "lake"], seed=7).names.values())
    ['S1', 'S2']
    """
    known = dict(given or {})
    waiting = sorted(set(teams) - known.keys())
    taken = {alias.casefold() for alias in known.values()} | {team.casefold() for team in (*known, *waiting)}
    free: list[str] = []
    number = 0
    while len(free) < len(waiting):
        number += 1
        alias = f"{prefix}{number}"
        if alias.casefold() not in taken:
            free.append(alias)
    Random(seed).shuffle(free)
    return Aliases({**known, **dict(zip(waiting, free, strict=True))})


def draw_alias(taken: Iterable[str], *, prefix: str = "S") -> str:
    """An alias for one team more, where teams come one by one: by chance among many, so that it tells no order.

    `taken` are the aliases and the names that it must differ from.
    """
    used = {name.casefold() for name in taken}
    among = 99
    while among < 4 * len(used):
        among = 10 * among + 9
    return SystemRandom().choice(
        [alias for number in range(1, among + 1) if (alias := f"{prefix}{number}").casefold() not in used]
    )


def natural(name: str) -> list[tuple[int, str]]:
    """S2 before S10."""
    return [(int(piece) if piece.isdecimal() else -1, piece) for piece in re.split(r"(\d+)", name)]
