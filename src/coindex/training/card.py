"""The model card: what a model was made of, how good it is for whom, and where it fails, as one page of Markdown.

All numbers are given; nothing is computed here but the sentences that point at the lowest of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A score of a whole corpus: CoNLL and mention F1 in percent."""

    name: str
    conll: float
    mentions: float
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The score of some documents, in the first way."""

    name: str
    documents: int
    words: int
    conll: float
    mentions: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Anaphors:
    """How many mentions of a type that are not the first of their entity are linked to something right before them."""

    name: str
    count: int
    """Of the key."""
    recall: float
    precision: float
    f1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All scores on a corpus. `by_tag` has the CoNLL of entities that have a mention with such a head."""

    corpus: str
    system: str
    documents: int
    words: int
    input: str
    ways: Sequence[Way]
    genres: Sequence[Group] = ()
    anaphors: Sequence[Anaphors] = ()
    by_tag: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenderBalance:
    """F1 on GAP, in percent; `bias` is feminine by masculine."""

    file: str
    feminine: float
    masculine: float
    overall: float
    bias: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """What it takes to use the model. `megabytes` is the peak of the whole process."""

    words_per_second: float
    load_seconds: float
    megabytes: float
    machine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A model, or any resolver: then there is no `description`, which is what a model folder says of itself."""

    name: str
    evaluations: Sequence[Evaluation]
    description: Mapping[str, Any] = field(default_factory=dict)
    licences: Mapping[str, str] = field(default_factory=dict)
    """Of the data, by the name of the corpus."""
    gender: GenderBalance | None = None
    speed: Speed | None = None
    size: float | None = None
    """Of the files, in MB."""
    licence: str = ""
    """Of the weights."""
    notes: Sequence[str] = ()
    """What else is to be known of how it was made."""
    weaknesses: Sequence[str] = ()


def model_card(card: Card) -> str:
    """The page."""
    parts = [
        f"# {card.name}",
        *_model(card),
        *_data(card),
        *(part for evaluation in card.evaluations for part in _scores(evaluation)),
        *_gender(card.gender),
        *_speed(card.speed),
        *_weaknesses(card),
    ]
    return "\n\n".join(parts) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown; numbers with a point get one digit after it."""
    lines = [head, ["---"] * len(head), *([_cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _model(card: Card) -> Iterator[str]:
    if not card.description:
        yield "A resolver without a model."
        return
    config = card.description["config"]
    facts = [
        f"- Encoder: {_encoder(config['model']['encoder'])}",
        f"- Annotation schemes it was told of: {', '.join(card.description['corpora'])}",
        f"- Seed {card.description.get('seed', config['train']['seed'])}",
    ]
    if mean := config["model"].get("mean"):
        folders = ", ".join((config["model"]["start"], *mean))
        facts.append(f"- Begun with the mean of the weights of {len(mean) + 1} models: {folders}")
    if (epoch := card.description.get("epoch")) is not None and config["train"]["epochs"]:
        facts.append(
            f"- Trained for {config['train']['epochs']} epochs; kept is epoch {epoch}, the best by the dev scores "
            "below, which are a little high for that reason"
        )
    if card.size is not None:
        facts.append(f"- Files: {card.size:.0f} MB")
    if card.licence:
        facts.append(f"- Licence of the weights: {card.licence}")
    facts += [f"- {note}" for note in card.notes]
    facts += [f"- `{name}`: SHA-256 `{checksum}`" for name, checksum in card.description["weights"].items()]
    yield "\n".join(["## Model", "", *facts])


def _encoder(name: str) -> str:
    """Its name on a hub, or the end of its path: where it lay says nothing elsewhere."""
    return "/".join(PurePath(name).parts[-2:])


def _data(card: Card) -> Iterator[str]:
    if not card.description:
        return
    hashes: Mapping[str, str] = card.description.get("data", {})
    licences = {**card.licences, **card.description.get("licences", {})}
    rows = [
        (
            corpus["name"],
            use,
            PurePath(path).name,
            licences.get(corpus["name"], "not told"),
            f"`{hashes.get(path, '')}`",
        )
        for corpus in card.description["config"]["corpora"]
        for use in ("train", "dev")
        if (path := corpus.get(use))
    ]
    yield "## Data"
    yield table(["corpus", "used as", "file", "licence", "SHA-256"], rows)
    yield "*dev*: scored after each epoch, never trained on. No test part of any corpus was used."


def _scores(evaluation: Evaluation) -> Iterator[str]:
    yield f"## Scores on {evaluation.corpus}"
    size = f"{evaluation.documents} documents, {evaluation.words:,} words"
    yield f"`{evaluation.system}` on {evaluation.input}: {size}. F1 in percent."
    rows = [(way.name, way.conll, way.mentions, f"`{way.signature}`".replace("|", "\\|")) for way in evaluation.ways]
    yield table(["match", "CoNLL", "mentions", "signature"], rows)
    if evaluation.genres:
        yield f"By genre ({evaluation.ways[0].name}):"
        groups = [
            (genre.name, genre.documents, genre.words, genre.conll, genre.mentions) for genre in evaluation.genres
        ]
        yield table(["genre", "documents", "words", "CoNLL", "mentions"], groups)
    if evaluation.anaphors:
        yield (
            "By type of mention: of the anaphors of a type (mentions that are not the first of their entity), how many "
            "share an entity with something right before them; by the head of the mention."
        )
        scored = [
            (anaphor.name, anaphor.count, anaphor.recall, anaphor.precision, anaphor.f1)
            for anaphor in evaluation.anaphors
        ]
        yield table(["type", "in the key", "recall", "precision", "F1"], scored)
    if evaluation.by_tag:
        yield "CoNLL of the entities that have a mention whose head has the tag:"
        yield table(list(evaluation.by_tag), [list(evaluation.by_tag.values())])
    if evaluation.note:
        yield evaluation.note


def _gender(gender: GenderBalance | None) -> Iterator[str]:
    if gender is None:
        return
    yield "## Gender balance"
    bias = "none" if gender.bias is None else f"{gender.bias:.2f}"
    rows = [(gender.feminine, gender.masculine, bias, gender.overall)]
    yield f"{gender.file}, raw text, F1 in percent; the ratio is feminine by masculine."
    yield table(["feminine", "masculine", "ratio", "overall"], rows)


def _speed(speed: Speed | None) -> Iterator[str]:
    if speed is None:
        return
    yield "## Speed"
    yield (
        f"{speed.words_per_second:,.0f} words a second from raw text to entities on two threads, loaded in "
        f"{speed.load_seconds:.1f} s, {speed.megabytes:,.0f} MB at most on GUM dev ({speed.machine})."
    )


def _weaknesses(card: Card) -> Iterator[str]:
    lines = [*card.weaknesses, *(line for evaluation in card.evaluations for line in lowest(evaluation))]
    if lines:
        yield "\n".join(["## Known weaknesses", "", *(f"- {line}" for line in lines)])


FEW = 20
"""Anaphors: fewer say nothing of a type."""


def lowest(evaluation: Evaluation) -> Iterator[str]:
    """Which genre and which type of mention are hardest, in a sentence each."""
    if evaluation.genres:
        worst = min(evaluation.genres, key=lambda group: group.conll)
        yield (
            f"{evaluation.corpus}: lowest on the genre {worst.name}, {worst.conll:.1f} CoNLL against "
            f"{evaluation.ways[0].conll:.1f} on all ({worst.documents} documents, so by chance in part)"
        )
    types = [anaphor for anaphor in evaluation.anaphors if anaphor.count >= FEW]
    if len(types) > 1:
        hardest = min(types, key=lambda result: result.f1)
        yield (
            f"{evaluation.corpus}: hardest to link are anaphors of the type {hardest.name}: recall "
            f"{hardest.recall:.1f}, precision {hardest.precision:.1f}"
        )
