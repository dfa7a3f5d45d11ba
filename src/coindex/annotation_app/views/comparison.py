"""Pages that compare layers and adjudicate their differences."""

from __future__ import annotations

import html
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from markupsafe import Markup
from starlette.responses import JSONResponse, Response

from ...annotation.adjudication import KINDS, Comparison, Difference, number_entities
from ...document import Document
from ...errors import CoindexError
from ...render.layout import Close, Layout, Open, Unit
from ...server.calls import Refused, go, show
from ...server.database import to_json
from .. import projects
from ..adjudication import comparison_of, decide_difference, list_decisions, set_finished, start_adjudication, step_back
from ..agreement import MOST, compare_sources, sources_of
from ..calls import ProjectCall
from ..layers import Conflict
from ..models import Assignment, Layer

ZERO = "∅"
HUES = 12
"""How many colours quality.css has for entities; numbers distinguish entities of the same colour."""
Key = tuple[tuple[int, ...], str]
"""A mention by its positions and its entity."""


@dataclass(frozen=True)
class Drawing:
    """How the mentions of one version are drawn."""

    numbers: Mapping[str, int]
    """Of the entities, by their ids."""
    differing: Mapping[Key, tuple[int, ...]]
    """The numbers of the differences that a mention is part of."""
    missing: Mapping[int, tuple[int, ...]]
    """The same for words that others marked there and this version did not."""


def sentences(doc: Document, drawing: Drawing, wanted: Container[int]) -> dict[int, Markup]:
    """Return the markup of some sentences by their numbers."""
    layout = Layout(doc)
    return {
        line.number: Markup("".join(_piece(piece, layout, drawing) for piece in line.pieces))
        for line in layout.lines()
        if line.number is not None and line.number in wanted
    }


def _piece(piece: Open | Close | Unit | str, layout: Layout, drawing: Drawing) -> str:
    """Return a piece of text, escaped, or a tag."""
    if isinstance(piece, str):
        return " " if piece else ""
    if isinstance(piece, Unit):
        return _word(piece, drawing)
    mention, entity_at = layout.mentions[piece.mark.mention]
    entity = layout.doc.entities[entity_at]
    number = drawing.numbers.get(entity.id, 0)
    if isinstance(piece, Close):
        is_whole = piece.is_end and not piece.mark.is_gap and piece.mark.part == piece.mark.parts
        return f"<sup>{number}</sup></span>" if is_whole else "</span>"
    if piece.mark.is_gap:
        return '<span class="gap">'
    differences = drawing.differing.get((mention.positions, entity.id), ())
    kind = " differs" if differences else ""
    return f'<span class="mark hue-{number % HUES}{kind}" data-at="{_join_numbers(differences)}">'


def _word(unit: Unit, drawing: Drawing) -> str:
    text = html.escape(unit.text or f"{ZERO}{unit.hint}")
    differences = drawing.missing.get(unit.position, ())
    return f'<span class="missing" data-at="{_join_numbers(differences)}">{text}</span>' if differences else text


