"""Model cards: data, training, scores and weaknesses of a model on a page of Markdown.

All numbers are passed in; only the sentences about the lowest scores are generated here.
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
    """The score of a group of documents."""

    name: str
    documents: int
    words: int
    conll: float
    mentions: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Anaphors:
    """How well anaphors of a type (mentions that are not the first of their entity) are linked to earlier mentions."""

    name: str
    count: int
    """Anaphors of the key."""
    recall: float
    precision: float
    f1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All scores on a corpus. `by_tag` has the CoNLL scores of entities by the tag of a head."""

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
    """F1 on GAP, in percent; `bias` is feminine divided by masculine."""

    file: str
    feminine: float
    masculine: float
    overall: float
    bias: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Speed and memory of the model. `megabytes` is the peak of the whole process."""

    words_per_second: float
    load_seconds: float
    megabytes: float
    machine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """The expected calibration error of probabilities of a kind, in percent; `other` is that on LitBank."""

    kind: str
    number: int
    error: float
    other: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The contents of a card. `description` is that of the model folder; a resolver without a model has none."""

    name: str
    evaluations: Sequence[Evaluation]
    description: Mapping[str, Any] = field(default_factory=dict)
    licences: Mapping[str, str] = field(default_factory=dict)
    """Licences of the data, by corpus."""
    gender: GenderBalance | None = None
    reliability: Sequence[Reliability] = ()
    diagram: str = ""
    """File beside the card with the reliability diagram."""
    speed: Speed | None = None
    size: float | None = None
    """Size of the files in MB."""
    licence: str = ""
    """Licence of the weights."""
    notes: Sequence[str] = ()
    """Further facts about the training."""
    weaknesses: Sequence[str] = ()


def model_card(card: Card) -> str:
    """Return the card as Markdown."""
    parts = [
        f"# {card.name}",
        *_model(card),
        *_data(card),
        *(part for evaluation in card.evaluations for part in _scores(evaluation)),
        *_gender(card.gender),
        *_reliability(card),
        *_speed(card.speed),
        *_weaknesses(card),
    ]
    return "\n\n".join(parts) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; floats get one decimal."""
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
        f"- Annotation schemes: {', '.join(card.description['corpora'])}",
        f"- Seed {card.description.get('seed', config['train']['seed'])}",
    ]
    if mean := config["model"].get("mean"):
        folders = ", ".join((config["model"]["start"], *mean))
        facts.append(f"- Initialised with the mean of the weights of {len(mean) + 1} models: {folders}")
    if (epoch := card.description.get("epoch")) is not None and config["train"]["epochs"]:
        facts.append(
            f"- Trained for {config['train']['epochs']} epochs; epoch {epoch} was selected by the dev scores below, "
            "which are slightly optimistic for that reason"
        )
    if card.size is not None:
        facts.append(f"- Files: {card.size:.0f} MB")
    if card.licence:
        facts.append(f"- Licence of the weights: {card.licence}")
    facts += [f"- {note}" for note in card.notes]
    facts += [f"- `{name}`: SHA-256 `{checksum}`" for name, checksum in card.description["weights"].items()]
    yield "\n".join(["## Model", "", *facts])


def _encoder(name: str) -> str:
    """Return the name on a hub, or the end of a path, since full paths mean nothing on other machines."""
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
            licences.get(corpus["name"], "not specified"),
            f"`{hashes.get(path, '')}`",
        )
        for corpus in card.description["config"]["corpora"]
        for use in ("train", "dev")
        if (path := corpus.get(use))
    ]
    yield "## Data"
    yield table(["corpus", "used as", "file", "licence", "SHA-256"], rows)
    earlier = list(_earlier_data(card.description, set(hashes.items())))
    if earlier:
        yield "Data of earlier steps, where it is not the same file:"
        yield table(["step", "role", "file", "SHA-256"], earlier)
    yield "*dev*: scored after each epoch, not used for training. No test data was used."


def _earlier_data(
    description: Mapping[str, Any], listed: set[tuple[str, str]]
) -> Iterator[tuple[object, object, str, str]]:
    """Yield the files of the models that this one starts from or learned from, without those in `listed`."""
    for origin in description.get("origins", ()):
        for path, checksum in origin.get("data", {}).items():
            if (path, checksum) not in listed:
                listed.add((path, checksum))
                yield origin["folder"], origin["role"], path, f"`{checksum}`"
        yield from _earlier_data(origin, listed)


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
            "By type of mention (determined by its head): how many of the anaphors, that is mentions that are not the "
            "first of their entity, are linked to an earlier mention of the right entity."
        )
        scored = [
            (anaphor.name, anaphor.count, anaphor.recall, anaphor.precision, anaphor.f1)
            for anaphor in evaluation.anaphors
        ]
        yield table(["type", "in the key", "recall", "precision", "F1"], scored)
    if evaluation.by_tag:
        yield "CoNLL score of entities with a mention whose head has this tag:"
        yield table(list(evaluation.by_tag), [list(evaluation.by_tag.values())])
    if evaluation.note:
        yield evaluation.note


def _gender(gender: GenderBalance | None) -> Iterator[str]:
    if gender is None:
        return
    yield "## Gender balance"
    bias = "none" if gender.bias is None else f"{gender.bias:.2f}"
    rows = [(gender.feminine, gender.masculine, bias, gender.overall)]
    yield f"{gender.file}, raw text, F1 in percent; the ratio is feminine divided by masculine."
    yield table(["feminine", "masculine", "ratio", "overall"], rows)


def _reliability(card: Card) -> Iterator[str]:
    if not card.reliability:
        return
    yield "## Probabilities"
    yield (
        "Expected calibration error (ECE) in percent: the mean difference between probability and accuracy in ten bins "
        "of equal width, weighted by size. GUM dev: every second document, those that were not used to fit the "
        "calibration."
    )
    yield table(
        ["probability of", "decisions", "ECE, GUM dev", "ECE, LitBank dev"],
        [(row.kind, row.number, row.error, row.other) for row in card.reliability],
    )
    if card.diagram:
        yield f"![Reliability diagram]({card.diagram})"


def _speed(speed: Speed | None) -> Iterator[str]:
    if speed is None:
        return
    yield "## Speed"
    yield (
        f"{speed.words_per_second:,.0f} words per second from raw text to entities with two threads; loading takes "
        f"{speed.load_seconds:.1f} s; at most {speed.megabytes:,.0f} MB of memory on GUM dev ({speed.machine})."
    )


def _weaknesses(card: Card) -> Iterator[str]:
    lines = [*card.weaknesses, *(line for evaluation in card.evaluations for line in lowest(evaluation))]
    if lines:
        yield "\n".join(["## Known weaknesses", "", *(f"- {line}" for line in lines)])


FEW = 20
"""Types with fewer anaphors are not compared."""


def lowest(evaluation: Evaluation) -> Iterator[str]:
    """Yield sentences about the genre and the type of mention with the lowest scores."""
    if evaluation.genres:
        worst = min(evaluation.genres, key=lambda group: group.conll)
        yield (
            f"{evaluation.corpus}: the lowest score is on the genre {worst.name}, {worst.conll:.1f} CoNLL against "
            f"{evaluation.ways[0].conll:.1f} overall (only {worst.documents} documents, so partly by chance)"
        )
    types = [anaphor for anaphor in evaluation.anaphors if anaphor.count >= FEW]
    if len(types) > 1:
        hardest = min(types, key=lambda result: result.f1)
        yield (
            f"{evaluation.corpus}: anaphors of the type {hardest.name} are hardest to link: recall "
            f"{hardest.recall:.1f}, precision {hardest.precision:.1f}"
        )
