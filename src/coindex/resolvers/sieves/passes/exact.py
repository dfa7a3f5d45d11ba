"""Link phrases with the same words, ignoring articles.

Names always match. Other nouns match too, except negated phrases, and indefinite phrases without modifiers, which
introduce new entities. A noun inside a compound (tea in "tea cup") is a mention only if the same noun occurs alone
before. In most languages with articles, a bare noun is generic and does not match.
"""

from __future__ import annotations

from ..candidates import Candidate
from ..engine import State


def run(state: State) -> None:
    last: dict[str, Candidate] = {}
    bare = state.language.bare_nouns or not state.words.has_articles
    for candidate in state.candidates:
        if candidate.is_pronoun or candidate.kind == "clause" or not candidate.text or candidate.whole:
            continue
        before = last.get(candidate.text)
        is_part = state.words.bases[candidate.head] == "compound"
        if before is not None and _may_repeat(candidate, before, is_part, bare):
            state.link(candidate, before)
        if not is_part:
            last[candidate.text] = candidate


def _may_repeat(candidate: Candidate, before: Candidate, is_part: bool, bare: bool) -> bool:
    if not candidate.number & before.number:
        return False
    if candidate.kind == "name":
        return True
    if candidate.definite == "neg" or (candidate.optional and not is_part):
        return False
    if candidate.modifiers:
        return True
    if not candidate.definite:
        return bare
    return candidate.definite != "indef"
