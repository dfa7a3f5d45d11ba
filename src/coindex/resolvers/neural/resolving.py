"""Resolve documents with a neural model: windows, mentions, links, block by block in reading order.

Each mention joins the most probable entity before it or starts a new one.
"""

from __future__ import annotations

import math
import warnings
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from ...document import Document, Mention, Span
from ...document.entities import DETECTION
from ...document.heads import Reduction, reduce_to_heads
from ...document.naming import count
from ...errors import DataWarning
from ..clusters import EntityType, add_provenance, with_clusters
from ..linguistics.languages import language
from .constraints import NEEDS_SYNTAX, NOTHING_KNOWN, SURE, Constraints, Syntax, Trait, Verdict, is_conflict
from .detection import Detector, Mentions, describe
from .pairs import BASIC, Memory, PairMaker, Pairs, coarse_choice, join_mentions, rows
from .runtime import MentionScores, Scorer
from .speech import SpeechLinks, find_speech
from .windows import Context, Part, join_batches, make_batch, make_blocks, make_parts, make_windows
from .words import DocumentWords, Floats, Ints, Pieces, document_words, in_reading_order, with_columns, word_span

Decoding = Literal["antecedent", "entity"]
DECODINGS: dict[Decoding, str] = {
    "antecedent": "the most probable antecedent decides",
    "entity": "the probabilities of all candidates of an entity are added up",
}

NEGLIGIBLE = 1e-4
"""Candidates with a smaller weight relative to the best choice are ignored, to save time."""
RECENT = 40
"""Number of previous mentions that can still move to another entity."""
REQUIRED = 0.95
"""The probability of a link that grammar requires, which is about the precision of these rules."""


Line = tuple[float, float]
"""Slope and intercept of a straight line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How the probabilities of the network are corrected: by a straight line on their log-odds (Platt scaling).

    The default changes nothing. `python -m benchmarks calibration` fits the numbers. They do not change which entity a
    mention joins, unless a lowest probability is set.
    """

    link: Line = (1.0, 0.0)
    """Slope and intercept for the probability that a mention belongs to an earlier entity."""
    new: Line = (1.0, 0.0)
    """Slope and intercept for the probability that a mention starts an entity."""
    mention: Line = (1.0, 0.0)
    """Slope and intercept for the probability of a mention."""


def calibrate(probability: float, line: Line) -> float:
    """Return a probability whose log-odds are corrected by a line."""
    if line == (1.0, 0.0) or not 0 < probability < 1:
        return probability
    slope, intercept = line
    return 1 / (1 + math.exp(-slope * math.log(probability / (1 - probability)) - intercept))


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """How probabilities become links. `new_bias` is added to the score of beginning an entity."""

    decoding: Decoding = "entity"
    min_link: float = 0.0
    new_bias: float = 0.0
    crowd: float = 0.0
    """Penalty for large entities when probabilities are added up: the sum is divided by the number of mentions to this
    power. Otherwise, the most frequent entity attracts unrelated mentions."""
    calibration: Calibration = field(default_factory=Calibration)


class _Choice(NamedTuple):
    """The candidates of a mention with their weights, the weight of a new entity, and the sum of all weights."""

    number: int
    candidates: Sequence[int]
    weights: Sequence[float]
    new: float
    total: float


