"""What udapi, the reference implementation of CorefUD, reads from our files and from the corpora, against what we read.

udapi is under the GPL: it is a peer to compare with in tests and benchmarks, never a part of the package.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import coindex
from coindex.document import Document, Entity, Token, Tokens, edits, mention_order
from coindex.document.heads import find_heads, reduce_to_heads
from coindex.errors import DataWarning, EditError, LossWarning
from corefud_text import CORPORA

udapi = pytest.importorskip("udapi.core.document")

Address = tuple[int, int]
"""A word: the number of its sentence in the file, and its place among words and empty nodes there."""
View = dict[str, Counter[Any]]
WHAT = ("entities", "heads", "types", "bridges", "splits")


def as_udapi_reads(path: Path) -> View:
    """Mentions with their entities, heads and types; bridging; split antecedents: by addresses of words."""
    doc = udapi.Document()
    doc.from_conllu_string(path.read_text(encoding="utf-8"))  # it leaves files open that it opens itself
    where: dict[Any, Address] = {}
    document_of = []
    number = 0
    for index, tree in enumerate(doc.trees):
        number += bool(tree.newdoc)
        document_of.append(number)
        for place, node in enumerate(tree.descendants_and_empty):
            where[node] = index, place
    has_heads = "head" in (doc.meta.get("global.Entity") or "")
    view = {what: Counter[Any]() for what in WHAT}
    # an id may be that of an entity of several documents, which are entities of their own here
    names = {}
    for entity in doc.coref_entities:
        for mention in entity.mentions:
            span = tuple(where[word] for word in mention.words)
            names.setdefault((entity.eid, document_of[span[0][0]]), []).append(span)
    types = {entity.eid: entity.etype or "" for entity in doc.coref_entities}
    for (eid, _), spans in names.items():
        view["entities"][tuple(sorted(spans))] += 1
        view["types"][min(spans), types[eid]] += 1
    for entity in doc.coref_entities:
        for mention in entity.mentions:
            span = tuple(where[word] for word in mention.words)
            number = document_of[span[0][0]]
            if has_heads:
                view["heads"][span, where[mention.head]] += 1
            for link in mention.bridging:
                view["bridges"][span, min(names[link.target.eid, number]), link.relation or ""] += 1
        if entity.split_ante:
            members = tuple(sorted(min(names[member.eid, number]) for member in entity.split_ante))
            view["splits"][min(names[entity.eid, number]), members] += 1
    return view


def as_we_have(docs: Iterable[Document], *, heads: bool = True) -> View:
    """The same of our documents."""
    view = {what: Counter[Any]() for what in WHAT}
    first = 0
    for doc in docs:
        where = {p: (first + i, p - s.start) for i, s in enumerate(doc.sentences) for p in range(s.start, s.end)}
        names = {}
        for entity in doc.entities:
            spans = [tuple(where[position] for position in mention.positions) for mention in entity.mentions]
            names[entity.id] = min(spans)
            view["entities"][tuple(sorted(spans))] += 1
            view["types"][min(spans), entity.type or ""] += 1
            for mention, span in zip(entity.mentions, spans, strict=True):
                if heads:
                    view["heads"][span, None if mention.head is None else where[mention.head]] += 1
        for bridge in doc.bridges:
            span = tuple(where[position] for position in bridge.anaphor.positions)
            view["bridges"][span, names[bridge.antecedent], bridge.relation or ""] += 1
        splits: dict[str, list[Any]] = {}
        for split in doc.split_antecedents:  # of a mention here, of its entity in udapi
            splits.setdefault(split.entity, []).extend(names[member] for member in split.antecedents)
        for id, members in splits.items():
            view["splits"][names[id], tuple(sorted(members))] += 1
        first += len(doc.sentences)
    return view


def assert_same(ours: View, theirs: View) -> None:
    # where no head is said, udapi takes some word
    unsaid = {span for view in (ours, theirs) for span, head in view["heads"] if head is None}
    ours, theirs = ({**view, "heads": _without(view["heads"], unsaid)} for view in (ours, theirs))
    for what in WHAT:
        assert (dict(ours[what] - theirs[what]), dict(theirs[what] - ours[what])) == ({}, {}), what
    assert sum(theirs["entities"].values()) > 0


def _without(heads: Counter[Any], spans: set[Any]) -> Counter[Any]:
    return Counter({key: number for key, number in heads.items() if key[0] not in spans})


@pytest.mark.parametrize("name", CORPORA)
def test_we_read_what_udapi_reads(name: str, shared_data: Path) -> None:
    path = shared_data / name
    docs = list(coindex.read(path))
    theirs = as_udapi_reads(path)
    assert_same(as_we_have(docs, heads=bool(theirs["heads"])), theirs)


# Counted with udapi: entities, mentions with a head, bridging links, entities with split antecedents.
SIZES = {
    "cs_faust/cs_pdtc-ud-train-ft.conllu": (1281, 3072, 52, 0),
    "en_gum/en_gum-corefud-dev.conllu": (3940, 7897, 232, 15),
    "es_ancora/es_ancora-dev.conllu": (2043, 7161, 0, 42),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name: str, shared_data: Path) -> None:
    view = as_we_have(coindex.read(shared_data / name))
    assert tuple(sum(view[what].values()) for what in ("entities", "heads", "bridges", "splits")) == SIZES[name]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    "name",
    [
        "en_gum/en_gum-dev.conllu",
        "en_gum/en_gum-corefud-dev.conllu",
        "es_ancora/es_ancora-dev.conllu",
        "cs_faust/cs_pdtc-ud-train-ft.conllu",
        "en_parcorfull/en_parcorfull-train.conllu",
    ],
)
def test_a_changed_corpus_is_read_the_same(name: str, seed: int, shared_data: Path, tmp_path: Path) -> None:
    dice = random.Random(f"{name} {seed}")
    docs = list(coindex.read(shared_data / name))
    has_heads = any(mention.head is not None for mention, _ in docs[0].mentions())
    made = Counter[str]()
    for _ in range(60):
        at = dice.choice([i for i, doc in enumerate(docs) if len(doc.entities) > 2])
        way = dice.choice(WAYS if has_heads else [way for way in WAYS if way is not _set_head])
        try:
            edited = way(docs[at], dice)
        except EditError:
            continue
        if edited is not None:
            docs[at] = edited
            made[way.__name__] += 1
    assert sum(made.values()) > 30, made
    path = tmp_path / "changed.conllu"
    coindex.write(docs, path)
    assert_same(as_we_have(docs, heads=has_heads), as_udapi_reads(path))
    assert_same(as_we_have(coindex.read(path), heads=has_heads), as_we_have(docs, heads=has_heads))


Dice = random.Random


def _add(doc: Document, dice: Dice) -> Document | None:
    span = _span(doc, dice)
    return edits.add_mention(doc, span, attributes={"note": "a-b|c=d, (e) 5%: f"} if dice.random() < 0.2 else None)


def _add_to(doc: Document, dice: Dice) -> Document | None:
    entity, span = dice.choice(doc.entities), _span(doc, dice)
    return None if _overlaps(doc, entity.id, span) else edits.add_mention(doc, span, entity=entity.id)


def _remove(doc: Document, dice: Dice) -> Document:
    mention, entity = dice.choice(doc.mentions())
    return edits.remove_mention(doc, entity.id, mention.positions)


def _resize(doc: Document, dice: Dice) -> Document | None:
    mention, entity = dice.choice(doc.mentions())
    span = _span(doc, dice)
    smaller = edits.remove_mention(doc, entity.id, mention.positions)
    if len(entity) > 1 and _overlaps(smaller, entity.id, span):
        return None
    return edits.resize_mention(doc, entity.id, mention.positions, span)


def _set_head(doc: Document, dice: Dice) -> Document:
    mention, entity = dice.choice(doc.mentions())
    return edits.set_head(doc, entity.id, mention.positions, dice.choice(mention.positions))


def _link(doc: Document, dice: Dice) -> Document | None:
    (mention, entity), target = dice.choice(doc.mentions()), dice.choice(doc.entities)
    if _overlaps(doc, target.id, mention.positions):
        return None
    return edits.link(doc, entity.id, mention.positions, target.id)


def _merge(doc: Document, dice: Dice) -> Document | None:
    one, other = dice.choice(doc.entities), dice.choice(doc.entities)
    if any(_overlaps(doc, one.id, mention.positions) for mention in other.mentions):
        return None
    merged = edits.merge(doc, one.id, other.id)
    # what has its own type on a mention would be another type for udapi, which takes the first it meets
    return merged if one.type == other.type else None


def _unlink(doc: Document, dice: Dice) -> Document:
    mention, entity = dice.choice(doc.mentions())
    return edits.unlink(doc, entity.id, mention.positions)


def _rename(doc: Document, dice: Dice) -> Document:
    return edits.rename_entity(doc, dice.choice(doc.entities).id, f"new{dice.randrange(10**9)}")


def _set_type(doc: Document, dice: Dice) -> Document:
    return edits.set_entity(doc, dice.choice(doc.entities).id, type=dice.choice(["person", "plant"]))


def _bridge(doc: Document, dice: Dice) -> Document | None:
    (mention, entity), other = dice.choice(doc.mentions()), dice.choice(doc.entities)
    if sum(m.start == mention.start for m in entity.mentions) > 1:  # which of them is not said in the file
        return None
    return edits.add_bridge(doc, entity.id, mention.positions, other.id, relation=dice.choice([None, "part"]))


def _split_antecedent(doc: Document, dice: Dice) -> Document | None:
    mention, entity = dice.choice(doc.mentions())
    members = [other.id for other in dice.sample(doc.entities, 2)]
    if any(split.entity == entity.id for split in doc.split_antecedents) or entity.mentions[0] is not mention:
        return None
    return edits.set_split_antecedent(doc, entity.id, mention.positions, members)


WAYS: list[Callable[[Document, Dice], Document | None]] = [
    _add,
    _add_to,
    _remove,
    _resize,
    _set_head,
    _link,
    _merge,
    _unlink,
    _rename,
    _set_type,
    _bridge,
    _split_antecedent,
]


def _span(doc: Document, dice: Dice) -> tuple[int, ...]:
    sentence = dice.choice(doc.sentences)
    start = dice.randrange(sentence.start, sentence.end)
    return tuple(range(start, min(sentence.end, start + dice.randint(1, 6))))


def _overlaps(doc: Document, entity: str, positions: Iterable[int]) -> bool:
    """Whether a mention of the entity has any of these, or has them in a gap: udapi may not tell the two apart."""
    wanted = sorted(positions)
    hulls = ((mention.start, mention.end) for mention in doc.entity(entity).mentions)
    return any(start <= wanted[-1] and wanted[0] < end for start, end in hulls)


def test_fields_that_one_document_needs_are_given_to_all(shared_data: Path, tmp_path: Path) -> None:
    """GUM's own header has no head, and udapi knows only one header in a file."""
    docs = list(coindex.read(shared_data / "en_gum/en_gum-dev.conllu"))
    mention, entity = next((m, e) for m, e in docs[7].mentions() if len(m) > 3)
    docs[7] = edits.set_head(docs[7], entity.id, mention.positions, mention.positions[2])
    path = tmp_path / "changed.conllu"
    coindex.write(docs, path)
    headers = {line for line in path.read_text(encoding="utf-8").split("\n") if line.startswith("# global.Entity")}
    assert headers == {"# global.Entity = GRP-etype-head-infstat-salience-centering-minspan-link-identity"}
    assert_same(as_we_have(docs), as_udapi_reads(path))
    assert [doc.entities for doc in coindex.read(path)] == [doc.entities for doc in docs]
    assert [entry.name for entry in tmp_path.iterdir()] == ["changed.conllu"]


