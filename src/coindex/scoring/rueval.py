"""RU-EVAL 2014, the anaphora track (section 4.1): which pronouns are linked to nothing but their own entity.

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

from ..document.disjoint_sets import Groups
from .alignment import Alignment
from .counts import Counts
from .markables import MarkedAlignment
from .metric import Metric
from .russian import is_listed_pronoun
from .sides import Side


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
