"""Suggestions of a resolver, off by default.

Suggestions are stored in a separate layer and never change the annotation themselves: each is accepted or rejected, and
an accepted mention keeps the name and score of the resolver as attributes. With `blind_first` they are available only
for a finished layer and go to a second layer that starts as its copy, so the first pass does not change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..document import Document, Entity
from ..document.edit_log import Edit
from ..document.edits import fresh_id
from ..document.entities import BY
from ..errors import CoindexError
from ..resolvers.chain import load_chain
from ..resolvers.defaults import choose
from ..server import models
from ..server.accounts import clean_name
from ..server.models import Project
from ..server.uploads import quiet
from . import projects
from .layers import AnnotationStore, Appended, Conflict, Operation
from .models import Layer
from .projects import Origin, Source, add_derived

SETTING = "suggestions"
AUTO = "auto"
"""Choose the resolver by the language and columns of each document."""
CLIENT = "suggestion"


@dataclass(frozen=True, slots=True)
class SuggestionRules:
    """The settings of a project for suggestions; without a resolver they are off."""

    resolver: str | None = None
    blind_first: bool = True

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> SuggestionRules:
        stored = settings.get(SETTING) or {}
        return cls(stored.get("resolver"), stored.get("blind_first", True))


def set_rules(store: AnnotationStore, project: int, rules: SuggestionRules, *, user: int) -> None:
    """Turn suggestions on or off for a project."""
    if rules.resolver not in (None, AUTO):
        load_chain(clean_name(rules.resolver, "resolver"))
    with store.write() as session:
        row = session.get_one(Project, project)
        values = {"resolver": rules.resolver, "blind_first": rules.blind_first}
        row.settings = {**row.settings, SETTING: values}
        models.record(session, "suggestions", user=user, project=project, **values)


def suggest(doc: Document, resolver: str) -> Document:
    """Return the document with only the entities of the resolver; every mention records its source."""
    bare = doc.replace(entities=(), bridges=(), split_antecedents=())
    language = None
    if resolver == AUTO:
        resolver, language = choose(bare)
    resolved = load_chain(resolver, language=language, keep_words=True)(bare)
    if resolved.tokens.forms != bare.tokens.forms:
        raise CoindexError(
            f"{resolver} changes the words of the text; choose another resolver for suggestions", code="invalid-input"
        )
    return bare.replace(entities=tuple(_label_entity(entity, resolver, bare) for entity in resolved.entities))


def _label_entity(entity: Entity, resolver: str, doc: Document) -> Entity:
    mentions = (
        replace(mention, layer=doc.tokens, attributes={BY: resolver, **mention.attributes})
        for mention in entity.mentions
    )
    return Entity(entity.id, tuple(mentions), entity.type, entity.kind, entity.attributes)


def ask(store: AnnotationStore, project: Project, layer: Layer, *, user: int) -> int:
    """Create suggestions for a layer; return the layer to accept them in, a second one after a blind first pass."""
    rules = SuggestionRules.of(project.settings)
    if rules.resolver is None:
        raise CoindexError("suggestions are turned off in this project; a manager can turn them on", code="wrong-state")
    if layer.kind != "annotation":
        raise CoindexError("this layer is not an annotation; suggestions are only for annotations", code="wrong-state")
    target = layer.id
    if rules.blind_first and not _is_second_pass(layer):
        if not layer.is_closed:
            raise CoindexError(
                "suggestions are available after your first pass; submit your own annotation first", code="wrong-state"
            )
        target = _second_pass(store, layer, user=user, project=project.id)
    elif layer.is_closed:
        raise CoindexError(f"{layer.name!r} is finished; reopen it to make changes", code="wrong-state")
    if suggestion_layer(store, target) is None:
        _make(store, target, rules.resolver, user=user, project=project.id)
    return target


def _is_second_pass(layer: Layer) -> bool:
    origin = Origin.of(layer)
    return origin is not None and origin.method == "second pass"


def _second_pass(store: AnnotationStore, layer: Layer, *, user: int, project: int) -> int:
    """Return the second-pass layer of a finished layer; create it once for each revision."""
    source = Source(layer.id, layer.revision, layer.name)
    origin = Origin("second pass", (source,))
    with store.read() as session:
        for other, _ in projects.layers(session, layer.document_id):
            if other.origin == origin.to_json():
                return other.id
    doc = store.layers.document_at(layer.id, layer.revision)
    with store.write() as session:
        name = f"{layer.name[:180]}, second pass"
        made = add_derived(session, layer.document_id, doc, origin, name=name, owner=user, kind="annotation")
        models.record(session, "second pass", user=user, project=project, layer=made.id, first=layer.id)
        return made.id


def suggestion_layer(store: AnnotationStore, layer: int) -> Layer | None:
    """Return the layer with the suggestions for a layer, or None."""
    with store.read() as session:
        document = session.get_one(Layer, layer).document_id
        for other, _ in projects.layers(session, document):
            origin = Origin.of(other)
            if other.kind == "suggestion" and origin is not None and origin.sources[0].layer == layer:
                return other
    return None


def _make(store: AnnotationStore, layer: int, resolver: str, *, user: int, project: int) -> None:
    with store.read() as session:
        row = session.get_one(Layer, layer)
    doc = store.layers.document_at(layer, row.revision)
    with quiet():
        suggested = suggest(doc, resolver)
    origin = Origin("resolver", (Source(layer, row.revision, row.name),), {"resolver": resolver})
    with store.write() as session:
        name = f"{resolver} for {row.name}"[:200]
        made = add_derived(session, row.document_id, suggested, origin, name=name, owner=user, kind="suggestion")
        models.record(session, "suggested", user=user, project=project, layer=made.id, resolver=resolver)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A mention that the resolver found and the annotator has not marked, and the entity it would join."""

    positions: tuple[int, ...]
    text: str
    entity: str
    """The resolver's entity."""
    target: Entity | None
    """The entity of the annotator that it would join; None for a new one."""
    source: str
    score: float | None
    sentence: int