@pytest.mark.parametrize("name", ["en_gum/en_gum-dev.conllu", "cs_faust/cs_pdtc-ud-train-ft.conllu"])
def test_found_heads_are_read(name: str, shared_data: Path, tmp_path: Path) -> None:
    docs = [find_heads(doc, overwrite=True) for doc in coindex.read(shared_data / name)]
    path = tmp_path / "heads.conllu"
    coindex.write(docs, path)
    assert_same(as_we_have(docs), as_udapi_reads(path))


@pytest.mark.parametrize("how", ["merge", "smaller"])
def test_reduced_spans_are_read(how: Any, shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "en_gum/en_gum-corefud-dev.conllu"
    docs = [reduce_to_heads(doc, how) for doc in coindex.read(source)]
    path = tmp_path / "reduced.conllu"
    coindex.write(docs, path)
    assert_same(as_we_have(docs), as_udapi_reads(path))


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("en_litbank/dev", ""),
        ("fr_democrat/dem1921_sg.dev.conll", ""),
        ("fr_democrat/dem1921_sg_cut2000.dev.jsonlines", ""),
        ("nl_openboek", ""),
        (
            "de_gerdracor_parallel/conll/Emilia-IV_Act1.part.xml.rksp.0.CoNLL2012.conll",
            "1 mentions that cross a sentence boundary",
        ),
        ("en_litbank/brat", "2 mentions that cross a sentence boundary"),
        ("de_potsdam_mmax/coreference", "9 mentions that cross a sentence boundary"),
        ("hu_korkor/dev", ""),
        ("en_ecbplus/ECB+/1", "entities with attributes"),
    ],
)
def test_other_formats_become_corefud(name: str, lost: str, shared_data: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.conllu"
    docs = _read(shared_data / name)
    with pytest.warns(LossWarning, match=lost) if lost else nullcontext():
        coindex.write(docs, path)
    docs = [_in_sentences(doc) for doc in docs]
    assert_same(as_we_have(docs), as_udapi_reads(path))
    assert_same(as_we_have(coindex.read(path)), as_we_have(docs))


def _in_sentences(doc: Document) -> Document:
    """Mentions that go over a border cut to the sentence of their head, else to their first, as the format needs."""
    entities = []
    for entity in doc.entities:
        mentions = []
        for mention in entity.mentions:
            sentence = doc.sentence_at(mention.start if mention.head is None else mention.head)
            inside = [p for p in mention.positions if sentence.start <= p < sentence.end]
            mentions.append(doc.mention(inside, head=mention.head))
        entities.append(replace(entity, mentions=tuple(mentions)))
    return doc.replace(entities=tuple(entities))


def _read(path: Path) -> list[Document]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # tested where the formats are
        return list(coindex.read(path))


def _document(*spans: Iterable[int], words: int = 9) -> Document:
    """A sentence with an entity that has these mentions, each with a head."""
    doc = Document.from_sentences(Tokens(Token(str(n + 1), f"w{n}") for n in range(words)), [words], id="d")
    mentions = sorted((doc.mention(span, head=max(span)) for span in spans), key=mention_order)
    return doc.replace(entities=(Entity("e1", tuple(mentions), "person"),))


@pytest.mark.parametrize(
    "spans",
    [
        [range(3), range(2, 5)],
        [range(6), range(1, 8), range(2, 4)],
        [range(3), range(1, 2), range(2, 5)],
        [(0, 2, 3), (5,)],
        [(0, 4), (6, 7)],
        [range(2), (0, 1, 3)],
        [(0, 1, 3, 5, 6, 8)],
    ],
)
def test_crossing_and_discontinuous_mentions_of_one_entity(spans: list[Iterable[int]], tmp_path: Path) -> None:
    doc = _document(*spans)
    path = tmp_path / "crossing.conllu"
    coindex.write(doc, path)
    assert_same(as_we_have([doc]), as_udapi_reads(path))
    assert_same(as_we_have(coindex.read(path)), as_we_have([doc]))


def test_a_discontinuous_mention_without_a_head(tmp_path: Path) -> None:
    doc = _document((0, 2))
    doc = doc.replace(entities=(Entity("e1", (doc.mention((0, 2)),)),))
    path = tmp_path / "torn.conllu"
    coindex.write(doc, path)
    assert as_udapi_reads(path)["entities"] == as_we_have([doc])["entities"]
    assert [m.head for read in coindex.read(path) for m, _ in read.mentions()] == [None]
