"""CoNLL-U Plus: columns in any order, more or fewer than ten, survive reading, editing and writing."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coindex
from coindex.annotation_app.packing import pack, unpack
from coindex.campaigns.files import blind
from coindex.document import Document, Entity, edits
from coindex.document.edit_log import Edit, apply, apply_all, inverse
from coindex.errors import FormatError, LossWarning
from coindex.formats.corefud.lines import STANDARD
from corefud_text import difference, document, only, save, sentence, written

NAMES = (*STANDARD, "KORKOR:COREFHEAD", "KORKOR:COREFTYPE", "KORKOR:CLUSTER")
LINE = "# global.columns = "


def plus(text: str, names: tuple[str, ...], values: dict[str, str] | None = None) -> str:
    """Plain CoNLL-U with the columns of these names; words get `values`, with their form behind them."""
    lines = []
    for line in text.split("\n"):
        if line and not line.startswith("#"):
            cells = dict(zip(STANDARD, line.split("\t"), strict=True))
            further = {name: value if value == "_" else value + cells["FORM"] for name, value in (values or {}).items()}
            line = "\t".join((cells | further).get(name, "_") for name in names)
        lines.append(line)
    return f"{LINE}{' '.join(names)}\n" + "\n".join(lines)


STORY = document(
    sentence("Éva Entity=(e1-person-1)", "elment", ". SpaceAfter=No", comments=("# sent_id = s1",)),
    sentence(
        "1-2 hazament",
        "haza",
        "ment",
        "2.1 ő Entity=(e1-person-1)",
        comments=("# sent_id = s2", "# text = hazament"),
    ),
)
VALUES = {"KORKOR:COREFHEAD": "3:", "KORKOR:COREFTYPE": "_", "KORKOR:CLUSTER": "*"}
KORKOR = plus(STORY, NAMES, VALUES)


def read(tmp_path: Path, text: str, name: str = "in.conllup") -> Document:
    return only(save(tmp_path, text, name))


def test_thirteen_columns(tmp_path: Path) -> None:
    doc = read(tmp_path, KORKOR)
    plain = read(tmp_path, STORY, "plain.conllu")
    assert doc.columns == NAMES
    assert doc.tokens[1].extra == (("KORKOR:CLUSTER", "*elment"), ("KORKOR:COREFHEAD", "3:elment"))
    assert doc.tokens[5].extra == (("KORKOR:CLUSTER", "*ő"), ("KORKOR:COREFHEAD", "3:ő"))
    assert dict(doc.tokens.multiwords[0].extra) == {"KORKOR:CLUSTER": "*hazament", "KORKOR:COREFHEAD": "3:hazament"}
    assert [token._replace(extra=()) for token in doc.tokens] == list(plain.tokens)
    assert [entity.id for entity in doc.entities] == ["e1"]
    assert written(doc, tmp_path) == KORKOR


@pytest.mark.parametrize("name", ["any.conllup", "any.conllu", "any.cupt", "any.txt", "any"])
def test_is_known_by_its_first_line(tmp_path: Path, name: str) -> None:
    text = f"{LINE}FORM PARSEME:MWE\nAnn\t*\nleft\t1\n\n"
    doc = read(tmp_path, text, name)
    assert doc.tokens.forms == ["Ann", "left"]


def test_missing_columns(tmp_path: Path) -> None:
    text = f"{LINE}MY:TAG FORM\nB\tAnn\nO\tleft\n\nB\t#1\n#\tx\n\n"
    doc = read(tmp_path, text)
    assert [token[:10] for token in doc.tokens][:2] == [("1", "Ann", *"_" * 8), ("2", "left", *"_" * 8)]
    assert [(token.id, token.form) for token in doc.tokens[2:]] == [("1", "#1"), ("2", "x")]
    assert dict(doc.tokens[3].extra) == {"MY:TAG": "#"}
    assert written(doc, tmp_path) == text


def test_any_order(tmp_path: Path) -> None:
    names = ("MISC", "X:Y", "FORM", "HEAD", "DEPREL", "UPOS", "ID")
    text = plus(STORY, names, {"X:Y": "y"})
    doc = read(tmp_path, text)
    assert [mention.text for mention in doc.entities[0].mentions] == ["Éva", ""]
    assert doc.tokens[1].upos == "X"
    assert doc.tokens[1].lemma == "_"
    assert written(doc, tmp_path) == text


def test_the_first_line_is_kept_as_it_was(tmp_path: Path) -> None:
    text = STORY.replace("\n", "\r\n")
    text = f"#global.columns =  {'  '.join(STANDARD)} \r\n{text}"
    path = tmp_path / "in.conllup"
    path.write_bytes(text.encode())
    coindex.write(coindex.read(path), tmp_path / "out.conllup")
    assert (tmp_path / "out.conllup").read_bytes() == text.encode()


def test_plain_columns_in_a_file_of_that_name(tmp_path: Path) -> None:
    doc = read(tmp_path, STORY, "in.conllu")
    coindex.write(doc, tmp_path / "out.conllup")
    assert (tmp_path / "out.conllup").read_text(encoding="utf-8") == plus(STORY, STANDARD)


def test_an_edit_changes_the_lines_of_its_words_only(tmp_path: Path) -> None:
    doc = read(tmp_path, KORKOR)
    edited = edits.add_mention(doc, [1], entity="e2")
    ((was, now),) = difference(KORKOR, written(edited, tmp_path))
    assert now == was.replace("\t_\t3:elment", "\tEntity=(e2)\t3:elment") != was


def test_a_zero_more_and_one_less(tmp_path: Path) -> None:
    doc = read(tmp_path, KORKOR)
    more = edits.insert_zero(doc, after=0, form="ő", extra={"KORKOR:CLUSTER": "7"})
    text = written(more, tmp_path)
    assert "1.1\tő\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t7\n" in text
    assert text.splitlines()[-3:] == KORKOR.splitlines()[-3:]
    step = Edit("remove_zero", {"position": 1})
    assert apply_all(apply(more, step), inverse(more, step)).tokens == more.tokens


def test_entities_in_a_file_without_misc(tmp_path: Path) -> None:
    doc = read(tmp_path, f"{LINE}FORM MY:TAG\nAnn\tB\nleft\tO\n\n")
    doc = doc.replace(entities=(Entity("e1", (doc.mention([0]),)),))
    text = written(doc, tmp_path)
    lines = [line for line in text.splitlines() if not line.startswith(("# newdoc", "# global.Entity"))]
    assert lines == [f"{LINE}FORM MY:TAG MISC", "Ann\tB\tEntity=(e1)", "left\tO\t_", ""]
    assert read(tmp_path, text).entities == doc.entities


def test_ids_where_they_are_needed(tmp_path: Path) -> None:
    doc = read(tmp_path, f"{LINE}FORM MY:TAG\nAnn\tB\nleft\tO\n\n")
    text = written(edits.insert_zero(doc, after=0, form="she", upos="PRON"), tmp_path)
    assert text == f"{LINE}ID FORM MY:TAG UPOS\n1\tAnn\tB\t_\n1.1\tshe\t_\tPRON\n2\tleft\tO\t_\n\n"


def test_files_of_different_columns_together(tmp_path: Path) -> None:
    plain = read(tmp_path, STORY.replace("id = d", "id = plain"), "plain.conllu")
    other = read(tmp_path, plus(STORY, ("ID", "FORM", "MISC", "X:Y"), {"X:Y": "y"}).replace("id = d", "id = other"))
    coindex.write([plain, read(tmp_path, KORKOR), other], tmp_path / "all.conllu")
    text = (tmp_path / "all.conllu").read_text(encoding="utf-8")
    assert text.startswith(f"{LINE}{' '.join(NAMES)} X:Y\n# newdoc id = plain\n")
    assert text.count("global.columns") == 1
    one, two, three = coindex.read(tmp_path / "all.conllu")
    assert [token._replace(extra=()) for token in one.tokens] == list(plain.tokens)
    assert two.tokens == read(tmp_path, KORKOR).tokens
    assert three.tokens == other.tokens


def test_a_pipe_cannot_get_further_columns_later(tmp_path: Path) -> None:
    save(tmp_path, STORY.replace("id = d", "id = plain"), "plain.conllu")
    save(tmp_path, KORKOR, "plus.conllup")
    command = [sys.executable, "-m", "coindex", "convert", "--to", "corefud", str(tmp_path), "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "needs columns that the output does not name in its first line: KORKOR:COREFHEAD" in done.stderr


def test_through_json_and_the_store(tmp_path: Path) -> None:
    doc = read(tmp_path, KORKOR)
    coindex.write(doc, tmp_path / "doc.json")
    again = only(tmp_path / "doc.json")
    assert again == doc
    assert unpack(pack(doc)) == doc
    for back in (again, unpack(pack(doc))):
        lines = written(back, tmp_path).splitlines()
        words = [line for line in lines if not line.startswith(("#", "1-2"))]
        assert words == [line for line in KORKOR.splitlines() if not line.startswith(("#", "1-2"))]
        assert any(line.startswith("1-2") and line.endswith("\t3:hazament\t_\t*hazament") for line in lines)
        assert lines[0] == KORKOR.splitlines()[0]


@pytest.mark.parametrize(
    ("columns", "extra"),
    [
        (["ID"], {}),
        (["FORM", "FORM"], {}),
        (["FORM", "a b"], {}),
        ([], {"a b": "x"}),
        ([], {"LEMMA": "x"}),
    ],
)
def test_odd_columns_in_json(tmp_path: Path, columns: list[str], extra: dict[str, str]) -> None:
    token = {"form": "Ann", "start_char": 0, "end_char": 3, "extra": extra}
    record = {"coindex": 1, "text": "Ann", "columns": columns, "sentences": [], "tokens": [token], "entities": []}
    path = save(tmp_path, json.dumps(record), "doc.json")
    with pytest.raises(FormatError, match=r"column"):
        only(path)


def test_formats_without_a_place_count_them(tmp_path: Path) -> None:
    doc = read(tmp_path, KORKOR)
    with pytest.warns(LossWarning, match="7 tokens with columns beyond the ten of CoNLL-U"):
        coindex.write(doc, tmp_path / "doc.txt")
    with pytest.warns(LossWarning, match="corefud cannot represent: 7 tokens with columns beyond .* columns=standard"):
        coindex.write(doc, tmp_path / "doc.conllu", columns="standard")
    assert (tmp_path / "doc.conllu").read_text(encoding="utf-8") == STORY


def test_the_blind_input_has_none_of_them(tmp_path: Path) -> None:
    """Such a column may say who is who."""
    doc = blind(read(tmp_path, KORKOR), keep=("KORKOR:COREFTYPE",))
    assert "3:" not in written(doc, tmp_path)
    assert doc.columns == (*STANDARD, "KORKOR:COREFTYPE")
    kept = blind(read(tmp_path, KORKOR), keep=("KORKOR:CLUSTER",))
    assert kept.tokens[0].extra == (("KORKOR:CLUSTER", "*Éva"),)


@pytest.mark.parametrize(
    ("text", "line", "found", "expected"),
    [
        (f"{LINE}ID LEMMA\n1\tx\n\n", 1, "no column FORM", "FORM among them"),
        (f"{LINE}\n1\tx\n\n", 1, "no column FORM", "FORM among them"),
        (f"{LINE}ID FORM X:Y FORM\n1\tx\ty\tx\n\n", 1, "the column FORM twice", "each column once"),
        (f"{LINE}ID FORM X:Y\n1\tx\ty\n2\tx\n\n", 3, "2 columns: '2\\tx'", "3 columns separated by tabs"),
        (f"{LINE}FORM\nx\ty\n\n", 2, "2 columns: 'x\\ty'", "1 column separated by tabs"),
        (KORKOR.replace("\t_\t_\t3:elment", "\t_\t3:elment"), 6, "12 columns:", "13 columns"),
        (f"{LINE}ID FORM X:Y\n1\tx\ty\n# late\n2\tx\ty\n\n", 3, "a comment after", "before the words"),
        (f"{LINE}ID FORM\n1\tx\n3\ty\n\n", 3, "the word id '3'", "2, or"),
        (STORY.replace("# sent_id = s2", f"{LINE}ID FORM"), 8, "'# global.columns = ID FORM'", "the first line"),
        (f"# newdoc id = d\n{LINE}ID FORM\n1\tx\n\n", 2, "'# global.columns = ID FORM'", "the first line"),
        (KORKOR + KORKOR.replace("id = d", "id = c"), 16, "'# global.columns = ID", "the first line"),
        (f"{LINE}ID FORM\n", 1, "no sentence", "lines of 2 tab-separated columns"),
    ],
)
def test_problems(tmp_path: Path, text: str, line: int, found: str, expected: str) -> None:
    path = save(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        list(coindex.read(path, format="corefud"))
    problem = caught.value.problem
    assert problem.line == line
    assert problem.found.startswith(found)
    assert expected in problem.expected
    assert problem.remedy


def test_lines_of_problems_in_later_sentences(tmp_path: Path) -> None:
    bad = KORKOR.replace("Entity=(e1-person-1)\t3:ő", "Entity=(e1-person-9)\t3:ő")
    with pytest.raises(FormatError) as caught:
        read(tmp_path, bad)
    assert bad.splitlines()[caught.value.problem.line - 1].startswith("2.1\tő")


def test_all_problems_of_a_file(tmp_path: Path) -> None:
    path = save(tmp_path, f"{LINE}ID FORM X:Y\n1\ta\tb\n2\tc\n3\td\te\n\n1\tf\tg\n1\th\n\n")
    command = [sys.executable, "-m", "coindex", "validate", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    places = [line.split(": ")[1].rsplit(":", 1)[1] for line in done.stdout.splitlines() if line.startswith("error: ")]
    assert places == ["3", "4", "7"]


# --- whatever the columns are

NAME = st.sampled_from([*STANDARD, "A:B", "KORKOR:X", "ü", "lemma", "*"])
CELL = st.sampled_from(["_", "*", "1:2", "ü", "a b", "#", "(e1", "Entity=(e9)", "x|y=z"])


@st.composite
def files(draw: st.DrawFn) -> tuple[str, list[str], list[list[list[str]]]]:
    names = draw(st.lists(NAME, unique=True, min_size=1, max_size=14).filter(lambda names: "FORM" in names))
    lines = [LINE + " ".join(names)]
    sentences = []
    for number in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            lines.append(f"# sent_id = s{number}")
        rows = []
        for word in range(1, draw(st.integers(1, 4)) + 1):
            row = []
            for name in names:
                if name == "ID":
                    row.append(str(word))
                elif name == "FORM":
                    row.append(draw(st.sampled_from(["Ann", "#", "она", "."] if len(names) > 1 else ["Ann", "она"])))
                elif name in ("MISC", "HEAD", "DEPREL", "DEPS"):
                    row.append("_")
                else:
                    row.append(draw(CELL))
            rows.append(row)
        sentences.append(rows)
        lines += ["\t".join(row) for row in rows]
        lines.append("")
    return "\n".join(lines) + "\n", names, sentences


@settings(max_examples=150, deadline=None)
@given(files(), st.data())
def test_round_trips(file: tuple[str, list[str], list[list[list[str]]]], data: st.DataObject) -> None:
    text, names, sentences = file
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        path = Path(folder)
        doc = read(path, text)
        flat = [dict(zip(names, row, strict=True)) for rows in sentences for row in rows]
        for token, row in zip(doc.tokens, flat, strict=True):
            assert dict(token.extra) == {
                name: cell for name, cell in row.items() if name not in STANDARD and cell != "_"
            }
            assert (token.form, token.lemma) == (row["FORM"], row.get("LEMMA", "_"))
        assert written(doc, path) == text
        coindex.write(doc, path / "doc.json")
        from_json = only(path / "doc.json")
        assert from_json == doc
        words = [line for line in written(from_json, path).splitlines() if line.count("\t") == len(names) - 1]
        rows = ["\t".join(row) for part in sentences for row in part]
        assert [line for line in words if not line.startswith("# ")][-len(rows) :] == rows or len(names) == 1
        at = data.draw(st.integers(0, len(doc.tokens) - 1))
        edited = edits.add_mention(doc, [at], entity="e1")
        again = read(path, written(edited, path))
        assert again.tokens == doc.tokens
        assert [mention.positions for mention in again.entities[0].mentions] == [(at,)]
        assert written(again, path) == written(edited, path)


def test_korkor_as_conllu_plus(shared_data: Path, tmp_path: Path) -> None:
    """The files of the corpus with their 15 columns, whose names and order are those of the corpus."""
    names = ["ID", "FORM", "LEMMA", "XPOS", "UPOS", "FEATS", "KORKOR:SENT_ID", "KORKOR:COREFHEAD", "KORKOR:COREFTYPE"]
    names += ["HEAD", "DEPREL", "DEPS", "KORKOR:ID", "KORKOR:COREF_CLUSTER", "KORKOR:COREF_TYPE"]
    pointers = 0
    for path in sorted((shared_data / "hu_korkor/dev").glob("*.tsv")):
        lines = [LINE + " ".join(names)]
        sentence = word = zero = 0
        for row in path.read_text(encoding="utf-8").splitlines()[1:]:
            cells = [cell or "_" for cell in row.split("\t")]
            if len(cells) < 9:
                continue
            cells += ["_"] * (len(names) - len(cells))
            if sentence and cells[6] != sentence:
                lines.append("")
                word = zero = 0
            sentence = cells[6]
            word, zero = (word, zero + 1) if "." in cells[0] else (word + 1, 0)
            cells[0] = f"{word}.{zero}" if zero else str(word)
            pointers += cells[7] != "_"
            lines.append("\t".join(cells))
        text = "\n".join([*lines, "", ""])
        doc = read(tmp_path, text)
        pointers -= sum("KORKOR:COREFHEAD" in dict(token.extra) for token in doc.tokens)
        assert written(doc, tmp_path) == text
        coindex.write(doc, tmp_path / "doc.json")
        words = [line for line in written(only(tmp_path / "doc.json"), tmp_path).split("\n") if line[:1] != "#"]
        assert words[: len(lines) - 1] == lines[1:]
    assert pointers == 0


def test_a_document_without_words(tmp_path: Path) -> None:
    empty = Document.from_text("", id="empty")
    coindex.write([read(tmp_path, f"{LINE}FORM MY:TAG\nAnn\tB\n\n"), empty], tmp_path / "all.conllup")
    text = (tmp_path / "all.conllup").read_text(encoding="utf-8")
    assert text.startswith(f"{LINE}FORM MY:TAG HEAD MISC\nAnn\tB\t_\t_\n\n# newdoc id = empty\n")
    one, two = coindex.read(tmp_path / "all.conllup")
    assert (one.tokens.forms, two.id, len(two.tokens)) == (["Ann"], "empty", 0)
