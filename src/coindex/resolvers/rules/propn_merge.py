"""Merge all proper nouns with the same lemma, as the CRAC 2022 system *berulasek* did after another resolver.

First, every mention is reduced to its head, and entities that then share a word are merged. Second, all words with
UPOS=PROPN and the same lemma are put into one entity: the entities that contain such words are merged, and the words
outside of entities are added. The paper applied the second step only to cs, de, es, fr and hu, where it improved the
scores on development data.

The paper does not specify some details. Here:

- Every word tagged PROPN counts, including each word of a multiword name, following "all proper nouns" in the paper.
- Lemmas are compared case-sensitively; a missing lemma is replaced by the form.
- A lemma that occurs only once and is in no entity does not become an entity.
- If the language of a document is unknown and cannot be identified from its words, only the first step is applied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...document import Document, Entity, Mention
from ...document.disjoint_sets import Groups
from ...document.entities import mention_order
from ...document.heads import find_heads, reduce_to_heads
from ...errors import CoindexError, quote
from ...formats.registry import Option
from ..clusters import add_provenance, free_ids
from ..linguistics.languages import language_of
from ..resolver import Resolver, Step

LANGUAGES = "cs+de+es+fr+hu"
NAME = "propn-merge"


def make(*, languages: str = LANGUAGES) -> Step:
    """Return the step; `languages` are codes joined by +, all, or none."""
    chosen = parse_languages(languages)

    def step(doc: Document) -> Document:
        doc = reduce_to_heads(find_heads(doc), "merge")
        return merge_names(doc) if applies(doc, chosen) else doc

    return step


def parse_languages(text: str) -> frozenset[str]:
    """Parse language codes such as "cs+de"; "all" and "none" cannot be combined with others."""
    codes = frozenset(code.strip().lower() for code in text.replace(" ", "+").split("+") if code.strip())
    for code in codes:
        is_word = code in ("all", "none")
        if (is_word and len(codes) > 1) or not (is_word or (len(code) in (2, 3) and code.isalpha())):
            raise CoindexError(
                f"{NAME}: invalid languages {quote(text)}; expected language codes joined by +, all, or none, "
                f"for example {NAME}(languages={LANGUAGES})",
                code="invalid-option",
            )
    return codes


def applies(doc: Document, languages: frozenset[str]) -> bool:
    """Return whether names are merged in the language of the document."""
    return languages == {"all"} or (languages != {"none"} and language_of(doc).code in languages)


def merge_names(doc: Document) -> Document:
    """Return the document with all proper nouns of the same lemma in one entity; other entities are unchanged."""
    owner = {m.positions[0]: n for n, entity in enumerate(doc.entities) for m in entity.mentions if len(m) == 1}
    groups: Groups[int] = Groups(range(len(doc.entities)))
    added: dict[int, list[int]] = {}
    for positions in _names(doc).values():
        numbers = [owner[position] for position in positions if position in owner]
        if not numbers and len(positions) < 2:
            continue
        target = numbers[0] if numbers else -1 - positions[0]  # a new entity
        groups.find(target)
        for number in numbers[1:]:
            groups.join(target, number)
        added[target] = added.get(target, []) + [position for position in positions if position not in owner]
    return _rebuild(doc, groups, added)


def _names(doc: Document) -> dict[str, list[int]]:
    names: dict[str, list[int]] = {}
    for position, token in enumerate(doc.tokens):
        if token.upos == "PROPN" and not token.is_empty:
            names.setdefault(token.form if token.lemma == "_" else token.lemma, []).append(position)
    return names


def _rebuild(doc: Document, groups: Groups[int], added: dict[int, list[int]]) -> Document:
    """Return the document with the merged entities and without relations, whose entities may have changed."""
    free = free_ids(doc)
    entities = []
    for group in groups:
        old = [doc.entities[number] for number in sorted(group) if number >= 0]
        new = [position for number in group for position in added.get(number, ())]
        if len(old) == 1 and not new:
            entities.append(old[0])
            continue
        mentions = tuple(sorted(_mentions(doc, old, new), key=mention_order))
        entities.append(replace(old[0], mentions=mentions) if old else Entity(next(free), mentions))
    entities.sort(key=lambda entity: (mention_order(entity.mentions[0]), entity.id))
    return doc.replace(entities=tuple(entities), bridges=(), split_antecedents=())


def _mentions(doc: Document, old: list[Entity], new: list[int]) -> Iterator[Mention]:
    for number, entity in enumerate(old):
        for mention in entity.mentions:
            yield add_provenance(mention, NAME) if number else mention
    for position in new:
        yield add_provenance(doc.mention([position], head=position), NAME)


RESOLVER = Resolver(
    name=NAME,
    kind="step",
    summary="reduces spans to heads, then merges all proper nouns with the same lemma into one entity",
    make=make,
    needs=("tags",),
    source="berulasek in Žabokrtský et al. 2022 (CRAC 2022), section 4.2",
    options=(
        Option(
            "languages",
            (),
            f"languages in which names are merged: codes joined by +, all, or none (default: {LANGUAGES})",
        ),
    ),
)
