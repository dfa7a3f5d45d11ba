"""Link acronyms to earlier phrases whose words start with their letters (United Nations ... UN)."""

from __future__ import annotations

from ..candidates import Candidate
from ..engine import State


def run(state: State) -> None:
    known: dict[str, Candidate] = {}
    for candidate in state.candidates:
        if candidate.kind not in ("name", "noun") or candidate.whole:
            continue
        form = state.words.forms[candidate.head]
        if candidate.end - candidate.start <= 2 and len(form) > 1 and form.isupper() and form.isalpha():
            before = known.get(form)
            if before is not None:
                state.link(candidate, before)
        elif candidate.end - candidate.start > 1:
            letters = [word[0] for word in candidate.text.split() if word not in state.language.linkers]
            known["".join(letters).upper()] = candidate
