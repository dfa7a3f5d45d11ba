"""Which mentions are pronouns: by their tags where a corpus has them, else by a list of English words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from .entities import Mention

ENGLISH = frozenset(
    """
    i me my mine myself we us our ours ourselves
    you your yours yourself yourselves thou thee thy thine thyself
    he him his himself she her hers herself it its itself
    they them their theirs themselves themself one's oneself
    this that these those who whom whose which
    """.split()  # noqa: SIM905 - a list of words is easier to read than a list of strings
)


def is_pronoun(mention: Mention) -> bool:
    """Whether the mention is one word and that word a pronoun, possessives included.

    Universal Dependencies tags *his* PRON in some corpora and DET in others, so a determiner with `Poss=Yes`
    or `PronType=Prs` counts. A longer mention is not a pronoun though its head may be one (*something new*).
    """
    words = [token for token in mention.tokens if not token.is_empty]
    if len(words) != 1:
        return False
    word = words[0]
    if word.upos == "_":
        return word.form.lower() in ENGLISH
    features = word.features
    possessive = features.get("Poss") == "Yes" or features.get("PronType") == "Prs"
    return word.upos == "PRON" or (word.upos == "DET" and possessive)


def antecedent(mention: Mention, chain: Sequence[Mention]) -> Mention | None:
    """The mention of its entity that a pronoun is best resolved to: the nearest before it that is no pronoun.

    Where only pronouns go before, it is the nearest of those; None where nothing goes before. A mention that
    holds the pronoun does not go before it. The chain is in reading order.
    """
    nearest = None
    for other in reversed(chain[: bisect_left(chain, mention.start, key=lambda one: one.start)]):
        if other.end <= mention.start:
            if not is_pronoun(other):
                return other
            nearest = nearest or other
    return nearest
