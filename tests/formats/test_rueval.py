"""RU-EVAL 2014: texts with an XML file of groups, and RuCor's tables; all texts are our own."""

import contextlib
import gzip
import io
import warnings
from pathlib import Path, PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coindex
from coindex.document import Document, Entity, Token, Tokens
from coindex.errors import CoindexError, DataWarning, FormatError, LossWarning, Problem
from coindex.formats.detection import Head
from coindex.formats.registry import get_format

TEXT = "Кот 🐈 Васька спал.\r\nОн видел свою мышку.\r\n"
GROUPS = """<rueval track="coreference">
<text id="12">
<group id="1" chain="3" offset="0" length="12" head_offset="6" head_length="6"
 func="def" str="noun">Кот 🐈 Васька</group>
<group id="2" chain="3" offset="20" length="2" func="def" str="pron">Он</group>
<group id="3" chain="3" offset="29" length="4" str="refl">свою</group>
<group id="4" offset="29" length="10">свою мышку</group>
</text>
</rueval>
"""
TOKENS = """doc_id\tshift\tlength\ttoken\tlemma\tgram
1\t2\t3\tКот\tкот\tNcmsny
1\t6\t4\tспал\tспать\tVmis
1\t10\t1\t.\t.\tSENT
1\t13\t2\tОн\tон\tP-3
1\t16\t4\tвстал\tвстать\tVmis
2\t0\t3\tДом\tдом\tNcms
2\t4\t5\tстоял\tстоять\tVmis
"""
RUCOR_GROUPS = """doc_id\tvariant\tgroup_id\tchain_id\tlink\tshift\tlength\tcontent\ttk_shifts\tattributes\
\thead\thd_shifts
1\t1\t7\t5\t0\t2\t8\tКот спал\t2,6\tref:def|str:noun|type:coref\tКот\t2
1\t1\t8\t5\t7\t13\t2\tОн\t13\tstr:pron|type:anaph
2\t1\t9\t6\t0\t0\t9\tДом стоял
"""


def folder(tmp_path: Path, groups: str = GROUPS, text: str = TEXT, name: str = "12.txt") -> Path:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(text.encode())
    path = tmp_path / "groups.xml"
    path.write_text(groups, encoding="utf-8")
    return path


def inside(group: str) -> str:
    return f'<rueval>\n<text id="12">\n{group}</text></rueval>'


def read_one(path: Path) -> Document:
    (doc,) = coindex.read(path, "rueval")
    return doc


def spans(doc: Document) -> dict[str, list[tuple[int, int]]]:
    return {entity.id: [(m.start_char, m.end_char) for m in entity.mentions] for entity in doc.entities}


@pytest.mark.parametrize("name", ["12.txt", "texts/12.txt"])
def test_reading(tmp_path: Path, name: str) -> None:
    doc = read_one(folder(tmp_path, name=name))
    assert (doc.id, doc.language, doc.meta) == ("12", "ru", {"track": "coreference"})
    assert doc.text == TEXT
    assert spans(doc) == {"3": [(0, 12), (20, 22), (29, 33)], "4": [(29, 39)]}
    first, second, _ = doc.entities[0].mentions
    assert first.attributes == {"id": "1", "func": "def", "str": "noun"}
    assert first.head_token is not None
    assert first.head_token.form == "Васька"
    assert second.head is None


def test_group_borders_cut_tokens(tmp_path: Path) -> None:
    groups = inside('<group id="1" chain="1" offset="1" length="4" head_offset="3" head_length="1"/>')
    doc = read_one(folder(tmp_path, groups, "автомобиль"))
    assert [token.form for token in doc.tokens] == ["а", "вт", "о", "м", "обиль"]
    assert doc.entities[0].mentions[0].text == "втом"
    assert doc.entities[0].mentions[0].head == 2
    assert doc.meta == {}


