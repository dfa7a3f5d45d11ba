"""Link shorter forms of proper names to longer ones.

Equal names are always linked. The first or last word of a person's name (Ann, Marsh) is linked to Ann Marsh if their
known attributes agree. For other names, only the first word is linked (Harvard University).
"""

from __future__ import annotations

from ..candidates import Candidate
from ..engine import State


def run(state: State) -> None:
    """Link names in reading order; an index by the first and the last word of each holds the longest form so far."""
    edges: dict[str, Candidate] = {}
    for candidate in state.candidates:
        if not candidate.name or candidate.whole:
            continue
        ends = (candidate.name[-1], candidate.name[0])
        for word in ends:
            before = edges.get(word)
            if before is not None and _is_form_of(state, candidate, before) and state.agree(candidate, before):
                state.link(candidate, before)
                break
        for word in ends:
            before = edges.get(word)
            if before is None or len(candidate.name) >= len(before.name):
                edges[word] = candidate


def _is_form_of(state: State, candidate: Candidate, before: Candidate) -> bool:
    """Return whether two names match: equal, or one is the first or last name of the other."""
    words = state.words
    if candidate.name == before.name:
        return True
    short, long = sorted((candidate, before), key=lambda member: len(member.name))
    if len(short.name) != 1 or words.bases[candidate.head] == "compound":
        return False
    if long.kind == "noun" or words.has(long.head, "flat"):  # a person: first name and family name side by side
        return short.name[0] in (long.name[0], long.name[-1])
    return short is candidate and short.name[0] == long.name[0]
