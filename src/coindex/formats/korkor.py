"""KorKor, the Hungarian corpus: tab-separated UD columns under a header row, zeros, pointers to antecedents.

Read only. Entities come from the pointers in `corefhead` ("3:9.SUBJ" is token 9.SUBJ of sentence 3): tokens
that identity links connect are one entity. `coref_cluster` is not used: it was generated from these pointers
and splits many chains (only 546 of 983 are complete). A `holo` link is part to whole, and becomes a bridge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from ..document import Bridge, Document, Entity, Mention, Sentence, Token, Tokens, mention_order
from ..document.disjoint_sets import Groups
from ..errors import quote
from .detection import KORKOR_COLUMNS
from .registry import Format
from .source import Source

PART_OF = "holo"
WITHOUT_ANTECEDENT = frozenset({"arb", "speak", "addr"})
"""Types of pronouns that need no antecedent: general, speaker, addressee."""


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    token: Token
    names: tuple[str, str]
    """The ids in the two columns of that name: in the first zeros are 9.1, in the second 9.SUBJ."""
    sentence: str
    pointer: str
    type: str


@dataclass(slots=True)
class _Columns:
    """The index of each column, from the header; `id` may occur twice."""

    header: list[str]
    last_id: int = field(init=False)

    def __post_init__(self) -> None:
        self.last_id = len(self.header) - 1 - self.header[::-1].index("id")

    def get(self, cells: list[str], name: str) -> str:
        """Return the cell of a column, "_" if there is none: rows may be short."""
        column = self.header.index(name) if name in self.header else len(cells)
        return cells[column] if column < len(cells) else "_"


def read(source: Source) -> Iterator[Document]:
    """Read the document of a file."""
    rows = _rows(source)
    if rows is None:
        return
    tokens, sentences = _tokens(rows, source)
    links = _links(rows, source)
    entities, bridges = _entities(tokens, rows, links)
    yield Document(tokens, sentences, entities, id=source.stem, bridges=bridges, language="hu")


def _rows(source: Source) -> list[_Row] | None:
    lines = source.lines()
    first = next(lines, (1, ""))[1]
    header = first.split("\t")
    if not set(header) >= KORKOR_COLUMNS:
        source.problem(
            1,
            f"the header {quote(first)}",
            "column names such as id, form, corefhead",
            "add the header row",
            code="invalid-column-names",
            fragment=first,
        )
        return None
    columns = _Columns(header)
    rows: list[_Row] = []
    sentence, blanks = "1", 0
    for line, text in lines:
        if not text or text.isspace():
            blanks += 1
            continue
        cells = text.split("\t")
        if len(cells) > len(header) or columns.get(cells, "form") in ("", "_") or not cells[0]:
            source.problem(
                line,
                f"a row of {len(cells)} columns: {quote(text)}",
                f"an id, a form and up to {len(header)} columns",
                "fix the row; columns are separated by tabs",
                code="column-count",
                fragment=text,
            )
            continue
        given = columns.get(cells, "sent_id")
        if given not in ("", "_"):
            sentence = given
        elif "sent_id" not in header and blanks and rows:
            sentence = str(int(sentence) + 1)
        blanks = 0
        rows.append(_row(line, cells, columns, sentence))
    if not rows:  # train/huwiki_29.tsv is such a file
        remedy = "fetch the file again if it was cut short"
        source.problem(1, "a header row without data", "rows of words", remedy, severity="warning", code="no-document")
    return rows


def _row(line: int, cells: list[str], columns: _Columns, sentence: str) -> _Row:
    def get(name: str) -> str:
        return columns.get(cells, name) or "_"

    id = get("id")
    type = get("coreftype").strip("_")
    pointer = columns.get(cells, "corefhead")
    token = Token(
        id=id,
        form=get("form"),
        lemma=get("lemma"),
        upos=get("upostag"),
        xpos=get("xpostag"),
        feats=get("feats"),
        head=get("head"),
        deprel=get("deprel"),
        deps=get("deps"),
    )
    second = cells[columns.last_id] if columns.last_id < len(cells) else id
    return _Row(line, token, (id, second), sentence, pointer, type)


def _tokens(rows: list[_Row], source: Source) -> tuple[Tokens, tuple[Sentence, ...]]:
    tokens: list[Token] = []
    borders: list[tuple[int, str]] = []
    word = zero = 0
    for row in rows:
        if not borders or borders[-1][1] != row.sentence:
            _end(tokens, "\n")
            borders.append((len(tokens), row.sentence))
            word = zero = 0
        is_empty = "." in row.token.id
        word, zero = (word, zero + 1) if is_empty else (word + 1, 0)
        id = f"{word}.{zero}" if is_empty else str(word)
        if id != row.token.id and row.token.id[-1].isdecimal():  # zeros may have names such as 9.SUBJ
            source.count("token ids out of order, renumbered", code="renumbered-tokens")
        free = row.type and row.pointer in ("", "_")
        tokens.append(row.token._replace(id=id, misc=f"CorefType={row.type}" if free else "_"))
    _end(tokens, "")
    layer = Tokens(tokens)
    borders.append((len(tokens), ""))
    sentences = [Sentence(layer, start, end, id=id) for (start, id), (end, _) in pairwise(borders)]
    return layer, tuple(sentences)


def _end(tokens: list[Token], space: str) -> None:
    """Set the text after the last word; zeros have no surface."""
    for position in range(len(tokens) - 1, -1, -1):
        if not tokens[position].is_empty:
            tokens[position] = tokens[position]._replace(space=space)
            return


def _links(rows: list[_Row], source: Source) -> dict[int, int]:
    """Return the position of the antecedent of each anaphor."""
    places: dict[str, int] = {}
    for name in (1, 0):  # pointers use the names of the second column, so it takes precedence
        for position, row in enumerate(rows):
            places.setdefault(f"{row.sentence}:{row.names[name]}", position)
    links = {}
    for position, row in enumerate(rows):
        if row.pointer in ("", "_"):
            if row.pointer == "" or (row.type and row.type not in WITHOUT_ANTECEDENT):
                source.count("empty pointers", code="unresolved-reference")
            continue
        target = places.get(row.pointer)
        if target is None:
            source.count("pointers to a missing annotation", code="unresolved-reference")
        elif target == position:
            source.count("pointers of a token to itself", code="unresolved-reference")
        else:
            links[position] = target
    return links


def _entities(tokens: Tokens, rows: list[_Row], links: dict[int, int]) -> tuple[tuple[Entity, ...], tuple[Bridge, ...]]:
    identity = [link for link in links.items() if rows[link[0]].type != PART_OF]
    groups = _group_places(sorted({place for link in links.items() for place in link}), identity)
    mentions = {
        place: Mention(tokens, (place,), place, {"coreftype": rows[place].type} if place in links else {})
        for group in groups
        for place in group
    }
    entities = []
    ids: dict[int, str] = {}
    for number, group in enumerate(groups, 1):
        ids |= dict.fromkeys(group, f"e{number}")
        members = sorted((mentions[place] for place in group), key=mention_order)
        entities.append(Entity(f"e{number}", tuple(members)))
    bridges = [
        Bridge(mentions[part], ids[part], ids[whole], PART_OF)
        for part, whole in links.items()
        if rows[part].type == PART_OF
    ]
    return tuple(entities), tuple(bridges)


def _group_places(places: Iterable[int], links: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return positions grouped by links, groups in the order of their first position."""
    groups = Groups(places)
    for first, other in links:
        groups.join(first, other)
    return list(groups)


FORMAT = Format(
    name="korkor",
    summary="KorKor's tab-separated UD columns with zeros and pointers to antecedents (read only)",
    carries=frozenset({"columns", "sentences", "zeros", "entities", "attributes", "bridging"}),
    read=read,
)