class EntityLinker:
    """Keeps the entity of every mention so far, and the probability that it belongs there."""

    def __init__(self, options: LinkOptions, speech: SpeechLinks | None = None) -> None:
        self.options = options
        self.speech = speech
        self.entity: list[int] = []
        self.probability: list[float] = []
        self.is_link: list[bool] = []
        self._crowd = options.crowd if options.decoding == "entity" else 0.0  # one antecedent is no crowd
        self._sizes: dict[int, int] = {}
        self._traits: dict[int, set[Trait]] = {}
        """By entity: what its mentions have in common."""
        self._recent: deque[tuple[_Choice, Verdict]] = deque(maxlen=RECENT)

    def add(self, pairs: Pairs, scores: Floats, new: Floats, verdicts: Sequence[Verdict] | None = None) -> None:
        """Add the next mentions, with the scores of their pairs and of new entities, and verdicts of constraints."""
        first, count = len(self.entity), len(new)
        owner = pairs.anaphor - first
        begins = np.searchsorted(owner, np.arange(count + 1))
        some = np.flatnonzero(begins[1:] > begins[:-1])  # those that have candidates
        best = np.full(count, -np.inf, dtype=np.float32)
        new = new + np.float32(self.options.new_bias)
        # of each mention the best choice weighs 1, and the others by how far they are from it
        if len(some):
            best[some] = np.maximum.reduceat(scores, begins[some])
        top = np.maximum(best, new)
        weights = np.exp(scores - top[owner])
        alone = np.exp(new - top)
        total = alone.copy()
        if len(some):
            total[some] += np.add.reduceat(weights, begins[some])
        matters = weights > NEGLIGIBLE if self.options.decoding == "entity" else scores == best[owner]
        if verdicts is not None:
            # the best may be excluded, and then the next best is wanted
            limited = np.array([verdict is not NOTHING_KNOWN for verdict in verdicts], dtype=bool)
            matters |= limited[owner]
        if self.speech is not None:
            matters |= weights > NEGLIGIBLE
        kept = np.flatnonzero(matters)
        cuts = np.searchsorted(owner[kept], np.arange(count + 1)).tolist()
        candidates, kept_weights = pairs.candidate[kept].tolist(), weights[kept].tolist()
        for row, (new_weight, all_weight) in enumerate(zip(alone.tolist(), total.tolist(), strict=True)):
            own = slice(cuts[row], cuts[row + 1])
            verdict = NOTHING_KNOWN if verdicts is None else verdicts[row]
            self._place(candidates[own], kept_weights[own], new_weight, all_weight, verdict)

    def _place(
        self, candidates: Sequence[int], weights: Sequence[float], new: float, total: float, verdict: Verdict
    ) -> None:
        number = len(self.entity)
        if self.speech is not None:
            candidates, weights, new = self.speech.restrict(number, candidates, weights, new, total, self.entity)
        choice = _Choice(number, candidates, weights, new, total)
        barred: set[int] = set()
        if verdict is not NOTHING_KNOWN:
            self._make_room(choice, verdict)
            barred = {self.entity[other] for other in verdict.barred}
        entity, probability = self._choose(choice, verdict, barred)
        is_link = entity != choice.number
        required = None if verdict.required is None else self.entity[verdict.required]
        if required is not None and not self._excludes(required, verdict):
            probability = max(probability if entity == required else 0.0, REQUIRED)
            entity, is_link = required, True
        self.entity.append(entity)
        self.probability.append(probability)
        self.is_link.append(is_link)
        self._sizes[entity] = self._sizes.get(entity, 0) + 1
        if verdict.traits:
            self._traits.setdefault(entity, set()).update(verdict.traits)
        self._recent.append((choice, verdict))
        if self.speech is not None:
            for other in self.speech.place(number, entity, self.entity):
                self._merge(other, self.entity[number])

    def _merge(self, first: int, second: int) -> None:
        """Make two entities one, unless their properties exclude it. An entity has the number of its first mention."""
        traits = [self._traits.get(entity, set()) for entity in (first, second)]
        if any(is_conflict(a, b) for a in traits[0] for b in traits[1]):
            return
        kept, gone = sorted((first, second))
        for number in range(gone, len(self.entity)):
            if self.entity[number] == gone:
                self.entity[number] = kept
        self.is_link[gone] = True
        self._sizes[kept] += self._sizes.pop(gone, 0)
        if traits[0] | traits[1]:
            self._traits[kept] = traits[0] | traits[1]
        self._traits.pop(gone, None)
        if self.speech is not None:
            self.speech.merge(kept, gone)

    def _choose(self, choice: _Choice, verdict: Verdict, barred: Collection[int]) -> tuple[int, float]:
        """Return the entity of a mention and its probability among the entities that are possible."""
        candidates, weights, total = choice.candidates, choice.weights, choice.total
        if barred or verdict is not NOTHING_KNOWN:
            free = self._select_possible(choice, verdict, barred)
            excluded = sum(weights) - sum(weights[at] for at in free)
            candidates, weights = [candidates[at] for at in free], [weights[at] for at in free]
            total = max(total - excluded, choice.new)
        best, weight = self._best(candidates, weights)
        attraction = weight / self._sizes[best] ** self._crowd if best is not None else 0.0
        calibration = self.options.calibration
        if best is not None and attraction >= choice.new:
            probability = calibrate(weight / total, calibration.link)
            if probability >= self.options.min_link:
                return best, probability
        return choice.number, calibrate(choice.new / total, calibration.new)

    def _make_room(self, choice: _Choice, verdict: Verdict) -> None:
        """Move an earlier mention out of the entity of this one if both decisions together are then more probable.

        Otherwise the one that is read first would always win: *her mother* before *her*.
        """
        entity, _ = self._choose(choice, verdict, ())
        if entity == choice.number:
            return
        for earlier, its_verdict in self._recent:
            other = earlier.number
            if other not in verdict.barred or self.entity[other] != entity or entity == other:
                continue
            barred = {self.entity[third] for third in its_verdict.barred}
            elsewhere, probability = self._choose(earlier, its_verdict, {entity, *barred})
            instead, _ = self._choose(choice, verdict, {entity})
            stays = self._weight(earlier, entity) * self._weight(choice, instead)
            moves = self._weight(earlier, elsewhere) * self._weight(choice, entity)
            if moves > stays:
                self._sizes[entity] -= 1
                self.entity[other], self.probability[other] = elsewhere, probability
                self.is_link[other] = elsewhere != other
                self._sizes[elsewhere] = self._sizes.get(elsewhere, 0) + 1

    def _weight(self, choice: _Choice, entity: int) -> float:
        """Return the weight of an entity for a mention."""
        if entity == choice.number:
            return choice.new
        return sum(
            weight
            for candidate, weight in zip(choice.candidates, choice.weights, strict=True)
            if self.entity[candidate] == entity
        )

    def _select_possible(self, choice: _Choice, verdict: Verdict, barred: Collection[int]) -> list[int]:
        """Return the indices of the candidates whose entities are possible."""
        if verdict.alone:
            return []
        judged: dict[int, bool] = {}
        for candidate in choice.candidates:
            entity = self.entity[candidate]
            if entity not in judged:
                judged[entity] = entity not in barred and not self._excludes(entity, verdict)
        return [at for at, candidate in enumerate(choice.candidates) if judged[self.entity[candidate]]]

    def _excludes(self, entity: int, verdict: Verdict) -> bool:
        """Return whether an entity has properties that the mention does not have."""
        return any(is_conflict(own, other) for own in verdict.traits for other in self._traits.get(entity, ()))

    def _best(self, candidates: Sequence[int], weights: Sequence[float]) -> tuple[int | None, float]:
        """Return the best entity and its weight."""
        if not candidates:
            return None, 0.0
        entity = self.entity
        if self.options.decoding == "antecedent":
            at = weights.index(max(weights))
            return entity[candidates[at]], weights[at]
        sums: dict[int, float] = {}
        for candidate, weight in zip(candidates, weights, strict=True):
            of = entity[candidate]
            sums[of] = sums.get(of, 0.0) + weight
        crowd, sizes = self._crowd, self._sizes
        best = max(sums, key=lambda of: sums[of] / sizes[of] ** crowd) if crowd else max(sums, key=sums.__getitem__)
        return best, sums[best]