def test_anaphora_track_keeps_its_pairs(tmp_path: Path) -> None:
    groups = """<rueval track="anaphora"><text id="12" file="12.txt" language="en">
<group id="1" chain="1" offset="0" length="3">Ann</group>
<group id="2" chain="1" offset="9" length="3">she</group>
<group id="3" chain="2" offset="0" length="3">Ann</group>
<group id="4" chain="2" offset="18" length="3">her</group>
</text></rueval>"""
    doc = read_one(folder(tmp_path, groups, "Ann says she lost her hat"))
    assert spans(doc) == {"1": [(0, 3), (9, 12)], "2": [(0, 3), (18, 21)]}
    assert (doc.meta, doc.language) == ({"track": "anaphora"}, "en")


def test_round_trip(tmp_path: Path) -> None:
    doc = read_one(folder(tmp_path))
    with pytest.warns(LossWarning, match="rueval cannot represent: 1 sentence boundaries$"):
        coindex.write(doc, tmp_path / "out", "rueval")
    assert sorted(path.name for path in (tmp_path / "out").rglob("*")) == ["12.txt", "groups.xml", "texts"]
    assert (tmp_path / "out/texts/12.txt").read_bytes() == TEXT.encode()
    back = read_one(tmp_path / "out/groups.xml")
    assert back == doc
    assert back.entities == doc.entities
    (again,) = coindex.read(tmp_path / "out", "rueval")
    assert again == doc


