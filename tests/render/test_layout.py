"""Layout: units, marks properly nested, lanes that do not collide."""

from hypothesis import given, settings
from hypothesis import strategies as st

from coindex.document import Document, Entity, Mention, Multiword, Sentence, Token, Tokens
from coindex.render.layout import Close, Layout, Open, Unit
from stories import story
from strategies import documents


@st.composite
def sprawling(draw):
    """Any sets of positions as mentions, over sentence boundaries too, of empty nodes and words."""
    size = draw(st.integers(1, 14))
    tokens = Tokens(
        Token(
            f"{n}.1" if draw(st.integers(0, 3)) == 0 else str(n + 1),
            f"w{n}",
            space=draw(st.sampled_from(" \n")),
        )
        for n in range(size)
    )
    cut = draw(st.integers(0, size))
    sentences = tuple(Sentence(tokens, a, b) for a, b in ((0, cut), (cut, size)) if a < b)
    sets = draw(st.lists(st.sets(st.integers(0, size - 1), min_size=1), max_size=8))
    entities = tuple(Entity(f"e{n}", (Mention(tokens, tuple(sorted(s))),)) for n, s in enumerate(sets))
    return Document(tokens, sentences, entities)


anything = sprawling() | documents()


@settings(deadline=None)
@given(anything)
def test_text_comes_out_character_by_character(doc):
    text = "".join(
        piece.text if isinstance(piece, Unit) else piece
        for line in Layout(doc).lines()
        for piece in line.pieces
        if isinstance(piece, Unit | str)
    )
    assert text == doc.text


@settings(deadline=None)
@given(anything)
def test_marks_are_nested_and_cover_their_mentions(doc):
    layout = Layout(doc)
    covered: dict[int, set[int]] = {}
    stack = []
    for line in layout.lines():
        for piece in line.pieces:
            if isinstance(piece, Open):
                stack.append(piece.mark)
            elif isinstance(piece, Close):
                assert stack.pop() is piece.mark
            elif isinstance(piece, Unit):
                for mark in stack:
                    if not mark.is_gap:
                        covered.setdefault(mark.mention, set()).add(piece.position)
        assert not stack, "a line closes all it opens"
    for index, (mention, _) in enumerate(layout.mentions):
        wanted = {layout.units[layout.unit_of[p]].position for p in mention.positions if layout.unit_of[p] >= 0}
        # a zero of another mention may stand in between without tearing it
        extra = {p for p in covered[index] - wanted if doc.tokens[p].is_empty}
        assert covered[index] - extra == wanted


@settings(deadline=None)
@given(anything)
def test_every_part_begins_and_ends_once(doc):
    starts, ends = [], []
    for line in Layout(doc).lines():
        for piece in line.pieces:
            if isinstance(piece, Open) and piece.is_start:
                starts.append(piece.mark)
            elif isinstance(piece, Close) and piece.is_end:
                ends.append(piece.mark)
    assert len(starts) == len(set(starts))
    assert set(starts) == set(ends)
    assert len(ends) == len(set(ends))
    for mark in starts:
        parts = sorted(m.part for m in starts if m.mention == mark.mention and not m.is_gap)
        assert parts == list(range(1, mark.parts + 1))


@settings(deadline=None)
@given(anything)
def test_lanes_do_not_collide_and_the_longer_is_below(doc):
    marks, depths = Layout(doc)._marks()
    for number, mark in enumerate(marks):
        assert mark.lane < max(depths[mark.start : mark.end])
        for other in marks[number + 1 :]:
            if mark.mention != other.mention and mark.start < other.end and other.start < mark.end:
                assert mark.lane != other.lane
                if mark.parts == other.parts == 1 and mark.end - mark.start != other.end - other.start:
                    short, long = sorted((mark, other), key=lambda m: m.end - m.start)
                    assert short.lane < long.lane


def test_nested_mentions_have_their_lanes_inside_out():
    doc = story()
    marks, _ = Layout(doc)._marks()
    lanes = {doc.mentions()[mark.mention][0].text: mark.lane for mark in marks if mark.end <= 8}
    assert lanes == {"The mayor of the town by the river": 2, "the town by the river": 1, "the river": 0}


def test_speakers_and_paragraphs():
    tokens = Tokens([Token("1", "a", space="\n"), Token("1", "b", space="\r\n\r\n"), Token("1", "c", space="\n")])
    sentences = tuple(Sentence(tokens, n, n + 1, speaker=who) for n, who in enumerate(("Ann", "Ann", None)))
    lines = list(Layout(Document(tokens, sentences)).lines())
    assert [(line.turn, line.is_paragraph, line.number) for line in lines] == [
        ("Ann", True, 0),
        (None, False, 1),
        ("—", True, 2),
    ]


def test_a_new_paragraph_of_conllu_is_one():
    tokens = Tokens([Token("1", "a", space="\n"), Token("1", "b", space="\n")])
    sentences = (Sentence(tokens, 0, 1), Sentence(tokens, 1, 2, comments=("# newpar id = p2",)))
    assert [line.is_paragraph for line in Layout(Document(tokens, sentences)).lines()] == [True, True]


def test_words_of_a_multiword_token_are_one_unit_and_its_zero_another():
    tokens = Tokens(
        [Token("1", "de"), Token("1.1", "_"), Token("2", "el"), Token("3", "mar")],
        multiwords=[Multiword(0, 3, "del")],
    )
    zero, sea = Mention(tokens, (1,)), Mention(tokens, (2, 3))
    layout = Layout(Document(tokens, (Sentence(tokens, 0, 4),), (Entity("a", (zero,)), Entity("b", (sea,)))))
    assert [(unit.text, unit.is_zero) for unit in layout.units] == [
        ("del", False),
        ("", True),
        ("mar", False),
    ]
    assert layout.unit_of == [0, 1, 0, 2]
    assert layout._parts(sea) == [(0, 3)]


def test_text_outside_of_sentences_is_drawn():
    tokens = Tokens([Token("1", "a"), Token("1", "b"), Token("1", "c")], prefix="  ")
    lines = list(Layout(Document(tokens, (Sentence(tokens, 1, 2),))).lines())
    assert [line.number for line in lines] == [None, 0, None]
    assert [len(list(Layout(Document(Tokens(prefix=text))).lines())) for text in ("", " \n")] == [0, 1]
