"""Random edits of a given document, most of which fit it: `from edit_strategies import edits_of`."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from coindex.document import Document, Entity, Mention
from coindex.document.edit_log import Edit
from strategies import NAMES, RELATIONS, TYPES, VALUES

ATTRIBUTES = st.dictionaries(NAMES, VALUES, max_size=2)
NEW_IDS = st.none() | st.sampled_from(["new", "e1", "e2", "e9"])


@st.composite
def edits_of(draw: DrawFn, doc: Document) -> Edit:
    """One edit; it may be refused, as when an id is taken or a span is there already."""
    ways: list[Callable[[DrawFn, Document], Edit]] = [_add, _insert_zero]
    if doc.tokens.empty_positions:
        ways.append(_remove_zero)
    if doc.entities:
        ways += [_of_mention] * 6 + [_of_entity] * 3
    if doc.bridges or doc.split_antecedents:
        ways += [_remove_relation] * 2
    return draw(st.sampled_from(ways))(draw, doc)


def _positions(draw: DrawFn, doc: Document) -> list[int]:
    """Positions of one sentence, since mentions over a border are not what annotators make."""
    sentence = draw(st.sampled_from(doc.sentences))
    return sorted(draw(st.sets(st.integers(sentence.start, sentence.end - 1), min_size=1, max_size=4)))


def _add(draw: DrawFn, doc: Document) -> Edit:
    positions = _positions(draw, doc)
    arguments: dict[str, object] = {"positions": positions, "attributes": draw(ATTRIBUTES)}
    if draw(st.booleans()):
        arguments["entity"] = draw(st.sampled_from([entity.id for entity in doc.entities] + ["new"]))
    if draw(st.booleans()):
        arguments["head"] = draw(st.sampled_from(positions))
    return Edit("add_mention", arguments)


def _insert_zero(draw: DrawFn, doc: Document) -> Edit:
    side = draw(st.sampled_from(["after", "before"]))
    place = {side: draw(st.integers(0, len(doc.tokens) - 1))}
    return Edit("insert_zero", {**place, "form": draw(st.sampled_from(["_", "он"])), "upos": "PRON"})


def _remove_zero(draw: DrawFn, doc: Document) -> Edit:
    return Edit("remove_zero", {"position": draw(st.sampled_from(sorted(doc.tokens.empty_positions)))})


def _of_mention(draw: DrawFn, doc: Document) -> Edit:
    mention, entity = draw(st.sampled_from(doc.mentions()))
    others = [other.id for other in doc.entities if other is not entity]
    name = draw(
        st.sampled_from(
            ["remove_mention", "resize_mention", "set_head", "set_attributes"]
            + ["unlink"] * len(entity)
            + ["link", "link", "add_bridge"] * bool(others)
            + ["set_split_antecedent"] * (len(others) > 1)
        )
    )
    return Edit(name, {**_address(mention, entity), **_rest(draw, doc, name, mention, others)})


def _address(mention: Mention, entity: Entity) -> dict[str, object]:
    return {"entity": entity.id, "positions": mention.positions}


def _rest(draw: DrawFn, doc: Document, name: str, mention: Mention, others: list[str]) -> dict[str, object]:
    if name == "resize_mention":
        return {"new_positions": _positions(draw, doc)}
    strategies = {
        "set_head": {"head": st.none() | st.sampled_from(mention.positions)},
        "set_attributes": {"attributes": ATTRIBUTES},
        "unlink": {"new_id": NEW_IDS},
        "link": {"to": st.sampled_from(others)},
        "add_bridge": {"antecedent": st.sampled_from(others), "relation": RELATIONS},
        "set_split_antecedent": {"antecedents": st.lists(st.sampled_from(others), min_size=2, max_size=3)},
    }
    return {argument: draw(strategy) for argument, strategy in strategies.get(name, {}).items()}


def _of_entity(draw: DrawFn, doc: Document) -> Edit:
    entity = draw(st.sampled_from(doc.entities))
    names = ["set_entity", "rename_entity"] + ["merge"] * 2 * (len(doc.entities) > 1) + ["split"] * len(entity)
    name = draw(st.sampled_from(names))
    if name == "merge":
        other = draw(st.sampled_from([other for other in doc.entities if other is not entity]))
        return Edit(name, {"into": entity.id, "other": other.id})
    if name == "split":
        moved = draw(st.lists(st.sampled_from(entity.mentions), min_size=1, max_size=3))
        mentions = [mention.positions for mention in moved]
        return Edit(name, {"entity": entity.id, "mentions": mentions, "new_id": draw(NEW_IDS)})
    if name == "rename_entity":
        return Edit(name, {"entity": entity.id, "new_id": draw(st.sampled_from(["new", "e1", "a", "z"]))})
    fields = {
        "type": draw(st.none() | TYPES),
        "kind": draw(st.sampled_from(["entity", "event"])),
        "attributes": draw(ATTRIBUTES),
    }
    chosen = draw(st.sets(st.sampled_from(sorted(fields))))
    return Edit(name, {"entity": entity.id, **{field: fields[field] for field in sorted(chosen)}})


def _remove_relation(draw: DrawFn, doc: Document) -> Edit:
    relation = draw(st.sampled_from([*doc.bridges, *doc.split_antecedents]))
    address = {"entity": relation.entity, "positions": relation.anaphor.positions}
    if relation in doc.bridges:
        return Edit("remove_bridge", {**address, "antecedent": relation.antecedent})
    return Edit("remove_split_antecedent", address)
