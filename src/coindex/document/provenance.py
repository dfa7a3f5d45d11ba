"""Where a link came from and how sure it is: attributes that resolvers give to the mentions they link."""

from __future__ import annotations

from .entities import SCORE, Mention

BY = "by"
"""The mention attribute that names the resolver, or the step of it, that put the mention into its entity."""
WEAK = 0.5
"""Links below this score are drawn as doubtful."""


def link_source(mention: Mention) -> str | None:
    """Who put the mention into its entity, where that is known."""
    return mention.attributes.get(BY)


def other_attributes(mention: Mention) -> dict[str, str]:
    """The attributes that do not tell about the link; a score that is no number is one of them."""
    told = (BY,) if mention.score is None else (BY, SCORE)
    return {name: value for name, value in mention.attributes.items() if name not in told}


def is_weak(mention: Mention) -> bool:
    """Whether a link is doubtful."""
    return mention.score is not None and mention.score < WEAK


def percent(score: float) -> str:
    """A score as people read it: "83 %"; what is no probability stays as it is."""
    return f"{100 * score:.0f} %" if 0 <= score <= 1 else f"{score:g}"
