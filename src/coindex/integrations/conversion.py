"""Convert documents to pandas frames and networkx graphs, and from spaCy documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..arguments import check_document, check_documents
from ..document import Document, Entity, Mention
from ..document.entities import link_source
from ..document.naming import entity_name, mention_name
from ..errors import MissingExtraError
from ..render.mention_table import COLUMNS, mention_rows

if TYPE_CHECKING:
    from spacy.tokens import Doc

_NULLABLE = ("head", "antecedent")
Node = tuple[str, int]
"""A mention in the graph: the id of its entity and its number in the entity, from 0."""


def to_frame(docs: Document | Iterable[Document]) -> Any:
    """Return a pandas frame with a row for each mention, in reading order. Needs `coindex[pandas]`.

    The columns are those of the CSV format. The column `score` contains floats, and `NaN` if there is no score.

    Parameters:

    - `docs`: a document or an iterable of documents.

    >>> frame = to_frame(read("story.conllu"))  # doctest: +SKIP
    >>> frame.groupby("entity").size()  # doctest: +SKIP
    """
    try:
        import pandas
    except ImportError as error:
        raise MissingExtraError("pandas", "pandas") from error
    rows = mention_rows(check_documents(docs))
    frame = pandas.DataFrame(list(rows), columns=list(COLUMNS))
    # "Int64" allows missing values; an empty frame gets the same column types
    types = dict.fromkeys(_NULLABLE, "Int64") | {"score": "float64"}
    if frame.empty:
        types |= dict.fromkeys(("sentence", "mention", "start_char", "end_char", "start", "end"), "int64")
        types |= dict.fromkeys(("is_zero", "is_singleton"), "bool")
    return frame.astype(types)


def to_graph(doc: Document, *, entities: bool = False) -> Any:
    """Return a networkx graph of a document. Needs `coindex[graph]`.

    Each mention is a node `(entity id, number)`, with an edge to the previous mention of its entity. Edges have a
    `kind`: `coreference` (with `by` and `score` if known), `bridging` (with its `relation`) or `split` for split
    antecedents. Bridging and split edges lead to the nearest mention of the entity before the anaphor, or to its first
    mention if there is none. Unknown attributes are omitted.

    Parameters:

    - `doc`: the document.
    - `entities`: also add a node for each entity (its id), with edges of the kind `mention` from its mentions.
      Bridging and split edges then lead to entities.

    Returns a `MultiDiGraph`.

    >>> graph = to_graph(doc)  # doctest: +SKIP
    """
    try:
        import networkx
    except ImportError as error:
        raise MissingExtraError("networkx", "graph") from error
    check_document(doc)
    graph = networkx.MultiDiGraph(**_drop_missing(id=doc.id, language=doc.language))
    for entity in doc.entities:
        _add_entity(graph, doc, entity, has_node=entities)
    _add_relations(graph, doc, to_entities=entities)
    return graph


def _drop_missing(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _add_entity(graph: Any, doc: Document, entity: Entity, *, has_node: bool) -> None:
    if has_node:
        about = _drop_missing(name=entity_name(entity), type=entity.type, entity_kind=entity.kind, score=entity.score)
        graph.add_node(entity.id, kind="entity", size=len(entity), **about)
    for index, mention in enumerate(entity.mentions):
        node: Node = (entity.id, index)
        graph.add_node(node, kind="mention", **_about(doc, mention, entity))
        if has_node:
            graph.add_edge(node, entity.id, kind="mention")
        if index:
            link = _drop_missing(by=link_source(mention), score=mention.score)
            graph.add_edge(node, (entity.id, index - 1), kind="coreference", **link)


def _about(doc: Document, mention: Mention, entity: Entity) -> dict[str, Any]:
    head = mention.head_token
    return _drop_missing(
        text=mention_name(mention),
        entity=entity.id,
        type=entity.type,
        entity_kind=entity.kind,
        sentence=doc.sentence_index(mention.start),
        start=mention.start,
        end=mention.end,
        start_char=mention.start_char,
        end_char=mention.end_char,
        head=mention.head,
        head_text=None if head is None else head.form,
        is_zero=mention.is_zero,
        score=mention.score,
    )


def _add_relations(graph: Any, doc: Document, *, to_entities: bool) -> None:
    by_id = {entity.id: entity for entity in doc.entities}
    places = {(e.id, m.positions): (e.id, index) for e in doc.entities for index, m in enumerate(e.mentions)}
    links = [
        (b.entity, b.anaphor, b.antecedent, _drop_missing(kind="bridging", relation=b.relation)) for b in doc.bridges
    ]
    links += [(s.entity, s.anaphor, id, {"kind": "split"}) for s in doc.split_antecedents for id in s.antecedents]
    for id, anaphor, antecedent, about in links:
        node = places.get((id, anaphor.positions))
        if node is None or antecedent not in by_id:  # an entity of another document
            continue
        target = antecedent if to_entities else (antecedent, _nearest(by_id[antecedent], anaphor))
        graph.add_edge(node, target, **about)


def _nearest(entity: Entity, anaphor: Mention) -> int:
    """Return the number of the last mention that ends before the anaphor starts; otherwise 0."""
    before = [index for index, mention in enumerate(entity.mentions) if mention.end <= anaphor.start]
    return before[-1] if before else 0


def from_spacy(doc: Doc, *, id: str | None = None, language: str | None = None) -> Document:
    """Convert a spaCy document, with its words, sentences, tags and trees, and the clusters of coindex if any.

    Character offsets are those of `doc.text`.

    Parameters:

    - `doc`: the spaCy document.
    - `id`: the id of the new document.
    - `language`: its language, as an ISO 639 code or a name (default: that of the pipeline).

    Returns a `Document`.

    >>> document = from_spacy(nlp("Ann slept. She snored."))  # doctest: +SKIP
    """
    if type(doc).__module__.partition(".")[0] != "spacy" or type(doc).__name__ != "Doc":
        raise TypeError(f"doc: expected a spaCy Doc, not {type(doc).__name__}")
    from .spacy import convert

    return convert(doc, id=id, language=language)
