"""Blocks: windows of several documents side by side."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.resolvers.neural.windows import Batch, Part, join_batches, make_batch, make_blocks, make_parts
from coindex.resolvers.neural.words import DocumentWords, Pieces


class Letters:
    """A tokenizer whose pieces are letters."""

    class Encoding:
        def __init__(self, ids):
            self.ids = ids

    def encode(self, form, *, add_special_tokens):
        return self.Encoding([ord(letter) for letter in form])

    def token_to_id(self, token):
        return None


PIECES = Pieces(Letters(), begin=1, end=2, pad=0, unknown=3)


def words(*sentences):
    forms = [form for sentence in sentences for form in sentence.split()]
    ends = np.cumsum([len(sentence.split()) for sentence in sentences]).tolist()
    spans = list(zip([0, *ends[:-1]], ends, strict=True))
    return DocumentWords(forms, list(range(len(forms))), spans, [0] * len(spans))


def batch(text, windows):
    return make_batch(text, PIECES.of(text.forms), windows, PIECES)


def looked_up(batch: Batch):
    """The ids that each word is led to."""
    flat = batch.ids.reshape(-1)
    return [
        [int(flat[at]) for at, weight in zip(places, weights, strict=True) if weight]
        for places, weights in zip(batch.piece_index, batch.piece_weight, strict=True)
    ]


def test_joined_batches_lead_from_words_to_their_pieces():
    first, second = words("ab c", "d"), words("efghi jk")
    parts = [batch(first, [(0, 2), (2, 3)]), batch(second, [(0, 2)])]
    joined = join_batches(parts)
    assert joined.ids.shape == (3, 9)
    assert looked_up(joined) == looked_up(parts[0]) + looked_up(parts[1])
    assert looked_up(joined) == [[ord(letter) for letter in form] for form in first.forms + second.forms]
    assert joined.mask.sum(axis=1).tolist() == [5, 3, 9]
    assert np.allclose(joined.piece_weight.sum(axis=1), 1)


def test_a_part_goes_on_until_a_sentence_ends():
    text = words("a b c d", "e f")
    parts = make_parts([(0, 2), (2, 4), (4, 6)], [4, 4, 4], text, most=3)
    assert [part.windows for part in parts] == [((0, 2), (2, 4)), ((4, 6),)]
    assert parts[0].sentences(text) == [(0, 4)]


def test_a_sentence_without_end_is_cut_after_some_windows():
    text = words("a b c d e f g h")
    parts = make_parts([(0, 2), (2, 4), (4, 6), (6, 8)], [4] * 4, text, most=2)
    assert [part.windows for part in parts] == [((0, 2), (2, 4)), ((4, 6), (6, 8))]
    assert [part.sentences(text) for part in parts] == [[(0, 4)], [(4, 8)]]


@dataclass
class Reading:
    parts: list[Part]


def part(start, length):
    return Part(((start, start + 1),), length)


@given(st.lists(st.lists(st.integers(3, 50), max_size=6), max_size=8), st.integers(50, 200))
def test_blocks_hold_every_part_in_order_and_stay_small(lengths, area):
    readings = [Reading([part(at, length) for at, length in enumerate(own)]) for own in lengths]
    blocks = list(make_blocks(readings, area))
    seen = [pair for block in blocks for pair in block]
    for reading in readings:
        assert [found for other, found in seen if other is reading] == reading.parts
    assert len(seen) == sum(map(len, lengths))
    for block in blocks:
        assert len(block) == 1 or len(block) * max(found.longest for _, found in block) <= area


def test_documents_of_similar_length_share_a_block():
    short, long, other = Reading([part(0, 10)]), Reading([part(0, 100)]), Reading([part(0, 12)])
    blocks = list(make_blocks([short, long, other], 110))
    assert [[pair[0] for pair in block] for block in blocks] == [[short, other], [long]]


@pytest.mark.parametrize("area", [1, 10**6])
def test_nothing_gives_no_block(area):
    assert list(make_blocks([Reading([])], area)) == []
