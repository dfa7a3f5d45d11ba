"""Check the structure, annotation and dependency trees of a document of any format.

An error breaks something that other code relies on, or is forbidden in CorefUD and needed by no format. A warning is
allowed, but is usually a mistake. Crossing mentions of different entities are fine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from itertools import pairwise
from typing import Literal

from ..errors import Problem, leave_codes, quote
from .documents import Document
from .edits import bridge_key
from .entities import Bridge, Entity, Mention, SplitAntecedent
from .tokens import Multiword, Token

__all__ = ["Finding", "Severity", "check"]

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of a document: what is wrong, what was expected, what to do, and where it is."""

    severity: Severity
    found: str
    expected: str
    remedy: str
    position: int | None = None
    sentence: int | None = None
    entity: str | None = None
    _: KW_ONLY
    code: str

    def __post_init__(self) -> None:
        leave_codes(self)

    @property
    def message(self) -> str:
        return self.problem().message

    def problem(self, path: str = "") -> Problem:
        """Return the finding as a problem of the file at a path."""
        return Problem(path, None, self.found, self.expected, self.remedy, self.severity, code=self.code)


def sentence_of(doc: Document, position: int) -> int | None:
    """Return the index of the sentence that contains a position, None if there is none."""
    if not 0 <= position < len(doc.tokens):
        return None
    index = doc.sentence_index(position)
    return index if index >= 0 else None


NOT_GIVEN = "_"
ROOT = "0"


def check_sentence(doc: Document, index: int) -> Iterator[Finding]:
    """Yield problems of the ids of a sentence; without any, those of its tree and its enhanced dependencies."""
    sentence = doc.sentences[index]
    tokens = sentence.tokens
    for offset, (token, expected) in enumerate(zip(tokens, _generate_ids(tokens), strict=True)):
        if token.id != expected:
            yield Finding(
                "error",
                f"token id {quote(token.id)}",
                expected,
                "number words 1, 2, … and empty nodes 1.1, 1.2, … after their word",
                position=sentence.start + offset,
                sentence=index,
                code="invalid-token-id",
            )
            return  # ids after it would be wrong too, and dependencies could not be followed
    for finding in (*_tree(tokens), *_check_enhanced(tokens)):
        yield replace(finding, position=sentence.start + (finding.position or 0), sentence=index)


def _generate_ids(tokens: tuple[Token, ...]) -> Iterator[str]:
    word = empty = 0
    for token in tokens:
        if token.is_empty:
            empty += 1
            yield f"{word}.{empty}"
        else:
            word += 1
            empty = 0
            yield str(word)


def _tree(tokens: tuple[Token, ...]) -> Iterator[Finding]:
    words = [(offset, token) for offset, token in enumerate(tokens) if not token.is_empty]
    if all(token.head == NOT_GIVEN for _, token in words):
        return
    known = {token.id for _, token in words} | {ROOT}
    is_whole = True
    for offset, token in words:
        if token.head == NOT_GIVEN:
            is_whole = False
            found = f"word {token.id} without HEAD"
            yield Finding(
                "warning", found, "one, as other words have", "add it", position=offset, code="missing-dependency-head"
            )
        elif token.head not in known:
            is_whole = False
            expected = f"0 to {len(words)}"
            found = f"HEAD {quote(token.head)}"
            yield Finding("error", found, expected, "correct it", position=offset, code="invalid-dependency-head")
    if is_whole:
        yield from _shape(words)


def _shape(words: list[tuple[int, Token]]) -> Iterator[Finding]:
    offsets = {token.id: offset for offset, token in words}
    cycle = _cycle({token.id: token.head for _, token in words})
    if cycle:
        found = f"words that depend on each other in a cycle, {quote(' → '.join(cycle))}"
        remedy, position = "correct one of their HEADs", offsets[cycle[0]]
        yield Finding("error", found, "a tree", remedy, position=position, code="dependency-cycle")
    roots = [token.id for _, token in words if token.head == ROOT]
    if len(roots) > 1:
        found = f"{len(roots)} roots, {quote(', '.join(roots))}"
        remedy, position = "let the others depend on it", offsets[roots[1]]
        yield Finding("warning", found, "one word with HEAD 0", remedy, position=position, code="several-roots")
    if not roots:
        remedy, position = "correct the HEAD of the main word", words[0][0]
        yield Finding("warning", "no root", "one word with HEAD 0", remedy, position=position, code="no-root")


