"""Link pronouns to the nearest noun phrase that agrees, and other noun phrases to the last one with the same words.

ARE 2007 has a baseline for its tasks 2 and 4 (chains of given mentions and in raw text), but the paper does not
describe it. This one is ours: `nearest-np` plus exact string match. Strings are compared case-insensitively and in
full, so that *a dog* does not match *the dog*. All given mentions are kept; detected mentions are kept only if they are
linked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...document import Document
from ..linguistics.noun_phrases import Phrase, detect_phrases, read_phrases
from ..linguistics.word_classes import word_class
from ..resolver import Resolver, Step
from .nearest_np import build, nearest


def make(*, mentions: str) -> Step:
    """Return the step for detected or given mentions."""

    def step(doc: Document) -> Document:
        given = mentions == "given"
        phrases = read_phrases(doc) if given else detect_phrases(doc)
        links = {later: (earlier, "are-baseline/string") for later, earlier in match_strings(phrases)}
        links |= {pronoun: (earlier, "are-baseline/nearest-np") for pronoun, earlier in nearest(doc, phrases)}
        return build(doc, phrases, links, name="are-baseline", given=given)

    return step


def match_strings(phrases: Sequence[Phrase]) -> Iterator[tuple[int, int]]:
    """Yield each phrase that is not a pronoun with the last preceding phrase that has the same words."""
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
    summary="nearest-np, plus links between noun phrases with the same words; raw English needs no parser",
    make=make,
    source="tasks 2 and 4 of ARE 2007 (Orăsan et al. 2008); the baseline itself is ours",
)
