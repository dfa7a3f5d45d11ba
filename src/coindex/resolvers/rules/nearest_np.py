"""Each pronoun to the nearest noun phrase or pronoun before it that agrees, as far as is known.

This is what tasks 1 (mentions given) and 3 (mentions found) of ARE 2007 ask for: pronouns with any antecedent. The
choices are ours:

- pronouns to resolve: with given mentions those that the input asks for, else all pronouns and zeros among them; with
  found ones the personal, possessive, reflexive and relative pronouns, and zeros, but no expletives that the tree
  marks (`noun_phrases`);
- nearest is what ends last before the pronoun begins, of two that end together the longer one (*the mother of Ann*
  before *Ann*); a phrase that holds the pronoun is not before it;
- agreement in person, number, gender and animacy is in `agreement`; pronouns may be antecedents, so *I* leads to the
  *I* before it, and chains arise; a pronoun has all traits of what it was resolved to, and gives it its own;
- an antecedent and what leads to it are one entity. A pronoun that nothing before agrees with stays alone: with found
  mentions it is left out.

The work is linear: phrases before a pronoun are kept by their traits, and only the last of each kind is looked at.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence

from ...document import Document, Mention
from ...document.disjoint_sets import Groups
from ...document.trees import Trees
from ..clusters import linked, with_clusters
from ..registry import Resolver, Step
from .agreement import Judge, Traits, agree, fill
from .noun_phrases import Phrase, assumed_language, found_phrases, given_phrases

Link = tuple[int, str]
"""The number of an antecedent, and what found it."""


def nearest(doc: Document, phrases: Sequence[Phrase]) -> Iterator[tuple[int, int]]:
    """The numbers of each anaphor and of the phrase that it is resolved to."""
    judge = Judge(doc, assumed_language(doc), Trees(doc))
    traits = [judge.traits(phrase.mention, phrase.head) for phrase in phrases]
    by_end = sorted(range(len(phrases)), key=lambda n: (phrases[n].mention.end, -phrases[n].mention.start))
    by_start = sorted((n for n, phrase in enumerate(phrases) if phrase.is_anaphor), key=lambda n: _start(phrases[n]))
    before: dict[Traits, list[tuple[int, int]]] = {}  # the places and numbers of the phrases with these traits
    passed = 0
    for anaphor in by_start:
        while passed < len(by_end) and phrases[by_end[passed]].mention.end <= _start(phrases[anaphor]):
            before.setdefault(traits[by_end[passed]], []).append((passed, by_end[passed]))
            passed += 1
        fitting = [(places[-1], known) for known, places in before.items() if agree(known, traits[anaphor])]
        if fitting:
            place, known = max(fitting, key=lambda pair: pair[0])
            antecedent = place[1]
            traits[anaphor] = traits[antecedent] = fill(traits[anaphor], known)
            if traits[antecedent] != known:
                before[known].pop()
                if not before[known]:
                    del before[known]
                insort(before.setdefault(traits[antecedent], []), place)
            yield anaphor, antecedent


def _start(phrase: Phrase) -> int:
    return phrase.mention.start


def build(doc: Document, phrases: Sequence[Phrase], links: dict[int, Link], *, name: str, given: bool) -> Document:
    """The document with chains of these links, each from a phrase to one before it with what made it.

    Given mentions all stay; of found ones only those that are linked. The first of a chain is the resolver's own.
    """
    groups = Groups(range(len(phrases)) if given else ())
    for anaphor, (antecedent, _) in links.items():
        groups.join(antecedent, anaphor)

    def made(number: int) -> Mention:
        return linked(phrases[number].mention, links[number][1] if number in links else name)

    return with_clusters(doc, ([made(number) for number in group] for group in groups))


def make(*, mentions: str) -> Step:
    def step(doc: Document) -> Document:
        given = mentions == "given"
        phrases = given_phrases(doc) if given else found_phrases(doc)
        links = {anaphor: (antecedent, "nearest-np") for anaphor, antecedent in nearest(doc, phrases)}
        return build(doc, phrases, links, name="nearest-np", given=given)

    return step


RESOLVER = Resolver(
    name="nearest-np",
    kind="rules",
    summary="each pronoun to the nearest noun phrase before it that agrees; raw English needs no parser",
    make=make,
    source="Orăsan et al. 2008 (ARE 2007), tasks 1 and 3",
)