def _cycle(parents: Mapping[str, str]) -> list[str]:
    """Return the first cycle of a sentence with its first word at both ends; empty if all paths lead to the root."""
    safe = {ROOT}
    for start in parents:
        path: dict[str, None] = {}
        at = start
        while at not in safe and at not in path:
            path[at] = None
            at = parents[at]
        if at in path:
            way = list(path)
            return [*way[way.index(at) :], at]
        safe.update(path)
    return []


def _check_enhanced(tokens: tuple[Token, ...]) -> Iterator[Finding]:
    known = {token.id for token in tokens} | {ROOT}
    for offset, token in enumerate(tokens):
        if token.deps == NOT_GIVEN:
            continue
        for arc in token.deps.split("|"):
            parent, colon, relation = arc.partition(":")
            expected = ""
            if not (parent and colon and relation):
                expected = "PARENT:RELATION, joined by |"
            elif parent not in known:
                expected = "a parent in the same sentence"
            elif parent == token.id:
                expected = "another parent than the word itself"
            if expected:
                found = f"DEPS {quote(arc)}"
                yield Finding("error", found, expected, "correct it", position=offset, code="invalid-deps")


def check(doc: Document) -> Iterator[Finding]:
    """Yield all errors and warnings about a document."""
    sentences = list(_sentences(doc))
    yield from sentences
    yield from _multiwords(doc)
    if not sentences:  # without valid sentences, the other checks mean nothing
        for index in range(len(doc.sentences)):
            yield from check_sentence(doc, index)
    yield from _entities(doc)
    yield from _same_spans(doc)
    yield from _bridges(doc)
    yield from _splits(doc)


def _sentences(doc: Document) -> Iterator[Finding]:
    at = 0
    for index, sentence in enumerate(doc.sentences):
        if sentence.layer is not doc.tokens:
            yield _foreign(f"sentence {index + 1}", index)
        if sentence.start != at or sentence.end <= sentence.start:
            yield Finding(
                "error",
                f"sentence {index + 1} from position {sentence.start} to {sentence.end}",
                f"one that begins at {at} and has tokens",
                "let each sentence begin where the one before it ends",
                sentence=index,
                code="invalid-sentence",
            )
        at = sentence.end
    if at != len(doc.tokens):
        yield Finding(
            "error",
            f"sentences that end at position {at}",
            f"{len(doc.tokens)}, the end of the tokens",
            "put every token into a sentence",
            code="invalid-sentence",
        )


def _foreign(what: str, sentence: int | None, entity: str | None = None) -> Finding:
    return Finding(
        "error",
        f"{what} points to the tokens of another document",
        "the tokens of this one",
        "create it with this document's tokens",
        sentence=sentence,
        entity=entity,
        code="foreign-tokens",
    )


def _multiwords(doc: Document) -> Iterator[Finding]:
    end = 0
    for multiword in doc.tokens.multiwords:
        if (wrong := _multiword_problem(doc, multiword, end)) is not None:
            yield Finding(
                "error",
                f"multiword token {quote(multiword.form)} from position {multiword.start} to {multiword.end} {wrong}",
                "two or more words of one sentence, after the multiword token before it",
                "correct its range, or remove it",
                position=multiword.start,
                sentence=sentence_of(doc, multiword.start),
                code="invalid-multiword-token",
            )
        end = max(end, multiword.end)


def _multiword_problem(doc: Document, multiword: Multiword, after: int) -> str | None:
    start, end = multiword.start, multiword.end
    if not 0 <= start < end <= len(doc.tokens):
        return "is outside the document or empty"
    if start < after:
        return "overlaps the one before it or comes too late"
    if doc.tokens[start].is_empty or doc.tokens[end - 1].is_empty:
        return "begins or ends with an empty node"
    if end - start < 2:
        return "has one word"
    return "crosses a sentence boundary" if sentence_of(doc, start) != sentence_of(doc, end - 1) else None


