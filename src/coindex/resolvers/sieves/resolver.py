"""The resolver: mentions from trees, passes from the surest to the least sure, entities with provenance."""

from __future__ import annotations

from dataclasses import dataclass

from ...document import Document, Mention
from ...formats.registry import Option
from ..clusters import linked, with_clusters
from ..linguistics.languages import language_of
from ..resolver import Resolver, Step
from .attributes import describe
from .candidates import Candidate, Words
from .detection import detect, given
from .engine import Sieve, State
from .passes import (
    acronyms,
    appositions,
    copulas,
    exact,
    extraposed,
    heads,
    names,
    possessives,
    pronouns,
    relatives,
    relaxed_strings,
    speakers,
)
from .speakers import Voices

# The precision of a sieve is the share of its links whose two mentions are in one entity of the key, measured on the
# training part of GUM, with gold trees and after all sieves before it; that of relative pronouns, which GUM does not
# annotate, on the development part of AnCora. Names and strings come before pronouns, which need what they know.
SIEVES = (
    Sieve("speakers", speakers.run, 0.889),
    Sieve("relatives", relatives.run, 0.778),
    Sieve("extraposed", extraposed.run, 0.815),
    Sieve("acronyms", acronyms.run, 0.845),
    Sieve("appositions", appositions.run, 0.728),
    Sieve("copulas", copulas.run, 0.733),
    Sieve("exact", exact.run, 0.727),
    Sieve("names", names.run, 0.594),
    Sieve("pronouns", pronouns.run, 0.667),
    Sieve("relaxed-strings", relaxed_strings.run, 0.572),
    Sieve("heads", heads.strict, 0.645),
    Sieve("possessives", possessives.run, 0.564),
    Sieve("relaxed-heads", heads.relaxed, 0.345),
)
PRECISION = {sieve.name: sieve.precision for sieve in SIEVES}
FIRST = "mentions"
"""Where a mention comes from that no sieve linked to one before it."""


@dataclass(frozen=True, slots=True)
class Sieves:
    """The step."""

    detected: bool = True
    singletons: bool = True
    extraposed: bool = False
    within_sentences: bool = False

    def __call__(self, doc: Document) -> Document:
        state = self.prepare(doc)
        state.run(SIEVES)
        return entities(doc, state, singletons=self.singletons)

    def prepare(self, doc: Document) -> State:
        """The document's candidates, described, before any pass."""
        words = Words(doc, language_of(doc))
        candidates = detect(words, extraposed=self.extraposed) if self.detected else given(doc, words)
        for candidate in candidates:
            describe(candidate, words)
        return State(words, Voices(doc, words), candidates, within_sentences=self.within_sentences)


def entities(doc: Document, state: State, *, singletons: bool) -> Document:
    """The document with what the passes found."""
    kept = (
        group.members
        for group in state.groups
        if len(group.members) > 1 or (group.members and singletons and not group.members[0].optional)
    )
    return with_clusters(doc, [_mentions(doc, members) for members in kept])


def _mentions(doc: Document, members: list[Candidate]) -> list[Mention]:
    """The mentions of one entity; a span stands once.

    What links the first mention to a later one (the I of a quotation to the one who says it) is said of the later.
    """
    members.sort(key=lambda one: one.index)
    some = next((one.by for one in members if one.by), FIRST)
    once: dict[tuple[int, ...], Mention] = {}
    for number, candidate in enumerate(members):
        mention = candidate.mention or Mention(doc.tokens, tuple(range(candidate.start, candidate.end)), candidate.head)
        by = (candidate.by or some) if number else FIRST
        once.setdefault(mention.positions, linked(mention, f"sieves/{by}", PRECISION.get(by)))
    return list(once.values())


def make(*, mentions: str, singletons: str = "yes", extraposed: str = "no", reach: str = "document") -> Step:
    return Sieves(
        detected=mentions == "detected",
        singletons=singletons == "yes",
        extraposed=extraposed == "yes",
        within_sentences=reach == "sentence",
    )


RESOLVER = Resolver(
    name="sieves",
    kind="rules",
    summary="passes of rules, the surest first, over UD trees of any language, zeros included",
    make=make,
    needs=("trees",),
    source="ours, after the multi-pass sieve of Lee et al. 2013",
    options=(
        Option("singletons", ("yes", "no"), "whether mentions that nothing refers to are kept"),
        Option(
            "extraposed",
            ("no", "yes"),
            "whether an expletive pronoun means the clause that it announces (it is good to see you), as in GUM",
        ),
        Option(
            "reach",
            ("document", "sentence"),
            "how far links go; sentence for collections of sentences that have nothing to do with each other",
        ),
    ),
)