def test_compressed(tmp_path: Path) -> None:
    path = folder(tmp_path)
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "groups.xml.gz").write_bytes(gzip.compress(path.read_bytes()))
    (packed / "12.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert read_one(packed / "groups.xml.gz") == read_one(path)


def test_writing_documents_of_other_formats(tmp_path: Path) -> None:
    forms = [("1", "Ann", " "), ("1.1", "_", " "), ("2", "took", " "), ("3", "it", ""), ("4", "off\x02", "")]
    tokens = Tokens([Token(id, form, space=space) for id, form, space in forms], prefix="  ")
    doc = Document.from_sentences(tokens, (5,), id="a/b", language="en", meta={"track": "anaphora"})
    mentions = (
        doc.mention([0, 1]),
        doc.mention([1]),
        doc.mention([2, 4], head=4, attributes={"length": "x", "id": "t"}),
    )
    doc = doc.replace(entities=(Entity("e", mentions),))
    with pytest.warns(LossWarning, match="rueval cannot represent: 1 zero mentions; 1 discontinuous mentions"):
        coindex.write([doc, doc.replace(id=None, meta={}, entities=())], tmp_path / "out", "rueval")
    one, two = coindex.read(tmp_path / "out/groups.xml", "rueval")
    assert (one.id, one.language, one.meta) == ("a/b", "en", {"track": "anaphora"})
    assert one.text == "  Ann took itoff\x02"
    assert spans(one) == {"e": [(2, 5), (13, 17)]}
    assert one.entities[0].mentions[1].attributes == {"id": "t", "length_": "x"}
    assert one.entities[0].mentions[1].head == one.entities[0].mentions[1].start
    assert (two.id, two.meta) == ("2", {"track": "coreference"})
    coindex.write([], tmp_path / "none", "rueval")
    with pytest.raises(FormatError, match="no document; expected at least one"):
        list(coindex.read(tmp_path / "none/groups.xml", "rueval"))


@pytest.mark.parametrize(
    ("text", "role"),
    [
        (GROUPS, "main"),
        ('<?xml version="1.0"?>\n<rueval>', "main"),
        (TOKENS, "part"),
        (RUCOR_GROUPS, "main"),
        ("Он видел <rueval>", "no"),
        ('<are task="1"></are>', "no"),
    ],
)
def test_detection(text: str, role: str) -> None:
    assert get_format("rueval").detect(Head(PurePath("a.xml"), text)) == role


@pytest.mark.parametrize(
    ("groups", "line", "found"),
    [
        ("<rueval>\n<text id='12'>", 2, "not well-formed XML"),
        ("<groups>\n</groups>", 1, "the root <groups>"),
        ("<rueval>\n<text/></rueval>", 2, "a text without an id"),
        ("<rueval><text id='12'/>\n<text id='12'/></rueval>", 2, "a second text '12'"),
        ("<rueval>\n<text id='13'/></rueval>", 2, "no text file"),
        ("<rueval>\n<text id='12' file='../secret.txt'/></rueval>", 2, "the text file '../secret.txt'"),
        ("<rueval>\n<text id='12' file='/etc/hostname'/></rueval>", 2, "the text file '/etc/hostname'"),
        ("<rueval>\n<text id='12' file='link.txt'/></rueval>", 2, "the text file 'link.txt'"),
        (f"<rueval>\n<text id='{'x' * 5000}'/></rueval>", 2, "no text file"),
        (inside("<group offset='0' length='3'/>"), 3, "a group without an id"),
        (
            inside("<group id='1' offset='0' length='3'/>\n<group id='1' offset='4' length='1'/>"),
            4,
            "a second group",
        ),
        (inside("<group id='1' length='3'/>"), 3, "no offset"),
        (inside("<group id='1' offset='0'/>"), 3, "no length"),
        (inside("<group id='1' offset='-1' length='3'/>"), 3, "offset='-1'"),
        (inside("<group id='1' offset='²' length='3'/>"), 3, "offset='²'"),
        (inside("<group id='1' offset='40' length='3'/>"), 3, "characters 40 to 43 of a text of 42"),
        (inside("<group id='1' offset='4' length='0'/>"), 3, "characters 4 to 4"),
        (inside(f"<group id='1' offset='0' length='{'9' * 5000}'/>"), 3, "length='999"),
        (inside("<group id='1' offset='18' length='2'/>"), 3, "a group of white space '\\r\\n'"),
        (
            inside("<group id='1' offset='0' length='3'>Пёс</group>"),
            3,
            "the expression 'Пёс' where the text has 'Кот'",
        ),
        (
            inside("<group id='1' offset='0' length='3' head_offset='6' head_length='2'/>"),
            3,
            "a head outside",
        ),
        (inside("<group id='1' offset='0' length='3' head_offset='0'/>"), 3, "no head_length"),
        ("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><rueval/>", 1, "a declared entity"),
    ],
)
def test_bad_input_names_its_place(tmp_path: Path, groups: str, line: int, found: str) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "link.txt").symlink_to(tmp_path / "secret.txt")
    path = folder(inner, groups)
    with pytest.raises(FormatError) as caught:
        list(coindex.read(path, "rueval"))
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert found in caught.value.problem.found


def test_validation_collects_all_problems(tmp_path: Path) -> None:
    path = folder(
        tmp_path,
        inside("<group id='1' offset='x' length='3'/>\n<group id='1' offset='0' length='3'>Кит</group>\n").replace(
            "</text>", "<group id='3' chain='c' offset='0' length='3'>Кот</group></text><text id='99'/>"
        ),
    )
    found: list[Problem] = []
    (doc,) = coindex.read(path, "rueval", on_problem=found.append)
    assert [(problem.line, problem.found) for problem in found] == [
        (3, "offset='x'"),
        (4, "a second group '1'"),
        (5, "no text file"),
    ]
    assert spans(doc) == {"c": [(0, 3)]}


def test_groups_from_a_pipe_have_no_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(GROUPS.encode())))
    with pytest.raises(FormatError, match="<stdin>:2: groups from standard input"):
        list(coindex.read("-", "rueval"))


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = folder(tmp_path)
    (tmp_path / "12.txt").write_bytes("Кот".encode("cp1251"))
    with pytest.raises(FormatError, match=r"12\.txt:1: bytes that are not UTF-8"):
        read_one(path)


# RuCor