def _entities(doc: Document) -> Iterator[Finding]:
    for id, number in Counter(entity.id for entity in doc.entities).items():
        if number > 1:
            yield Finding(
                "error",
                f"{number} entities with the id {quote(id)}",
                "a unique id for each entity",
                "rename or merge them",
                entity=id,
                code="duplicate-entity-id",
            )
    for entity in doc.entities:
        if not entity.mentions:
            yield Finding(
                "error",
                "an entity has no mentions",
                "one or more",
                "remove the entity",
                entity=entity.id,
                code="empty-entity",
            )
        whole = []
        for mention in entity.mentions:
            findings = list(_mention(doc, entity, mention))
            yield from findings
            if not findings:
                whole.append(mention)
        yield from _borders(doc, entity, whole)
        yield from _crossings(doc, entity, whole)


def _mention(doc: Document, entity: Entity, mention: Mention) -> Iterator[Finding]:
    positions = mention.positions
    place = next(iter(positions), -1)
    sentence = sentence_of(doc, place)
    if mention.layer is not doc.tokens:
        yield _foreign(f"a mention of {quote(entity.id)}", sentence, entity.id)
    if not positions or positions[0] < 0 or max(positions) >= len(doc.tokens):
        yield Finding(
            "error",
            f"a mention at the positions {_show(mention)}",
            f"some, from 0 to {len(doc.tokens) - 1}",
            "remove the mention, or give it positions of the document",
            sentence=sentence,
            entity=entity.id,
            code="invalid-positions",
        )
    elif any(a >= b for a, b in pairwise(positions)):
        yield Finding(
            "error",
            f"a mention at the positions {_show(mention)}",
            "positions in ascending order, each once",
            "sort them",
            position=place,
            sentence=sentence,
            entity=entity.id,
            code="invalid-positions",
        )
    if positions and mention.head is not None and mention.head not in positions:
        yield Finding(
            "error",
            f"head {mention.head} of the mention at {_show(mention)}",
            "one of the mention's positions",
            "correct the head, or remove it and run: coindex heads",
            position=place if sentence is not None else None,
            sentence=sentence,
            entity=entity.id,
            code="invalid-head",
        )


def _borders(doc: Document, entity: Entity, mentions: list[Mention]) -> Iterator[Finding]:
    for mention in mentions:
        first = sentence_of(doc, mention.start)
        if len(mention) > 1 and first != sentence_of(doc, mention.end - 1):
            yield Finding(
                "warning",
                f"the mention {quote(mention.text)} of {quote(entity.id)} across a sentence boundary",
                "a mention inside one sentence",
                "shorten it, or join the sentences; corefud cannot represent it",
                position=mention.start,
                sentence=first,
                entity=entity.id,
                code="mention-over-sentences",
            )


def _crossings(doc: Document, entity: Entity, mentions: list[Mention]) -> Iterator[Finding]:
    """Yield problems of mentions of an entity that overlap without being nested, or are given twice."""
    open_ones: list[tuple[Mention, set[int]]] = []
    for mention in sorted(mentions, key=lambda mention: mention.start):
        positions = set(mention.positions)
        open_ones = [pair for pair in open_ones if pair[0].end > mention.start]
        for other, others in open_ones:
            if positions == others:
                severity: Severity = "error"
                code = "duplicate-mention"
                found = f"two mentions of {quote(entity.id)} at the same positions, {quote(mention.text)}"
                expected, remedy = "each mention once", "remove one of them"
            elif positions & others and not (positions < others or others < positions):
                severity = "warning"
                code = "crossing-mentions"
                found = f"mentions of {quote(entity.id)} that cross: {quote(other.text)}, {quote(mention.text)}"
                expected, remedy = (
                    "mentions of an entity that are disjoint or nested",
                    "correct their boundaries",
                )
            else:
                continue
            place = mention.start
            yield Finding(severity, found, expected, remedy, place, sentence_of(doc, place), entity.id, code=code)
        open_ones.append((mention, positions))


