"""Who speaks where: the speakers that a format gives, and quotations with the one who said them.

Every position has a voice. Mentions of the first person with one voice mean one person.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...document import Document
from .candidates import NONE, Words

OPENING = frozenset("“«„‟")
CLOSING = frozenset("”»")
STRAIGHT = frozenset(('"', "``", "''"))
LONGEST = 12
"""A quotation that is not closed after so many sentences was none."""
ADDRESSEE = "# addressee ="


@dataclass(slots=True)
class Quotation:
    """Words start..end between quotation marks; `said` is the verb of saying that it belongs to."""

    start: int
    end: int
    said: int = NONE


class Voices:
    """The voice of each position: a speaker's name, a quotation's number, or the text itself."""

    def __init__(self, doc: Document, words: Words) -> None:
        self.words = words
        self.speakers = [sentence.speaker or "" for sentence in doc.sentences] or [""]
        self.addressees = [_addressee(sentence.comments) for sentence in doc.sentences] or [""]
        self.names = {name for name in self.speakers if name}
        if len(self.names) == 2:
            one, two = self.names
            other = {one: two, two: one}
            self.addressees = [
                heard or other.get(name, "") for heard, name in zip(self.addressees, self.speakers, strict=True)
            ]
        self.quotations = list(quotations(words))
        self.quoted = [NONE] * words.size
        for number, quotation in enumerate(self.quotations):
            quotation.said = said_by(words, quotation)
            self.quoted[quotation.start : quotation.end] = [number] * (quotation.end - quotation.start)

    def at(self, position: int) -> str:
        """The voice at a position."""
        quotation = self.quoted[position]
        speaker = self.speakers[self.words.sentences[position]]
        return speaker if quotation == NONE else f"{speaker}\n{quotation}"

    def addressee(self, position: int) -> str:
        """Whom the voice at a position speaks to, as a voice; nothing where nobody said."""
        return self.addressees[self.words.sentences[position]] if self.quoted[position] == NONE else ""


def _addressee(comments: tuple[str, ...]) -> str:
    for comment in comments:
        if comment.startswith(ADDRESSEE):
            return comment.removeprefix(ADDRESSEE).strip()
    return ""


def quotations(words: Words) -> list[Quotation]:
    """What stands between quotation marks; those inside others are left to the outer one."""
    found = []
    start = NONE
    for at, form in enumerate(words.forms):
        if start != NONE and words.sentences[at] - words.sentences[start] > LONGEST:
            start = NONE
        if start == NONE:
            if form in OPENING or form in STRAIGHT:
                start = at
        elif form in CLOSING or form in STRAIGHT:
            if at - start > 2:
                found.append(Quotation(start + 1, at))
            start = NONE
    return found


def said_by(words: Words, quotation: Quotation) -> int:
    """The verb of saying nearest to a quotation in its first or last sentence, outside of it."""
    for sentence in dict.fromkeys((words.sentences[quotation.end - 1], words.sentences[quotation.start])):
        after = range(quotation.end, min(words.ends[sentence], quotation.end + 12))
        before = range(quotation.start - 1, max(words.starts[sentence], quotation.start - 12) - 1, -1)
        for near in (after, before):
            for at in near:
                if words.upos[at] == "VERB" and words.lemmas[at] in words.language.speech:
                    return at
    return NONE
