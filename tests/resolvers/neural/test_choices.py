"""What a model may choose beside stack tags in packed windows: scored spans, contexts, coarse scores, columns."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import Document
from coindex.document import Token, Tokens
from coindex.resolvers.neural.detection import NO_TARGET, SpanSet, TagSet
from coindex.resolvers.neural.pairs import best_rows, coarse_choice, coarse_size
from coindex.resolvers.neural.resolving import NeuralResolver, ResolveOptions
from coindex.resolvers.neural.runtime import MentionScores
from coindex.resolvers.neural.windows import Context, make_batch, make_windows
from coindex.resolvers.neural.words import (
    COLUMNS,
    NUMBER,
    DocumentWords,
    Pieces,
    document_words,
    remove_columns,
    with_columns,
)


def words(*lengths):
    """Sentences of so many words, each word of as many pieces as it has letters."""
    borders = np.cumsum([0, *lengths]).tolist()
    forms = ["abc"[: 1 + n % 3] for n in range(borders[-1])]
    return DocumentWords(forms, list(range(len(forms))), list(pairwise(borders)), [0] * len(lengths))


def pieces_of(text):
    return [tuple(range(10, 10 + len(form))) for form in text.forms]


class TestSpans:
    SENTENCES = ((0, 3), (3, 5))

    def test_spans_stay_in_their_sentence(self):
        possible = SpanSet(3, 0.5).possible(self.SENTENCES)
        assert possible.astype(int).tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 0]]

    def test_the_best_are_kept_nested_and_crossing(self):
        scores = np.full((5, 3), -9, dtype=np.float32)
        scores[0, 1] = scores[1, 1] = scores[0, 2] = 5  # (0, 2) crosses (1, 3), and (0, 3) holds both
        scores[2, 2] = 99  # goes on in the next sentence
        assert SpanSet(3, 0.6).decode(scores, self.SENTENCES) == [(0, 3), (0, 2), (1, 3)]

    def test_no_more_than_there_are(self):
        assert len(SpanSet(2, 9.0).decode(np.zeros((5, 2), dtype=np.float32), self.SENTENCES)) == 8
        assert SpanSet(2, 0.5).decode(np.zeros((0, 2), dtype=np.float32), []) == []

    def test_targets(self):
        targets = SpanSet(2, 0.5).targets([(0, 3), (1, 3), (3, 4)], self.SENTENCES)
        out = NO_TARGET
        assert targets.tolist() == [[0, 0], [0, 1], [0, out], [1, 0], [0, out]], "(0, 3) is too wide"

    @given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(1, 4), st.randoms())
    def test_gold_scores_give_gold_spans(self, lengths, width, random):
        text = words(*lengths)
        detector = SpanSet(width, 0.5)
        rows, columns = np.nonzero(detector.possible(text.sentences))
        every = [(int(start), int(start + more + 1)) for start, more in zip(rows, columns, strict=True)]
        gold = set(random.sample(every, min(len(every), -(-len(text) // 2))))
        scores = detector.targets(gold, text.sentences).astype(np.float32)
        assert set(detector.decode(scores, text.sentences)) == gold


class TestContexts:
    TABLE = Pieces(None, begin=1, end=2, pad=0, unknown=3)

    @given(st.lists(st.integers(1, 12), min_size=1, max_size=12), st.integers(20, 60), st.integers(0, 20))
    def test_a_window_holds_the_sentence_and_keeps_to_its_limits(self, lengths, limit, right):
        text = words(*lengths)
        pieces, context = pieces_of(text), Context(limit, right)
        windows = make_windows(text, pieces, limit, context)
        assert [word for window in windows for word in range(*window)] == list(range(len(text)))
        batch = make_batch(text, pieces, windows, self.TABLE, context)
        assert batch.mask.sum(axis=1).max() <= limit
        for window in windows:
            first, last = context.around(window, pieces)
            assert first <= window[0] < window[1] <= last
            assert sum(len(pieces[word]) for word in range(window[1], last)) <= right
            room = limit - 4 - sum(len(pieces[word]) for word in range(first, last))
            assert first == 0 or room < len(pieces[first - 1]), "the text before fills what is left"

    def test_marks_stand_around_the_sentence_and_words_lead_into_it(self):
        text = DocumentWords(["a", "bb", "c", "d", "e"], list(range(5)), [(0, 2), (2, 4), (4, 5)], [0, 0, 0])
        pieces = [(10,), (11, 12), (13,), (14,), (15,)]
        batch = make_batch(text, pieces, [(2, 4), (4, 5)], self.TABLE, Context(20, 1))
        assert batch.ids.tolist() == [[1, 10, 11, 12, 2, 13, 14, 2, 15, 2], [1, 10, 11, 12, 13, 14, 2, 15, 2, 2]]
        assert batch.piece_index.tolist() == [[5], [6], [17]]
        assert batch.piece_weight.tolist() == [[1], [1], [1]]

    def test_no_following_text_unless_requested(self):
        text = words(2, 2)
        assert Context(40, 0).around((0, 2), pieces_of(text)) == (0, 2)


class TestCoarse:
    def test_the_best_of_each_are_kept_in_their_order(self):
        anaphor = np.array([1, 2, 2, 3, 3, 3])
        scores = np.array([-5, 1, 2, 3, 1, 2], dtype=np.float32)
        assert best_rows(anaphor, scores, 2).tolist() == [0, 1, 2, 3, 5]
        assert best_rows(anaphor[:0], scores[:0], 2).tolist() == []

    def test_products_of_the_first_columns_decide(self):
        query = np.array([[1, 0, 50], [0, 1, 50]], dtype=np.float32)  # of the mentions 3 and 4
        keys = np.array([[5, 0, 9], [0, 5, 9], [1, 1, -9], [0, 0, 0], [0, 0, 0]], dtype=np.float32)
        choose = coarse_choice(query, keys, size=2, limit=1, before=3)
        anaphor, candidate = np.array([3, 3, 3, 4, 4, 4]), np.array([0, 1, 2, 0, 1, 2])
        assert choose(anaphor, candidate).tolist() == [0, 4]

    def test_without_a_coarse_score_or_limit_all_are_kept(self):
        rows = np.zeros((2, 2), dtype=np.float32)
        assert coarse_choice(rows, rows, size=0, limit=5) is None
        assert coarse_choice(rows, rows, size=2, limit=0) is None
        assert (coarse_size("ranking", 8), coarse_size("attention", 8)) == (9, 0)


class TestColumns:
    DOC = Document.from_sentences(
        Tokens(
            [
                Token("1", "She", upos="PRON", feats="Gender=Fem,Neut|Number=Sing", head="2", deprel="nsubj:pass"),
                Token("1.1", "_", upos="PRON"),
                Token("2", "left", upos="VERB", feats="Mood=Ind", head="0", deprel="root"),
                Token("3", "!", upos="ODD"),
            ]
        ),
        [4],
    )

    def test_values(self):
        names = ("upos", "deprel", "Gender", "Number")
        found = with_columns(document_words(self.DOC), self.DOC, names)
        she = [NUMBER["upos"]["PRON"], NUMBER["deprel"]["nsubj"], NUMBER["Gender"]["Fem"], NUMBER["Number"]["Sing"]]
        left = [NUMBER["upos"]["VERB"], NUMBER["deprel"]["root"], 0, 0]
        assert found.columns.tolist() == [she, left, [0, 0, 0, 0]], "the empty node is no word, ODD no part of speech"
        assert not remove_columns(found).columns.any()

    def test_words_stay_the_same_without_columns(self):
        plain = document_words(self.DOC)
        assert with_columns(plain, self.DOC, ()) is plain
        assert remove_columns(plain) is plain

    def test_numbers_fit(self):
        assert all(max(NUMBER[name].values()) + 1 == count for name, count in COLUMNS.items())


class Letters:
    class Encoding:
        def __init__(self, ids):
            self.ids = ids

    def encode(self, form, *, add_special_tokens):
        return self.Encoding([10 + ord(letter) for letter in form])

    def token_to_id(self, token):
        return None


class Watched:
    """Every word is a mention of its own, and the largest arrays are remembered."""

    def __init__(self, outputs):
        self.outputs = outputs
        self.most = {}

    def _see(self, **sizes):
        for name, size in sizes.items():
            self.most[name] = max(self.most.get(name, 0), size)

    def words(self, batch, corpus):
        self._see(pieces=batch.ids.size, words=len(batch.piece_index))
        scores = np.zeros((len(batch.piece_index), self.outputs), dtype=np.float32)
        scores[:, 1 if self.outputs == 2 else 0] = 5
        return scores, scores

    def mentions(self, vectors, mentions):
        count = len(mentions)
        self._see(mentions=count)
        rows, flat = np.ones((count, 4), dtype=np.float32), np.ones(count, dtype=np.float32)
        return MentionScores(mentions.start, rows, rows, flat, flat / 4)

    def links(self, query, key, pairs):
        self._see(pairs=len(pairs), keys=len(key))
        return np.zeros(len(pairs), dtype=np.float32)


CHOICES = {
    "tags": (TagSet(("", "PUSH,POP:1")), {}),
    "spans": (SpanSet(3, 0.5), {}),
    "spans, coarse": (SpanSet(3, 0.5), {"coarse": 2, "antecedents": 4}),
    "tags, sentences": (TagSet(("", "PUSH,POP:1")), {"right": 8}),
}


def resolve(choice, sentences):
    detector, options = CHOICES[choice]
    scorer = Watched(detector.outputs)
    pieces = Pieces(Letters(), begin=1, end=2, pad=0, unknown=3)
    made = ResolveOptions(window=40, candidates=20, **options)
    resolver = NeuralResolver(scorer, pieces, detector, name="toy", features=("gap",), options=made)
    # every sentence has words of its own: mentions that look alike may be antecedents from anywhere
    text = " ".join(f"w{n} x{n} y{n} z{n} ." for n in range(sentences))
    return resolver(Document.from_text(text)), scorer.most


@pytest.mark.parametrize("choice", CHOICES)
def test_arrays_do_not_grow_with_the_document(choice):
    _, some = resolve(choice, 150)
    _, many = resolve(choice, 600)
    assert set(some) == {"pieces", "words", "mentions", "pairs", "keys"}
    assert all(size <= 1.2 * some[name] for name, size in many.items()), (some, many)


def test_coarse_scores_leave_few_pairs():
    _, fine = resolve("spans", 150)
    _, coarse = resolve("spans, coarse", 150)
    assert coarse["pairs"] * 4 < fine["pairs"]


def test_spans_that_are_hardly_mentions_do_not_stay_alone():
    detector, _ = CHOICES["spans"]
    pieces = Pieces(Letters(), begin=1, end=2, pad=0, unknown=3)
    doc = Document.from_text("a b c d .")
    found = {}
    for least in (0.2, 0.3):
        options = ResolveOptions(window=40, candidates=20, min_singleton=least)
        made = NeuralResolver(Watched(3), pieces, detector, name="toy", features=("gap",), options=options)
        found[least] = made(doc).entities  # nothing is linked, and every probability is 1/4
    assert len(found[0.2]) == 3
    assert found[0.3] == ()


def find(tags, text, **options):
    """What is found with the best two tags, the first word of each mention its head."""
    pieces = Pieces(Letters(), begin=1, end=2, pad=0, unknown=3)
    made = ResolveOptions(window=40, **options)
    resolver = NeuralResolver(Watched(2), pieces, TagSet(tags), name="toy", features=("gap",), options=made)
    return resolver(Document.from_text(text))


@pytest.mark.parametrize(
    ("reduce", "spans"), [(None, [(0, 1), (0,)]), ("smaller", [(0, 1), (0,)]), ("all", [(0,), (0,)]), ("merge", [(0,)])]
)
def test_mentions_may_be_reduced_to_their_heads(reduce, spans):
    # two mentions begin at the first word, and the one ends there
    found = find(("PUSH,PUSH,POP:1", "POP:1"), "old dogs", reduce=reduce)
    assert sorted((m.positions for m, _ in found.mentions()), reverse=True) == spans
    assert [m.positions for m, _ in find(("PUSH", "POP:1"), "old dogs", reduce="smaller").mentions()] == [(0,)]


@pytest.mark.parametrize(("english", "head"), [(False, 0), (True, 1)])
def test_english_words_settle_heads_only_where_they_may(english, head):
    found = find(("PUSH", "POP:1"), "Dr. Hill", english=english)
    assert [mention.head for mention, _ in found.mentions()] == [head]