def _same_spans(doc: Document) -> Iterator[Finding]:
    first_of: dict[tuple[int, ...], str] = {}
    for entity in doc.entities:
        for mention in entity.mentions:
            other = first_of.setdefault(mention.positions, entity.id)
            if other != entity.id:
                start = next(iter(mention.positions), -1)
                yield Finding(
                    "warning",
                    f"{quote(other)} and {quote(entity.id)} both have a mention at {_show(mention)}",
                    "one entity per mention",
                    "remove one of them, or merge the two entities",
                    position=start,
                    sentence=sentence_of(doc, start),
                    entity=entity.id,
                    code="shared-mention",
                )


def _bridges(doc: Document) -> Iterator[Finding]:
    if not doc.bridges:
        return
    known = _mentions_by_address(doc)
    ids = {entity.id for entity in doc.entities}
    seen = set()
    for bridge in doc.bridges:
        what = f"a bridge from {quote(bridge.entity)} to {quote(bridge.antecedent)}"
        yield from _relation(doc, bridge, what, known)
        if bridge.antecedent not in ids:
            yield _bad(
                doc,
                bridge,
                f"{what}, which does not exist",
                "an entity",
                "correct its antecedent",
                code="unknown-entity",
            )
        if bridge.antecedent == bridge.entity:
            yield _bad(
                doc,
                bridge,
                what,
                "another entity as antecedent",
                "correct it, or remove the bridge",
                code="invalid-bridge",
            )
        if bridge_key(bridge) in seen:
            yield _bad(
                doc,
                bridge,
                f"{what}, given twice",
                "one per mention",
                "remove one of them",
                code="duplicate-bridge",
            )
        seen.add(bridge_key(bridge))


def _splits(doc: Document) -> Iterator[Finding]:
    if not doc.split_antecedents:
        return
    known = _mentions_by_address(doc)
    ids = {entity.id for entity in doc.entities}
    seen = set()
    for split in doc.split_antecedents:
        what = f"a split antecedent of {quote(split.entity)}: {quote(', '.join(split.antecedents))}"
        yield from _relation(doc, split, what, known)
        for unknown in sorted(set(split.antecedents) - ids):
            found = f"{what}, of which {quote(unknown)} does not exist"
            yield _bad(doc, split, found, "entities", "correct or remove the antecedent", code="unknown-entity")
        if split.entity in split.antecedents:
            yield _bad(
                doc,
                split,
                what,
                "other entities as antecedents",
                "remove the entity itself from them",
                code="invalid-split-antecedent",
            )
        if len(set(split.antecedents)) < max(2, len(split.antecedents)):
            yield _bad(
                doc,
                split,
                what,
                "two or more antecedents, each once",
                "correct them, or remove it",
                code="invalid-split-antecedent",
            )
        address = split.entity, split.anaphor.positions
        if address in seen:
            yield _bad(
                doc,
                split,
                f"{what}, the second one of its mention",
                "one per mention",
                "join the two",
                code="duplicate-split-antecedent",
            )
        seen.add(address)


def _mentions_by_address(doc: Document) -> dict[tuple[str, tuple[int, ...]], Mention]:
    return {(entity.id, mention.positions): mention for entity in doc.entities for mention in entity.mentions}


def _relation(
    doc: Document,
    relation: Bridge | SplitAntecedent,
    what: str,
    known: dict[tuple[str, tuple[int, ...]], Mention],
) -> Iterator[Finding]:
    if known.get((relation.entity, relation.anaphor.positions)) != relation.anaphor:
        yield _bad(
            doc,
            relation,
            f"{what} at {_show(relation.anaphor)}, which does not match a mention of {quote(relation.entity)}",
            "a mention of its entity",
            "change mentions with the functions of coindex.document.edits, which update relations",
            code="unknown-mention",
        )


def _bad(
    doc: Document, relation: Bridge | SplitAntecedent, found: str, expected: str, remedy: str, *, code: str
) -> Finding:
    start = next(iter(relation.anaphor.positions), -1)
    return Finding("error", found, expected, remedy, start, sentence_of(doc, start), relation.entity, code=code)


def _show(mention: Mention) -> str:
    return quote(", ".join(map(str, mention.positions)))[1:-1] or "(none)"
