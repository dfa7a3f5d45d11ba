"""RU-EVAL 2014, the anaphora track (section 4.1): which pronouns are linked to nothing but their own entity.

The pronouns of RU-EVAL 2014 (section 3.5): third person, possessive, reflexive, demonstrative, relative *kotoryj*.

What a mention is, is asked of these in turn, and the first that knows it decides:

1. the attribute `str`, its structure: `refl` and `dem` are such pronouns, `pron`, `pers` and `poss` unless they are of
   the first or second person, `rel` if it is *kotoryj*; anything else, such as `noun`, is none;
2. the part of speech and features: only PRON and DET; demonstrative, reflexive or of the third person;
3. the lemma;
4. the form, by a list of Russian words.

Without the attribute, only a mention of one word can be a pronoun.

- S: the pronouns of the response with a link, those in a chain with something else;
- G: the pronouns of the key with an antecedent, defined alike, so that a key scores 1 against itself;
- M: the pronouns of S that match one of G and whose chain is a subset of that one's chain: every other mention of it
  matches one of the key's chain.

Precision is M / S, recall M / G. Which pronouns count is in `russian`, which mentions match in `lenient`.

What the paper leaves open:

- *Pairs and chains.* The campaign's data for this track have a chain of two for each pronoun, so an antecedent is in
  many chains. Chains of the key that share a mention are one here: "the antecedent established by a system should be a
  member of the corresponding coreference chain". In the response each chain is by itself: a pronoun that is in several
  is judged by those where something goes before it, since in the others it is an antecedent; all of them must be
  right. Whole chains work as well, with each pronoun judged. Where a document says that its track is anaphora, only
  the last pronoun of a chain is judged: of a pair of two pronouns the first is the antecedent.
- *An antecedent may follow*, as in "in his book Ivanov writes": a link counts in both directions.
- *Which response mention is a pronoun.* If it matches a key mention, it is what that one is; else it is judged by
  itself.
- *Secondary markables* (`markables`) are good antecedents: a pronoun linked to one of its chain is right. One outside
  of its chain is passed over, and a pronoun linked to nothing else is not in S. A pronoun that is secondary itself is
  neither in G nor in S.
- A pronoun of the key counts as found once, though several response mentions may match it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...document import Mention, Token
from ...document.disjoint_sets import Groups
from ..alignment import Alignment, Counts
from ..lenient import MarkedAlignment
from ..sides import Side
from .registry import Metric

STRUCTURE = "str"


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_KOTORYJ = _words(
    "который которая которое которые которого которой которому которую которым котором которых которыми которою"
)
_THIRD = _words("он она оно они его него ему нему им ним нем ее нее ей ней ею нею их них ими ними")
_REFLEXIVE = _words("себя себе собой собою свой своя свое свои своего своей своему свою своим своем своих своими своею")
_DEMONSTRATIVE = _words(
    "этот эта это эти этого этой этому эту этим этом этих этими этою "
    "тот та то те того той тому ту тем том тех теми тою "
    "такой такая такое такие такого такому такую таким таком таких такими такою"
)
FORMS = _THIRD | _REFLEXIVE | _DEMONSTRATIVE | _KOTORYJ
LEMMAS = _words("он она оно они его ее их себя свой этот это тот то такой который")
_FIRST_AND_SECOND = _words(
    "я меня мне мной мною мы нас нам нами ты тебя тебе тобой тобою вы вас вам вами "
    "мой моя мое мои моего моей моему мою моим моем моих моими моею "
    "твой твоя твое твои твоего твоей твоему твою твоим твоем твоих твоими твоею "
    "наш наша наше наши нашего нашей нашему нашу нашим нашем наших нашими нашею "
    "ваш ваша ваше ваши вашего вашей вашему вашу вашим вашем ваших вашими вашею"
)


def is_listed_pronoun(mention: Mention) -> bool:
    """Whether the anaphora track asks for the antecedent of such a mention."""
    words = [token for token in mention.tokens if not token.is_empty]
    said = mention.attributes.get(STRUCTURE, "").strip()
    if said:
        return any(_by_structure(one, words) for one in said.split(","))
    return len(words) == 1 and _by_word(words[0])


def _by_structure(structure: str, words: list[Token]) -> bool:
    if structure in ("refl", "dem"):
        return True
    if structure == "rel":
        return any(_is_kotoryj(word) for word in words)
    return structure in ("pron", "pers", "poss") and not any(_is_first_or_second(word) for word in words)


def _by_word(word: Token) -> bool:
    if word.upos not in ("_", "PRON", "DET"):
        return False
    features = word.features
    kinds = set(features.get("PronType", "").split(","))
    if "Dem" in kinds or features.get("Reflex") == "Yes":
        return True
    if "Person" in features:
        return features["Person"] == "3"
    if word.lemma != "_":
        return _plain(word.lemma) in LEMMAS
    return _plain(word.form) in FORMS


def _is_kotoryj(word: Token) -> bool:
    return _plain(word.form) in _KOTORYJ or _plain(word.lemma) == "который"


def _is_first_or_second(word: Token) -> bool:
    return word.features.get("Person") in ("1", "2") or _plain(word.form) in _FIRST_AND_SECOND


def _plain(word: str) -> str:
    return word.lower().replace("ё", "е")


def count(alignment: Alignment) -> Counts:
    """M of G, M of S."""
    track = _Track(alignment)
    wanted = {mention for mention, _ in track.judged(track.key)} - track.secondary
    found = right = 0
    chains: dict[int, list[list[int]]] = {}
    for mention, cluster in track.judged(track.response):
        chains.setdefault(mention, []).append(cluster)
    for mention, own in chains.items():
        links = track.links(mention, own)
        if links and track.meaning.get(mention) not in track.secondary:
            found += 1
            right += track.to_key.get(mention) in wanted and track.is_right(mention, links)
    return Counts((right, len(wanted), right, found))


class _Track:
    """Both sides as the anaphora track sees them: with secondary markables, chains of the key joined."""

    def __init__(self, alignment: Alignment) -> None:
        whole = alignment
        self.secondary: frozenset[int] = frozenset()
        self.meaning: dict[int, int] = {}
        if isinstance(alignment, MarkedAlignment) and alignment.whole is not None:
            whole, self.secondary, self.meaning = alignment.whole, alignment.secondary, alignment.meaning
        self.key, self.response = whole.key, whole.response
        self.to_key = {r: k for k in self.key.cluster_of if (r := whole.partner(k)) is not None}
        self.meaning = self.meaning or self.to_key
        self.chain_of = _joined(self.key.clusters)

    def judged(self, side: Side) -> Iterator[tuple[int, list[int]]]:
        """Pronouns with a chain that they are judged by."""
        chains = [side.table.in_order(cluster) for cluster in side.clusters if len(cluster) > 1]
        later = {mention for chain in chains for mention in chain[1:]}
        for chain in chains:
            pronouns = [mention for mention in chain if self._is_pronoun(mention, side)]
            if _is_pair(side, chain):
                pronouns = pronouns[-1:]
            for mention in pronouns:
                if mention != chain[0] or mention not in later:
                    yield mention, chain

    def _is_pronoun(self, mention: int, side: Side) -> bool:
        meant = self.meaning.get(mention) if side is self.response else mention
        if meant is None:
            return is_listed_pronoun(self.response.mentions[mention])
        return is_listed_pronoun(self.key.mentions[meant])

    def links(self, mention: int, chains: list[list[int]]) -> set[int]:
        """What a pronoun of the response is linked to, but for secondary markables outside of its chain."""
        entity = self._entity(mention)
        return {
            other
            for chain in chains
            for other in chain
            if other != mention and (self.meaning.get(other) not in self.secondary or self._entity(other) == entity)
        }

    def is_right(self, mention: int, links: set[int]) -> bool:
        """Whether all that a pronoun is linked to is in its chain, and not only the pronoun once more."""
        entity = self._entity(mention)
        return all(self._entity(other) == entity for other in links) and any(
            self.meaning[other] != self.meaning[mention] for other in links
        )

    def _entity(self, mention: int) -> int | None:
        """The key's chain that a response mention is in."""
        meant = self.meaning.get(mention)
        return None if meant is None else self.chain_of[meant]


def _is_pair(side: Side, chain: list[int]) -> bool:
    return side.spot(side.mentions[chain[-1]]).doc.meta.get("track") == "anaphora"


def _joined(clusters: list[list[int]]) -> dict[int, int]:
    """The chain of each mention, where clusters that share a mention are one chain."""
    groups: Groups[int] = Groups()
    first: dict[int, int] = {}
    for number, cluster in enumerate(clusters):
        for mention in cluster:
            groups.join(first.setdefault(mention, number), number)
    return {mention: groups.find(number) for mention, number in first.items()}


METRIC = Metric("anaphora", "anaphora of RU-EVAL", count, takes_repeated=True)
