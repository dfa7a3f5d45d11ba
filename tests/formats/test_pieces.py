"""CorefUD files read in pieces: the same documents, problems and lines as of the whole."""

from pathlib import Path

import pytest

import coindex
from coindex.document import Document
from coindex.errors import FormatError
from coindex.formats.corefud.brackets import find_borders
from coindex.formats.corefud.reader import Origin
from coindex.formats.registry import get_format
from coindex.formats.source import Piece, Source

TEXT = """\
# global.Entity = eid-etype-head-other
# newdoc id = one
# sent_id = 1
1	Ann	_	_	_	_	0	root	_	Entity=(e1-person-1)
2	left	_	_	_	_	1	dep	_	_


# newdoc id = two
# text = She came back
1	She	_	_	_	_	0	root	_	Entity=(e1-person-1)
2-3	cameback	_	_	_	_	_	_	_	_
2	came	_	_	_	_	1	dep	_	_
3	back	_	_	_	_	1	dep	_	_

1	Good	_	_	_	_	0	root	_	_

# newpar
# newdoc id = three
1	It	_	_	_	_	0	root	_	Entity=(e2--1)
1.1	_	_	_	_	_	_	_	1:dep	Entity=(e2--1)

"""
STARTS = [1, 8, 17]  # the lines that pieces begin at


def put(tmp_path: Path, text: str | bytes = TEXT, name: str = "a.conllu") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def pieces(path: Path) -> list[Piece]:
    borders = find_borders(path)
    ends = [*(border.offset for border in borders[1:]), path.stat().st_size]
    return [Piece(b.offset, end, b.line, b.context) for b, end in zip(borders, ends, strict=True)]


def read_piece(path: Path, piece: Piece) -> list[Document]:
    read = get_format("corefud").read
    assert read is not None
    return list(read(Source(path, piece=piece)))


def test_where_documents_begin(tmp_path: Path) -> None:
    borders = find_borders(put(tmp_path))
    assert [(border.line, border.id) for border in borders] == list(zip(STARTS, ["one", "two", "three"], strict=True))
    assert {border.context for border in borders} == {"eid-etype-head-other"}
    assert [TEXT[border.offset :].split("\n", maxsplit=1)[0] for border in borders] == [
        "# global.Entity = eid-etype-head-other",
        "# newdoc id = two",
        "# newpar",
    ]


def test_pieces_are_the_whole(tmp_path: Path) -> None:
    path = put(tmp_path)
    whole = list(coindex.read(path))
    parts = [doc for piece in pieces(path) for doc in read_piece(path, piece)]
    assert parts == whole
    assert [entity.type for doc in parts for entity in doc.entities] == ["person", "person", None]


def test_every_position_has_its_line_in_pieces_and_in_the_whole(tmp_path: Path) -> None:
    path = put(tmp_path)
    lines = {"one": [4, 5, 5], "two": [10, 12, 13, 15, 15], "three": [19, 20, 20]}  # the last for beyond the end
    parts = [doc for piece in pieces(path) for doc in read_piece(path, piece)]
    for doc in [*coindex.read(path), *parts]:
        origin = doc.origin
        assert isinstance(origin, Origin)
        assert origin.path == str(path)
        assert [origin.line_of(position) for position in range(len(doc.tokens) + 1)] == lines[str(doc.id)]


def test_a_problem_in_a_piece_has_its_line(tmp_path: Path) -> None:
    path = put(tmp_path, TEXT.replace("Entity=(e2--1)\n\n", "Entity=e2)\n\n"))
    with pytest.raises(FormatError) as whole:
        list(coindex.read(path))
    with pytest.raises(FormatError) as part:
        read_piece(path, pieces(path)[-1])
    assert part.value.problem == whole.value.problem
    assert part.value.problem.line == 20


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT.replace("\n", "\r\n"),
        "\ufeff" + TEXT,
        TEXT.replace("# newdoc id = two", "# newdoc"),
        TEXT.replace("# newdoc", "# nodoc"),
    ],
    ids=["empty", "CR LF", "BOM", "a document without an id", "no documents"],
)
def test_files_that_are_read_as_a_whole(text: str, tmp_path: Path) -> None:
    assert find_borders(put(tmp_path, text)) == []


def test_compressed_files_are_read_as_a_whole(tmp_path: Path) -> None:
    import gzip

    assert find_borders(put(tmp_path, gzip.compress(TEXT.encode()), "a.conllu.gz")) == []
    assert find_borders(tmp_path) == []


def test_empty_nodes_without_the_other_tokens(tmp_path: Path) -> None:
    text = TEXT.replace("1.1\t_\t_", "1.1\t_\tit").replace("# newpar\n# newdoc", "# newdoc")
    (*_, cheap), (*_, whole) = (list(coindex.read(put(tmp_path, text))) for _ in range(2))
    tokens = list(whole.tokens)
    assert cheap.tokens.empty_tokens == whole.tokens.empty_tokens == {1: tokens[1]}
    assert tokens[1].lemma == "it"
    assert "_content" not in vars(cheap.tokens)  # nothing else was taken apart


def test_empty_nodes_of_real_corpora(shared_data: Path) -> None:
    for doc in coindex.read(shared_data / "es_ancora/es_ancora-dev.conllu"):
        cheap = doc.tokens.empty_tokens
        assert cheap == {position: token for position, token in enumerate(doc.tokens) if token.is_empty}


def test_real_corpora_in_pieces(shared_data: Path) -> None:
    for path in (shared_data / "en_gum/en_gum-dev.conllu", shared_data / "es_ancora/es_ancora-dev.conllu"):
        if path.exists():
            whole = [(doc.id, len(doc.tokens), doc.entities) for doc in coindex.read(path)]
            parts = [doc for piece in pieces(path) for doc in read_piece(path, piece)]
            assert [(doc.id, len(doc.tokens), doc.entities) for doc in parts] == whole