def tables(tmp_path: Path, tokens: str = TOKENS, groups: str = RUCOR_GROUPS) -> Path:
    (tmp_path / "Tokens.txt").write_text(tokens, encoding="utf-8")
    path = tmp_path / "Groups.txt"
    path.write_text(groups, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["Groups.txt", "Tokens.txt", ""])
def test_rucor(tmp_path: Path, name: str) -> None:
    tables(tmp_path)
    one, two = coindex.read(tmp_path / name, "rueval")
    assert one.text == "  Кот спал.  Он встал"
    assert [sentence.text for sentence in one.sentences] == ["Кот спал.", "Он встал"]
    assert one.tokens[3] == Token("1", "Он", "он", xpos="P-3")
    assert spans(one) == {"5": [(2, 10), (13, 15)]}
    cat, he = one.entities[0].mentions
    assert cat.attributes == {
        "id": "7", "variant": "1", "link": "0", "ref": "def", "str": "noun", "type": "coref",
    }  # fmt: skip
    assert (cat.head, he.head) == (0, None)
    assert he.attributes["link"] == "7"
    assert (two.id, two.entities[0].mentions[0].positions) == ("2", (0, 1))


def test_rucor_to_xml_and_back(tmp_path: Path) -> None:
    tables(tmp_path)
    docs = list(coindex.read(tmp_path / "Groups.txt", "rueval"))
    with pytest.warns(LossWarning, match="7 tokens with UD columns"):
        coindex.write(docs, tmp_path / "out", "rueval")
    for doc, back in zip(docs, coindex.read(tmp_path / "out/groups.xml", "rueval"), strict=True):
        assert back.text == doc.text
        assert spans(back) == spans(doc)
        assert [m.attributes for m, _ in back.mentions()] == [m.attributes for m, _ in doc.mentions()]