def find_pending(own: Document, suggested: Document) -> list[Suggestion]:
    """Return the suggestions that are neither accepted nor rejected, in reading order."""
    marked = {mention.positions: entity.id for mention, entity in own.mentions()}
    layers = []
    for mention, entity in suggested.mentions():
        if mention.positions not in marked:
            votes = Counter(marked[each.positions] for each in entity.mentions if each.positions in marked)
            target = own.entity(votes.most_common(1)[0][0]) if votes else None
            source, score = mention.attributes[BY], mention.score
            where = suggested.sentence_index(mention.start)
            layers.append(Suggestion(mention.positions, mention.text, entity.id, target, source, score, where))
    return layers


def accept(
    store: AnnotationStore, layer: int, base: int, positions: tuple[int, ...], *, user: int
) -> Appended | Conflict:
    """Add a suggested mention to the layer of the annotator, with its provenance."""
    chosen, suggested = _find(store, layer, positions)
    mention = next(each for each in suggested.entity(chosen.entity).mentions if each.positions == positions)
    entity = chosen.target.id if chosen.target is not None else fresh_id(store.layers.document_at(layer))
    arguments = {"positions": positions, "entity": entity, "head": mention.head, "attributes": mention.attributes}
    operation = Operation(base, (Edit("add_mention", arguments),))
    return store.layers.append(layer, base, [operation], client=CLIENT, user=user)


def reject(store: AnnotationStore, layer: int, positions: tuple[int, ...], *, user: int) -> Appended | Conflict:
    """Remove a suggestion; the log of the suggestion layer records it."""
    chosen, _ = _find(store, layer, positions)
    row = suggestion_layer(store, layer)
    assert row is not None
    edit = Edit("remove_mention", {"entity": chosen.entity, "positions": positions})
    operation = Operation(row.revision, (edit,))
    return store.layers.append(row.id, row.revision, [operation], client=CLIENT, user=user)


def _find(store: AnnotationStore, layer: int, positions: tuple[int, ...]) -> tuple[Suggestion, Document]:
    row = suggestion_layer(store, layer)
    if row is None:
        raise CoindexError("this layer has no suggestions yet; request them first", code="wrong-state")
    own, suggested = store.layers.document_at(layer), store.layers.document_at(row.id)
    for each in find_pending(own, suggested):
        if each.positions == positions:
            return each, suggested
    raise CoindexError(
        "this suggestion does not exist or was already accepted or rejected; reload the page", code="wrong-state"
    )
