"""Votes on bridges and split antecedents: kept where a majority has them between the entities that came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..document import Bridge, Document, Mention, SplitAntecedent
from ..document.edits import canonical
from .election import Ballot, elect

Owners = dict[tuple[int, ...], tuple[str, Mention]]
"""The entity of each mention that was kept, by its positions."""


def vote_relations(out: Sequence[Document], versions: Sequence[Sequence[Document]], majority: int) -> list[Document]:
    """The documents with the relations that so many annotators have; an entity of theirs is the one it is most in."""
    owners = [_owners(doc) for doc in out]
    found = []
    for number, doc in enumerate(out):
        theirs = [docs[number] for docs in versions]
        if any(each.bridges or each.split_antecedents for each in theirs):
            targets = [_targets(docs, number, owners) for docs in versions]
            bridges = _bridges(theirs, targets, owners[number], majority)
            splits = _splits(theirs, targets, owners[number], majority)
            doc = canonical(doc.replace(bridges=bridges, split_antecedents=splits))
        found.append(doc)
    return found


def _owners(doc: Document) -> Owners:
    return {mention.positions: (entity.id, mention) for mention, entity in doc.mentions()}


def _targets(docs: Sequence[Document], number: int, owners: Sequence[Owners]) -> dict[str, str]:
    """The entity that each of an annotator's entities has most mentions in; none where none of them was kept."""
    there = range(len(docs)) if docs[number].shared_ids else [number]
    shares: dict[str, Counter[str]] = {}
    for at in there:
        for entity in docs[at].entities:
            kept = (owners[at][mention.positions][0] for mention in entity.mentions if mention.positions in owners[at])
            shares.setdefault(entity.id, Counter()).update(kept)
    return {id: share.most_common(1)[0][0] for id, share in shares.items() if share}


def _bridges(
    docs: Sequence[Document], targets: Sequence[dict[str, str]], owners: Owners, majority: int
) -> tuple[Bridge, ...]:
    said: dict[tuple[tuple[int, ...], str], dict[int, str | None]] = {}
    for annotator, doc in enumerate(docs):
        for bridge in doc.bridges:
            anaphor, antecedent = bridge.anaphor.positions, targets[annotator].get(bridge.antecedent)
            if anaphor in owners and antecedent is not None and owners[anaphor][0] != antecedent:
                said.setdefault((anaphor, antecedent), {}).setdefault(annotator, bridge.relation)
    return tuple(
        Bridge(owners[anaphor][1], owners[anaphor][0], antecedent, elect([Ballot(r, 0) for r in by.values()], None))
        for (anaphor, antecedent), by in said.items()
        if len(by) >= majority
    )


def _splits(
    docs: Sequence[Document], targets: Sequence[dict[str, str]], owners: Owners, majority: int
) -> tuple[SplitAntecedent, ...]:
    said: dict[tuple[tuple[int, ...], frozenset[str]], list[tuple[str, ...]]] = {}
    for annotator, doc in enumerate(docs):
        for split in doc.split_antecedents:
            found = [targets[annotator].get(id) for id in split.antecedents]
            members = tuple(dict.fromkeys(id for id in found if id is not None))
            anaphor = split.anaphor.positions
            if anaphor in owners and None not in found and len(members) > 1 and owners[anaphor][0] not in members:
                said.setdefault((anaphor, frozenset(members)), []).append(members)
    return tuple(
        SplitAntecedent(owners[anaphor][1], owners[anaphor][0], members[0])
        for (anaphor, _), members in said.items()
        if len(members) >= majority
    )
