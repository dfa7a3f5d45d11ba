"""Pronouns to the nearest noun phrase that agrees, other noun phrases to the one before with the same words.

ARE 2007 has a baseline for its tasks 2 and 4, chains on given mentions and on raw text, but the paper does not say what
it does. This one is ours: `nearest-np`, and exact string match. Strings are compared without regard to capitals;
nothing else is left out, so *a dog* is not *the dog*. With given mentions all stay; of found ones only those in chains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...document import Document
from ..linguistics.noun_phrases import Phrase, found_phrases, given_phrases
from ..linguistics.word_classes import word_class
from ..resolver import Resolver, Step
from .nearest_np import build, nearest


def make(*, mentions: str) -> Step:
    def step(doc: Document) -> Document:
        given = mentions == "given"
        phrases = given_phrases(doc) if given else found_phrases(doc)
        links = {later: (earlier, "are-baseline/string") for later, earlier in same_words(phrases)}
        links |= {pronoun: (earlier, "are-baseline/nearest-np") for pronoun, earlier in nearest(doc, phrases)}
        return build(doc, phrases, links, name="are-baseline", given=given)

    return step


def same_words(phrases: Sequence[Phrase]) -> Iterator[tuple[int, int]]:
    """Each phrase that is no pronoun with the last one before it that has the same words."""
    last: dict[str, int] = {}
    for number in sorted(range(len(phrases)), key=lambda n: phrases[n].mention.start):
        phrase = phrases[number]
        mention = phrase.mention
        if phrase.is_anaphor or mention.is_zero or word_class(mention.layer[phrase.head]) == "PRON":
            continue
        text = " ".join(mention.layer.forms[position] for position in mention.positions).casefold()
        if text in last:
            yield number, last[text]
        last[text] = number


RESOLVER = Resolver(
    name="are-baseline",
    kind="rules",
    summary="nearest-np, and noun phrases with the same words as chains; raw English needs no parser",
    make=make,
    source="tasks 2 and 4 of ARE 2007 (Orăsan et al. 2008); the baseline itself is ours",
)