def _join_numbers(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def drawings(comparison: Comparison, chosen: Mapping[int, Difference]) -> list[Drawing]:
    """Return how to draw each version, with the given differences highlighted."""
    numbers = number_entities(comparison.docs)
    entries = []
    for at in range(len(comparison.docs)):
        differing: dict[Key, tuple[int, ...]] = defaultdict(tuple)
        missing: dict[int, tuple[int, ...]] = defaultdict(tuple)
        for number, difference in chosen.items():
            marks = comparison.spots[difference.spot].marks
            if at in marks:
                mention, entity = marks[at]
                differing[mention.positions, entity.id] += (number,)
            elif difference.kind in ("mention", "span"):
                for position in difference.positions:
                    missing[position] += (number,)
        entries.append(Drawing(numbers[at], differing, missing))
    return entries


def result_drawing(doc: Document, comparison: Comparison) -> Drawing:
    """Return how to draw a result: in the colours of the versions, without highlighted differences."""
    return Drawing(number_entities([*comparison.docs, doc])[-1], {}, {})


def render_changed_sentences(before: Document, after: Document, comparison: Comparison) -> dict[int, Markup]:
    """Return the markup of the sentences that look different after a decision."""
    old, new = result_drawing(before, comparison), result_drawing(after, comparison)
    differing = _looks(before, old) ^ _looks(after, new)
    wanted = {after.sentence_index(position) for positions, _ in differing for position in positions}
    return sentences(after, new, wanted)


def _looks(doc: Document, drawing: Drawing) -> set[tuple[tuple[int, ...], int]]:
    return {(mention.positions, drawing.numbers[entity.id]) for entity in doc.entities for mention in entity.mentions}


# --- differences as text


def words(doc: Document, positions: Sequence[int]) -> str:
    """Return the text of some words; an empty node shows its form."""
    mention = doc.mention(positions)
    hint = "" if mention.text else "".join(doc.tokens[at].form for at in positions if doc.tokens[at].form != "_")
    return mention.text or f"{ZERO}{hint}"


def answer(doc: Document, difference: Difference, value: Any) -> str:
    """Return an option of a difference as text."""
    if difference.kind in ("mention", "span"):
        return "no mention" if value is None else f"“{words(doc, value)}”"
    if difference.kind == "link":
        return "new entity" if value is None else _with(doc, value)
    if difference.kind == "head":
        return "no head" if value is None else f"head “{doc.tokens[value].form}”"
    if difference.kind == "attributes":
        return _attributes(value) or "no attributes"
    if difference.kind == "entity":
        parts = [value["type"] or "no type", value["kind"] if value["kind"] != "entity" else ""]
        return ", ".join(filter(None, [*parts, _attributes(value["attributes"])]))
    return "; ".join(value) or "no relation"


def _with(doc: Document, positions: Sequence[int]) -> str:
    return f"with “{words(doc, positions)}” of sentence {doc.sentence_index(positions[0]) + 1}"


def _attributes(attributes: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in attributes.items())


PAGE = 100
"""How many rows a page shows."""


@dataclass(frozen=True, slots=True)
class OptionView:
    """An answer: the digits and names of the annotators who gave it, and its text."""

    choices: tuple[int, ...]
    names: str
    text: str


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """A difference as a page shows it."""

    number: int
    id: str
    kind: str
    text: str
    options: tuple[OptionView, ...]


@dataclass(slots=True)
class RowView:
    """A sentence in all versions."""

    sentence: int
    cells: list[Markup]
    differences: list[DifferenceView] = field(default_factory=list)


@dataclass(frozen=True)
class Rows:
    """One page of rows."""

    rows: list[RowView]
    counts: Mapping[str, int]
    """How many differences there are of each kind."""
    first: int
    total: int

    @property
    def following(self) -> int | None:
        """Return the first row of the next page, or None."""
        return self.first + PAGE if self.first + PAGE < self.total else None

    @property
    def preceding(self) -> int | None:
        return max(self.first - PAGE, 0) if self.first else None


def rows(comparison: Comparison, *, kind: str = "", everything: bool = False, first: int = 0) -> Rows:
    """Return the sentences with differences, or all of them; `kind` restricts the differences to one kind."""
    numbered = dict(enumerate(comparison.differences))
    chosen = {number: each for number, each in numbered.items() if kind in ("", each.kind)}
    base = comparison.docs[0]
    by_sentence: dict[int, list[int]] = defaultdict(list)
    for number, difference in chosen.items():
        by_sentence[base.sentence_index(difference.positions[0])].append(number)
    wanted = list(range(len(base.sentences))) if everything else sorted(by_sentence)
    shown = wanted[first : first + PAGE]
    drawn = zip(comparison.docs, drawings(comparison, chosen), strict=True)
    texts = [sentences(doc, how, frozenset(shown)) for doc, how in drawn]
    rows = [RowView(sentence, [text.get(sentence, Markup("")) for text in texts]) for sentence in shown]
    for row in rows:
        row.differences = [_view(comparison, number, chosen[number]) for number in by_sentence.get(row.sentence, ())]
    counts = Counter(difference.kind for difference in comparison.differences)
    return Rows(rows, {name: counts[name] for name in KINDS if counts[name]}, first, len(wanted))


def _view(comparison: Comparison, number: int, difference: Difference) -> DifferenceView:
    base = comparison.docs[0]
    digits = {name: at for at, name in enumerate(comparison.names, 1)}
    options = tuple(
        OptionView(
            tuple(digits[name] for name in option.annotators),
            ", ".join(option.annotators),
            answer(base, difference, option.value),
        )
        for option in difference.options
    )
    return DifferenceView(number, difference.id, difference.kind, words(base, difference.positions), options)


COMPARED = ("annotation", "merge", "adjudication", "vote")


def compare_page(call: ProjectCall) -> Response:
    assert call.document is not None
    known = comparable(call)
    chosen = select_layers(call.request.query_params.getlist("layer"), known)
    if not chosen:
        chosen = [layer for layer in known if layer.kind == "annotation" and layer.is_closed][:MOST]
    values = {"layers": known, "chosen": chosen, "project": call.project, "document": call.document, "most": MOST}
    title = f"Compare: {call.document.name}"
    if len(chosen) < 2:
        return show(call, "comparison.html", title=title, comparison=None, **values)
    comparison = compare_sources(call.store, sources_of(chosen))
    kind, everything = call.query("kind"), call.query("all") == "yes"
    view = rows(comparison, kind=kind, everything=everything, first=page_start(call))
    return show(
        call,
        "comparison.html",
        title=title,
        comparison=comparison,
        view=view,
        kind=kind,
        everything=everything,
        **values,
    )


def page_start(call: ProjectCall) -> int:
    """Return the first row of the page."""
    first = call.query("from", "0")
    return int(first) if first.isascii() and first.isdigit() and len(first) < 9 else 0


def comparable(call: ProjectCall) -> list[Layer]:
    """Return the layers of the document that can be compared; only reviewers, who see all layers, get here."""
    assert call.document is not None
    with call.store.read() as session:
        layers = projects.layers(session, call.document.id)
    return [layer for layer, _ in layers if layer.kind in COMPARED]


def select_layers(ids: Sequence[str], known: Sequence[Layer]) -> list[Layer]:
    """Return layers by their ids; refuse layers of other documents."""
    by_id = {str(layer.id): layer for layer in known}
    for id in ids:
        if id not in by_id:
            raise CoindexError(
                f"this document has no layer {id[:10]!r} to compare; choose one from the list", code="not-found"
            )
    return [by_id[id] for id in dict.fromkeys(ids)]


CHANGED = "This layer was changed elsewhere; reload the page."


def start(call: ProjectCall) -> Response:
    """Create a layer from the chosen ones, owned by the adjudicator."""
    assert call.document is not None
    chosen = select_layers([id for id in call.text("layers").split(",") if id], comparable(call))
    kind: Literal["adjudication", "merge"] = "merge" if call.text("kind") == "merge" else "adjudication"
    name = call.text("name").strip() or f"{call.user.name if call.user else ''} {kind}"
    layer = start_adjudication(call.store, chosen, owner=call.user_id, project=call.project_id, name=name, kind=kind)
    return go(f"/projects/{call.project_id}/documents/{call.document.id}/layers/{layer}/adjudicate")


def adjudicate_page(call: ProjectCall) -> Response:
    layer = _layer(call)
    comparison = comparison_of(call.store, layer)
    state = call.store.layers.state(layer.id)
    kind, everything = call.query("kind"), call.query("all") == "yes"
    view = rows(comparison, kind=kind, everything=everything, first=page_start(call))
    shown = {row.sentence for row in view.rows}
    results = sentences(state.document, result_drawing(state.document, comparison), shown)
    chosen = list_decisions(call.store, layer.id, comparison)
    return show(
        call,
        "adjudication.html",
        title=f"Adjudicate: {call.document.name if call.document else ''}",
        project=call.project,
        document=call.document,
        layer=layer,
        base=call.request.url.path.removesuffix("/adjudicate"),
        comparison=comparison,
        view=view,
        kind=kind,
        everything=everything,
        results=results,
        decided=chosen,
        state=state,
        left=len(comparison.differences) - len(chosen),
    )


def decide(call: ProjectCall) -> Response:
    """Store a decision, an undo or a redo; return the changes as JSON to the script of the page, otherwise the page."""
    layer = _layer(call)
    if layer.is_closed:
        raise CoindexError(f"{layer.name!r} is finished; reopen it to make changes", code="wrong-state")
    comparison = comparison_of(call.store, layer)
    base, step = call.number("base"), call.text("step")
    before = call.store.layers.document_at(layer.id)
    if step in ("undo", "redo"):
        done = step_back(call.store, layer.id, base, user=call.user_id, again=step == "redo")
    else:
        done = decide_difference(
            call.store, layer, base, call.text("difference"), call.number("choice"), user=call.user_id
        )
    if isinstance(done, Conflict):
        raise Refused(409, CHANGED)
    if "application/json" not in call.request.headers.get("accept", ""):
        return go(f"{call.request.url.path.removesuffix('/decisions')}/adjudicate{_anchor(call, comparison)}")
    return _json(_changes(call, layer, comparison, before))


def _anchor(call: ProjectCall, comparison: Comparison) -> str:
    """Return the anchor of the difference after the decided one."""
    ids = [difference.id for difference in comparison.differences]
    id = call.text("difference")
    return f"#d{min(ids.index(id) + 1, len(ids) - 1)}" if id in ids else ""


def _changes(call: ProjectCall, layer: Layer, comparison: Comparison, before: Document) -> dict[str, Any]:
    state = call.store.layers.state(layer.id)
    changed = render_changed_sentences(before, state.document, comparison)
    chosen = list_decisions(call.store, layer.id, comparison)
    numbers = {difference.id: number for number, difference in enumerate(comparison.differences)}
    return {
        "revision": state.revision,
        "can_undo": state.can_undo,
        "can_redo": state.can_redo,
        "decided": {numbers[id]: choice for id, choice in chosen.items()},
        "left": len(comparison.differences) - len(chosen),
        "rows": {number: str(text) for number, text in changed.items()},
    }


def finish(call: ProjectCall) -> Response:
    """Finish or reopen a layer that belongs to no assignment."""
    layer = _layer(call)
    finished = call.flag("finished")
    with call.store.read() as session:
        assignment = session.query(Assignment).where(Assignment.layer_id == layer.id).first()
    if assignment is not None or layer.kind in ("vote", "key", "suggestion", "assessment"):
        raise CoindexError(
            "this layer belongs to an assignment or is generated; submit or reopen it on the project page",
            code="wrong-state",
        )
    set_finished(call.store, layer, finished, user=call.user_id, project=call.project_id)
    return go(f"/projects/{call.project_id}")


def _layer(call: ProjectCall) -> Layer:
    assert call.layer is not None
    return call.layer


def _json(value: Any) -> Response:
    return Response(to_json(value), media_type=JSONResponse.media_type)