@pytest.mark.parametrize(
    ("tokens", "groups", "place", "found"),
    [
        ("doc_id\tshift\tlength\n", RUCOR_GROUPS, "Tokens.txt:1", "no column token"),
        (TOKENS, "doc_id\tvariant\tgroup_id\tchain_id\n", "Groups.txt:1", "no column shift or length"),
        (TOKENS + "2\t3\n", RUCOR_GROUPS, "Tokens.txt:9", "2 columns"),
        (TOKENS + "2\t8\t1\t.\t.\tSENT\tx\n", RUCOR_GROUPS, "Tokens.txt:9", "7 columns"),
        (TOKENS + "2\t3\t1\t.\t.\tSENT\n", RUCOR_GROUPS, "Tokens.txt:9", "shift '3' after 4"),
        (
            TOKENS + "3\t9999999\t1\t.\t.\tSENT\n",
            RUCOR_GROUPS,
            "Tokens.txt:9",
            "shift '9999999' after the beg",
        ),
        (TOKENS + "1\t30\t1\t.\t.\tSENT\n", RUCOR_GROUPS, "Tokens.txt:9", "tokens of text '1' in two"),
        (TOKENS, RUCOR_GROUPS + "1\t1\t10\t5\t0\t77\t2\tОн\t77\n", "Groups.txt:5", "group '10' at a place where text"),
    ],
)
def test_bad_tables(tmp_path: Path, tokens: str, groups: str, place: str, found: str) -> None:
    path = tables(tmp_path, tokens, groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        with pytest.raises(FormatError) as caught:
            list(coindex.read(path, "rueval"))
    assert str(caught.value).startswith(str(tmp_path / place) + ": ")
    assert found in caught.value.problem.found


def test_table_of_groups_alone(tmp_path: Path) -> None:
    path = tables(tmp_path)
    (tmp_path / "Tokens.txt").unlink()
    with pytest.raises(FormatError, match=r"Groups\.txt:1: groups without tokens"):
        list(coindex.read(path, "rueval"))


def test_unusual_tables_are_counted(tmp_path: Path) -> None:
    groups = RUCOR_GROUPS + "9\t1\t1\t1\t0\t0\t3\tДом\t0\n2\t1\t11\t6\t0\t0\t3\tДым\t0,1\n"
    path = tables(tmp_path, TOKENS + "2\t8\t1\t.\t.\tSENT\n2\t10\t1\t \t\t\n", groups)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(coindex.read(path, "rueval"))
    assert sorted(str(warning.message).partition(".txt: ")[2] for warning in caught) == [
        "1 groups of texts without tokens, left out",
        "1 pointers to missing tokens",
        "1 tokens that are longer than the gap to the next token",
        "1 tokens without text, left out",
        "2 groups whose content differs from their tokens",
    ]
    path.unlink()
    with pytest.warns(DataWarning):
        assert [doc.entities for doc in coindex.read(tmp_path / "Tokens.txt", "rueval")] == [(), ()]


# Any input


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([GROUPS, TOKENS, RUCOR_GROUPS]), st.data())
def test_only_our_errors_come_out(tmp_path_factory: pytest.TempPathFactory, seed: str, data: st.DataObject) -> None:
    raw = bytearray(seed.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(20, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 8))] = data.draw(
            st.one_of(st.binary(max_size=6), st.sampled_from([b"\t", b"\n", b"<group id='9'/>", b"-1", b"."]))
        )
    place = tmp_path_factory.mktemp("fuzz")
    folder(place)
    tables(place)
    path = place / ("groups.xml" if seed is GROUPS else "Tokens.txt" if seed is TOKENS else "Groups.txt")
    path.write_bytes(raw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for handler in ({}, {"on_problem": lambda problem: None}):
            with contextlib.suppress(CoindexError):
                list(coindex.read(path, "rueval", **handler))


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("Он ёж.\n\r<&>🐈\x02\u0301\xa0-"), max_size=40), st.data())
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, text: str, data: st.DataObject) -> None:
    doc = Document.from_text(text, id="d", language="ru", markup="none")
    mentions = {}
    for number in range(data.draw(st.integers(0, 5)) if len(doc.tokens) else 0):
        start = data.draw(st.integers(0, len(doc.tokens) - 1))
        end = data.draw(st.integers(start + 1, len(doc.tokens)))
        head = data.draw(st.one_of(st.none(), st.integers(start, end - 1)))
        attributes = {
            "id": f"g{number}",
            "str": data.draw(st.text(st.sampled_from("ab <\"'\n\t&"), max_size=5)),
        }
        mentions[start, end] = doc.mention(range(start, end), head=head, attributes=attributes)
    entities = [Entity(f"e{start}", (mention,)) for (start, _), mention in sorted(mentions.items())]
    by_id = {entity.id: entity for entity in entities}
    doc = doc.replace(entities=tuple(by_id.values()), meta={"track": "coreference"})
    place = tmp_path_factory.mktemp("trip") / "out"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)  # sentence boundaries are found anew
        coindex.write(doc, place, "rueval")
    assert read_one(place / "groups.xml") == doc


def test_real_corpus(shared_data: Path, tmp_path: Path) -> None:
    """ParCorFull dev there and back: text, spans, heads and chains, though the words are found anew."""
    docs = list(coindex.read(shared_data / "en_parcorfull/en_parcorfull-dev.conllu", "corefud"))
    with pytest.warns(LossWarning, match="1155 tokens with UD columns"):
        coindex.write(docs, tmp_path / "out", "rueval")
    back = list(coindex.read(tmp_path / "out/groups.xml", "rueval"))
    assert sum(len(entity) for doc in back for entity in doc.entities) == 79
    for one, two in zip(docs, back, strict=True):
        assert (two.id, two.text, spans(two)) == (one.id, one.text, spans(one))
        heads = [
            [m.head is not None and doc.tokens.start_char(m.head) for m, _ in doc.mentions()] for doc in (one, two)
        ]
        assert heads[0] == heads[1]
