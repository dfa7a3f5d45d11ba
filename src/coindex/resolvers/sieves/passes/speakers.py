"""Link first- and second-person pronouns by speaker.

All singular first-person pronouns of a voice are the same person, and the speaker of a quotation is its *I*. *You* is
the addressee if the format specifies it or if two people talk; otherwise all *you* of a voice corefer, and so do all
*we*. The name of a speaker refers to that speaker, and a person addressed by name is the nearby *you*.
"""

from __future__ import annotations

from bisect import bisect

from ..candidates import NONE, PLUR, Candidate
from ..engine import State


def run(state: State) -> None:
    last: dict[tuple[str, str], Candidate] = {}
    for candidate in state.candidates:
        if not candidate.is_pronoun or candidate.person in (0, 3):
            continue
        voice = state.voices.at(candidate.head)
        if candidate.person == 1:
            which = "we" if candidate.number == PLUR else "I"
        else:
            which, voice = _addressee_key(state, candidate, voice)
        key = (which, voice)
        before = last.get(key)
        if before is not None:
            state.link(candidate, before)
        last[key] = candidate
    _attribute(state, last)
    _link_names(state, last)
    _link_vocatives(state)


def _addressee_key(state: State, candidate: Candidate, voice: str) -> tuple[str, str]:
    """Return the key of a *you*: the *I* of the addressee, if known."""
    heard = state.voices.addressee(candidate.head)
    return ("I", heard) if heard in state.voices.names else ("you", voice)


def _attribute(state: State, last: dict[tuple[str, str], Candidate]) -> None:
    """Link the *I* of a quotation to the subject of its verb of speech."""
    for number, quotation in enumerate(state.voices.quotations):
        speaker = state.voices.speakers[state.words.sentences[quotation.start]]
        me = last.get(("I", f"{speaker}\n{number}"))
        if me is not None and quotation.speech_verb != NONE:
            sayer = state.subject_of(quotation.speech_verb)
            if sayer is not None and not sayer.whole:
                state.link(me, sayer)


def _link_names(state: State, last: dict[tuple[str, str], Candidate]) -> None:
    """Link names of speakers, written as one or several words, to their *I*."""
    known = {_letters(voice): me for (which, voice), me in last.items() if which == "I" and voice in state.voices.names}
    if not known:
        return
    for candidate in state.candidates:
        if candidate.kind == "name" and not candidate.whole and (me := known.get(_letters("".join(candidate.name)))):
            state.link(candidate, me)


def _letters(name: str) -> str:
    return "".join(filter(str.isalpha, name.lower()))


def _link_vocatives(state: State) -> None:
    """Link a person addressed by name or title to the nearby *you* of the same voice."""
    pronouns = [other for other in state.candidates if other.is_pronoun and other.person == 2]
    places = [pronoun.start for pronoun in pronouns]
    for candidate in state.candidates:
        if state.words.bases[candidate.head] != "vocative" or candidate.is_pronoun or candidate.whole:
            continue
        at = bisect(places, candidate.start)
        voice = state.voices.at(candidate.head)
        near = [
            pronoun
            for pronoun in pronouns[max(0, at - 2) : at + 2]
            if abs(pronoun.sentence - candidate.sentence) <= 1 and state.voices.at(pronoun.head) == voice
        ]
        if near:
            state.link(candidate, min(near, key=lambda pronoun: abs(pronoun.start - candidate.start)))