Item = TypeVar("Item")
Result = TypeVar("Result")


def prefetch(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its result in order, while the next result is computed in a thread.

    This is faster if the work releases the GIL, as onnxruntime does. Errors are raised when their item is due.
    """
    rest = iter(items)
    for first in rest:
        second = list(islice(rest, 1))
        if not second:  # nothing to do meanwhile
            yield first, work(first)
            return
        with ThreadPoolExecutor(1) as thread:
            item, coming = first, thread.submit(work, first)
            for following in chain(second, rest):
                later = thread.submit(work, following)
                yield item, coming.result()
                item, coming = following, later
            yield item, coming.result()


TENS = frozenset({"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"})


def correct_heads(words: DocumentWords, mentions: Mentions, heads: Ints) -> Ints:
    """Return the heads, corrected if a head is a title before a name or the tens of a number (`forty - two`)."""
    columns = (heads.tolist(), mentions.end.tolist())
    return np.array([_correct_head(words.forms, head, end) for head, end in zip(*columns, strict=True)], dtype=np.int64)


def _correct_head(forms: list[str], head: int, end: int) -> int:
    titles = language("en").titles
    while (
        head + 1 < end and forms[head].lower() in titles and all(form[:1].isupper() for form in forms[head : head + 2])
    ):
        head += 1
    if head + 2 < end and forms[head + 1] == "-" and forms[head].lower() in TENS:
        return head + 2
    return head


BATCH = 8
"""Documents that are taken from a stream at once."""


@dataclass(frozen=True, slots=True)
class ResolveOptions:
    """Options of a model. `window` is in pieces; `block` is the number of windows encoded together."""

    window: int = 256
    right: int | None = None
    """Pieces of context after a sentence that has a window of its own; None where sentences share windows."""
    block: int = 4
    candidates: int = 150
    coarse: int = 0
    """So many first columns of queries and keys give the coarse score by which candidates are chosen."""
    antecedents: int = 0
    """So many candidates are chosen; 0 for all."""
    mention_bias: float = 0.0
    """How much more probable mentions are made than the model finds them, as a score."""
    min_mention: float = 0.0
    singletons: bool = True
    min_singleton: float = 0.0
    """The least probability of a mention that nothing is linked to."""
    reduce: Reduction | None = None
    """How mentions are reduced to their heads in the end, if they are."""
    english: bool = False
    """Whether English words correct heads."""
    constraints: frozenset[str] = frozenset()
    """Names of the rules that exclude or require links."""
    link: LinkOptions = field(default_factory=LinkOptions)


@dataclass(slots=True)
class Reading:
    """The intermediate state of a document."""

    doc: Document
    words: DocumentWords
    pieces: list[tuple[int, ...]]
    parts: list[Part]
    given: list[Span]
    maker: PairMaker
    linker: EntityLinker
    constraints: Constraints
    keys: Memory[np.float32] = field(default_factory=Memory)
    detected: list[tuple[int, int, int, float]] = field(default_factory=list)
    """The mentions so far: start, end, head, probability."""
    types: list[Floats] = field(default_factory=list)
    """The probabilities of the entity types of these mentions, if the model predicts types."""
    syntax: Syntax | None = None
    """The trees of the words so far, if the model predicts trees."""


Block = Sequence[tuple[Reading, Part]]


class LinkStep(NamedTuple):
    """The mentions of a part with their pairs; `first` is the number of the first of them in the document."""

    reading: Reading
    pairs: Pairs
    scores: MentionScores
    first: int
    verdicts: list[Verdict]


class NeuralResolver:
    """Resolves documents with a neural model. `corpus` is the number of the annotation scheme, 0 for none."""

    def __init__(
        self,
        scorer: Scorer,
        pieces: Pieces,
        detector: Detector,
        *,
        name: str,
        features: Sequence[str] = BASIC,
        columns: Sequence[str] = (),
        types: Sequence[str] = (),
        corpus: int = 0,
        given: bool = False,
        options: ResolveOptions | None = None,
    ) -> None:
        self.scorer = scorer
        self.pieces = pieces
        self.detector = detector
        self.name = name
        self.features = features
        self.columns = columns
        self.types = types
        self.corpus = corpus
        self.given = given
        self.options = options or ResolveOptions()

    def __call__(self, doc: Document) -> Document:
        return next(self.pipe([doc], batch_size=1))

    def pipe(self, docs: Iterable[Document], *, batch_size: int = BATCH) -> Iterator[Document]:
        """Yield the resolved documents in order; batching does not change the result."""
        stream = iter(docs)
        while batch := list(islice(stream, batch_size)):
            readings = [self._begin(doc) for doc in batch]
            blocks = make_blocks(readings, self.options.block * self.options.window)
            for block, (vectors, logits) in prefetch(self._encode, blocks):
                self._read(block, vectors, logits)
            yield from map(self._assemble, readings)

    @property
    def _context(self) -> Context | None:
        return None if self.options.right is None else Context(self.options.window, self.options.right)

    def _begin(self, doc: Document) -> Reading:
        words = with_columns(document_words(doc), doc, self.columns)
        pieces = self.pieces.of(words.forms)
        windows = make_windows(words, pieces, self.options.window, self._context)
        parts = make_parts(windows, self._lengths(windows, pieces), words, self.options.block)
        _warn_of_cuts(doc, words, parts)
        return Reading(
            doc=doc,
            words=words,
            pieces=pieces,
            parts=parts,
            given=self._given_spans(doc, words) if self.given else [],
            maker=PairMaker(words, self.options.candidates, self.features),
            linker=EntityLinker(self.options.link, find_speech(doc, words, self.options.constraints)),
            constraints=Constraints(words, self.options.constraints),
        )

    def _lengths(self, windows: Sequence[Span], pieces: Sequence[tuple[int, ...]]) -> list[int]:
        """Return the number of pieces of each window, with its special tokens."""
        if self._context is not None:
            return [self.options.window] * len(windows)
        return [sum(map(len, pieces[start:end])) + 2 for start, end in windows]

    def _given_spans(self, doc: Document, words: DocumentWords) -> list[Span]:
        """Return the given spans that the model can use; the others stay singletons."""
        inside = (mention for mention, _ in doc.mentions() if self._is_span(mention.positions, words))
        return in_reading_order(span for mention in inside if (span := word_span(mention, words)) is not None)

    def _encode(self, block: Block) -> tuple[Floats, Floats]:
        """Return the word vectors and tag scores of a block."""
        batch = join_batches(
            [make_batch(r.words, r.pieces, part.windows, self.pieces, self._context) for r, part in block]
        )
        return self.scorer.words(batch, self.corpus)

    def _read(self, block: Block, vectors: Floats, logits: Floats) -> None:
        """Find and link the mentions of a block."""
        # the words of the parts stand one after another: the shift leads from them to those of the document
        ends = np.cumsum([part.end - part.start for _, part in block]).tolist()
        shifts = [part.end - end for (_, part), end in zip(block, ends, strict=True)]
        spans = self._given_in(block) if self.given else self._detect(block, shifts, logits)
        if not self.given:
            spans = [reading.constraints.complete(own) for (reading, _), own in zip(block, spans, strict=True)]
        detected = [
            (reading, describe(reading.words, own), shift)
            for (reading, _), own, shift in zip(block, spans, shifts, strict=True)
        ]
        if any(spans):
            self._parse(block, shifts, vectors)
            self._link(detected, vectors)

    def _parse(self, block: Block, shifts: Sequence[int], vectors: Floats) -> None:
        """Predict the trees of a block if a constraint needs them."""
        if not self.options.constraints & NEEDS_SYNTAX:
            return
        arcs = self.scorer.syntax(vectors)
        if arcs is None:
            return
        for (reading, part), shift in zip(block, shifts, strict=True):
            if reading.syntax is None:
                reading.syntax = Syntax.empty(len(reading.words))
            for start, end in part.sentences(reading.words):
                rows = slice(start - shift, end - shift)
                parents = (arcs.child[rows] @ arcs.parent[rows].T).argmax(1)
                reading.syntax.put(start, parents, arcs.relation[rows])

    def _given_in(self, block: Block) -> list[list[Span]]:
        spans = []
        for reading, part in block:
            first, last = (bisect_left(reading.given, (border, 0)) for border in (part.start, part.end))
            spans.append([span for span in reading.given[first:last] if span[1] <= part.end])
        return spans

    def _detect(self, block: Block, shifts: Sequence[int], logits: Floats) -> list[list[Span]]:
        """Detect the mentions of each part, for the whole block together if sentences are independent."""
        if self.options.mention_bias:
            logits = self.detector.raise_mentions(logits, self.options.mention_bias)
        sentences = [
            [(start - shift, end - shift) for start, end in part.sentences(reading.words)]
            for (reading, part), shift in zip(block, shifts, strict=True)
        ]
        if self.detector.by_sentence:
            detected = self.detector.decode(logits, [span for own in sentences for span in own])
        else:
            detected = [span for own in sentences for span in self.detector.decode(logits, own)]
        spans: list[list[Span]] = []
        at = 0
        for own, shift in zip(sentences, shifts, strict=True):
            begin = at
            while at < len(detected) and detected[at][0] < own[-1][1]:
                at += 1
            spans.append([(start + shift, end + shift) for start, end in detected[begin:at]])
        return spans

    def _link(self, blocks: Sequence[tuple[Reading, Mentions, int]], vectors: Floats) -> None:
        local = (
            replace(mentions, start=mentions.start - shift, end=mentions.end - shift) for _, mentions, shift in blocks
        )
        scores = self.scorer.mentions(vectors, join_mentions(list(local)))
        steps: list[LinkStep] = []
        at = 0
        for reading, mentions, shift in blocks:
            own = self._calibrate(_select_scores(scores, slice(at, at + len(mentions))))
            at += len(mentions)
            if not self.given and self.options.min_mention > 0:
                sure = np.flatnonzero(own.probability >= self.options.min_mention)
                mentions, own = rows(mentions, sure), _select_scores(own, sure)
            if len(mentions):
                steps.append(self._pair(reading, mentions, own, shift))
        if steps:
            self._score_links(steps)

    def _calibrate(self, scores: MentionScores) -> MentionScores:
        """Return the scores with corrected probabilities of mentions."""
        line = self.options.link.calibration.mention
        if line == Calibration().mention:
            return scores
        corrected = [calibrate(probability, line) for probability in scores.probability.tolist()]
        return replace(scores, probability=np.array(corrected, dtype=np.float32))

    def _pair(self, reading: Reading, mentions: Mentions, scores: MentionScores, shift: int) -> LinkStep:
        """Pair the next mentions of a document with those before them."""
        heads = scores.head + shift
        first = len(reading.detected)
        reading.keys.add(scores.key)
        size, limit = self.options.coarse, self.options.antecedents
        choice = coarse_choice(scores.query, reading.keys, size=size, limit=limit, before=first)
        pairs = reading.maker.add(mentions, heads, choice)
        verdicts = reading.constraints.add(mentions, heads, reading.syntax, self._sure_types(scores))
        if self.options.english:
            heads = correct_heads(reading.words, mentions, heads)  # not before: links were learned with its own
        if reading.linker.speech is not None:
            reading.linker.speech.add(mentions, heads, first)
        columns = (mentions.start, mentions.end, heads, scores.probability)
        reading.detected += zip(*(column.tolist() for column in columns), strict=True)
        if scores.types is not None:
            reading.types += list(scores.types)
        return LinkStep(reading, pairs, scores, first, verdicts)

    def _sure_types(self, scores: MentionScores) -> list[str]:
        """Return the type of each mention, empty where the model is not sure."""
        if scores.types is None:
            return []
        rows = zip(scores.types.argmax(1).tolist(), scores.types.max(1).tolist(), strict=True)
        return [self.types[best] if probability >= SURE else "" for best, probability in rows]

    def _score_links(self, steps: Sequence[LinkStep]) -> None:
        """Score the pairs of all documents at once, then put each mention into its entity."""
        anaphors, candidates, keys = [], [], []
        queries = known = 0
        for step in steps:
            # only the candidates that occur, so that the arrays stay small however long the document is
            used, candidate = np.unique(step.pairs.candidate, return_inverse=True)
            anaphors.append(step.pairs.anaphor - step.first + queries)
            candidates.append(candidate + known)
            keys.append(step.reading.keys[used])
            queries += len(step.scores)
            known += len(used)
        features = [step.pairs.features for step in steps]
        pairs = Pairs(np.concatenate(anaphors), np.concatenate(candidates), np.concatenate(features))
        scores = np.zeros(0, dtype=np.float32)
        if len(pairs):
            query = np.concatenate([step.scores.query for step in steps])
            scores = self.scorer.links(query, np.concatenate(keys), pairs)
        at = 0
        for step in steps:
            step.reading.linker.add(step.pairs, scores[at : at + len(step.pairs)], step.scores.new, step.verdicts)
            at += len(step.pairs)

    def _assemble(self, reading: Reading) -> Document:
        doc, words, linker = reading.doc, reading.words, reading.linker
        clusters: dict[int, list[Mention]] = {}
        types: dict[int, list[Floats]] = {}
        rest = {mention.positions: mention for mention, _ in doc.mentions()} if self.given else {}
        for number, (start, end, head, confidence) in enumerate(reading.detected):
            positions = tuple(words.positions[start:end])
            mention = rest.pop(positions, None) if self.given else None
            if mention is None:
                sure = {DETECTION: f"{confidence:.4f}"}
                mention = Mention(doc.tokens, positions, words.positions[head], sure)
            by = f"{self.name}/{'link' if linker.is_link[number] else 'new'}"
            clusters.setdefault(linker.entity[number], []).append(
                add_provenance(mention, by, linker.probability[number])
            )
            if reading.types:
                types.setdefault(linker.entity[number], []).append(reading.types[number])
        kept = [
            number
            for number, group in clusters.items()
            if len(group) > 1 or self._is_kept(*reading.detected[number], reading.constraints.groups)
        ]
        groups = [clusters[number] for number in kept] + [[mention] for mention in rest.values()]
        known = [self._type(types[number]) for number in kept] if types else []
        resolved = with_clusters(doc, groups, types=known + [None] * (len(groups) - len(known)))
        how = None if self.given else self.options.reduce
        return resolved if how is None else reduce_to_heads(resolved, how)

    def _type(self, probabilities: Sequence[Floats]) -> EntityType:
        """Return the most probable type of an entity: the mean over its mentions."""
        mean = np.mean(probabilities, axis=0)
        best = int(mean.argmax())
        return EntityType(self.types[best], float(mean[best]))

    def _is_kept(self, start: int, end: int, head: int, probability: float, groups: Collection[Span]) -> bool:
        """Return whether a mention without links is kept: a given one always, a group that was added never."""
        if (start, end) in groups:
            return False
        return self.options.singletons and (self.given or probability >= self.options.min_singleton)

    def _is_span(self, positions: tuple[int, ...], words: DocumentWords) -> bool:
        """Return whether a given mention is a contiguous span of one sentence, which the model can use."""
        places = [words.word_at.get(position) for position in positions]
        if None in places:
            return False
        first, last = places[0], places[-1]
        assert first is not None
        assert last is not None
        return last - first + 1 == len(places) and words.sentence_of[first] == words.sentence_of[last]


def _warn_of_cuts(doc: Document, words: DocumentWords, parts: Sequence[Part]) -> None:
    """Warn about sentences that are too long for one block."""
    ends = {end for _, end in words.sentences}
    cut = list(dict.fromkeys(int(words.sentence_of[part.end]) for part in parts if part.end not in ends))
    if not cut:
        return
    start, end = words.sentences[cut[0]]
    char = doc.tokens.start_char(words.positions[start])
    line = doc.text.count("\n", 0, char) + 1
    others = f" (and {count(len(cut) - 1, 'other sentence')} like it)" if len(cut) > 1 else ""
    message = (
        f"{doc.id or 'document'}: the sentence at line {line}, character {char}, has {end - start:,} words{others}; it "
        "is read in parts, so mentions across two parts may be cut; add full stops or line breaks if it is not one "
        "sentence"
    )
    warnings.warn(DataWarning(message, code="long-sentence", details={"document": doc.id}), stacklevel=2)


def _select_scores(scores: MentionScores, keep: Ints | slice) -> MentionScores:
    columns: dict[str, Any] = {name: getattr(scores, name) for name in MentionScores.__slots__}
    kept: dict[str, Any] = {name: None if values is None else values[keep] for name, values in columns.items()}
    return MentionScores(**kept)
