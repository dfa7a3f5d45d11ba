"""The table of formats, and how a file's format is found."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

import coindex
from coindex.errors import CoindexError, FormatError, UnknownNameError
from coindex.formats.losses import FEATURES
from coindex.formats.registry import (
    MAY_BE_EMPTY,
    NAMES,
    TABLES,
    UnknownContentError,
    all_formats,
    check_options,
    detect,
    format_for_output,
    get_format,
)
from coindex.formats.source import Source
from corefud_text import document, sentence

# name, is read, is written, is a folder: names are part of the public interface and never change
GOLDEN = """\
corefud     read  write file
conllua     read  write file
conll2012   read  write file
korkor      read  -     file
ecbplus     read  write folder
are         read  write file
rueval      read  write folder
mmax2       read  write folder
brat        read  write folder
json        read  write file
preco       read  write file
jsonlines   read  write file
parquet     read  write file
arrow       read  write file
table       read  -     file
html        -     write file
markdown    -     write file
terminal    -     write file
csv         -     write file
resolved    -     write file
replacements -     write file
text        read  write file
"""


def test_the_names_of_the_formats() -> None:
    rows = ""
    for f in coindex.formats():
        ways = f"{'read' if f.read else '-':5} {'write' if f.write else '-':5}"
        rows += f"{f.name:11} {ways} {'folder' if f.is_folder else 'file'}\n"
    assert rows == GOLDEN


def test_every_format_is_described() -> None:
    for format in all_formats():
        assert format.summary
        assert "\n" not in format.summary
        assert format.carries <= set(FEATURES)
        assert get_format(format.name) is format
        for option in format.read_options + format.write_options:
            assert option.help


def test_unknown_names_list_the_near_ones() -> None:
    with pytest.raises(UnknownNameError) as caught:
        get_format("corefd")
    assert str(caught.value) == "unknown format 'corefd'; did you mean corefud?"
    with pytest.raises(
        UnknownNameError,
        match=r"unknown format 'xyz'; known: are, arrow, brat, conll2012, conllua, corefud, csv, ecbplus",
    ):
        get_format("xyz")


def detected(path: Path) -> str:
    source = Source(path)
    try:
        format, role = detect(source)
        return f"{format.name} {role}"
    except UnknownContentError:
        return "unknown"
    finally:
        source.close()


REAL = {
    "cs_faust": {".conllu corefud main": 1, ".txt text main": 1},
    "cs_pcedt": {".gz jsonlines main": 1, ".txt text main": 1},
    "de_gerdracor": {" text main": 1, ".gz conll2012 main": 37, ".txt text main": 1},
    "de_gerdracor_parallel": {" text main": 1, ".conll conll2012 main": 31},
    "de_potsdam_mmax": {
        " text main": 1,
        ".dtd unknown": 2,
        ".mmax mmax2 main": 176,
        ".xml mmax2 part": 889,
        ".txt text main": 176,
        ".tok text main": 176,
    },
    "en_amalgum": {".gz corefud main": 7},
    "en_ecbplus": {".TXT text main": 2, ".csv ecbplus part": 1, ".txt text main": 1, ".xml ecbplus main": 772},
    "en_gap": {" text main": 1, ".md text main": 1, ".tsv unknown": 2},
    "en_gum": {".conllu corefud main": 3, ".txt text main": 1},
    "en_litbank": {
        ".md text main": 1,
        ".ann brat main": 10,
        ".txt brat part": 10,
        ".conll conll2012 main": 90,
    },
    "en_parcorfull": {".conllu corefud main": 2, ".txt text main": 1},
    "es_ancora": {".conllu corefud main": 1, ".txt text main": 1},
    "fr_democrat": {".md text main": 1, ".conll conll2012 main": 1, ".jsonlines jsonlines main": 1},
    "fr_litbank": {".gz jsonlines main": 3, ".txt text main": 1},
    "hu_korkor": {" text main": 1, ".md text main": 1, ".tsv korkor main": 85},
    "ja_wac": {".gz jsonlines main": 2, ".txt text main": 1},
    "ko_koconovel": {" text main": 1, ".gz jsonlines main": 1, ".txt text main": 1},
    "nl_openboek": {".md text main": 1, ".conll conll2012 main": 7},
    "ru_rucoco": {".txt text main": 1, ".conll conll2012 main": 769},
    "ru_rucoco_more": {".gz conll2012 main": 1, ".txt text main": 1},
}


@pytest.mark.parametrize("folder", REAL)
def test_every_file_of_the_corpora(folder: str, shared_data: Path) -> None:
    if not (shared_data / folder).is_dir():
        pytest.skip(f"{folder} is not among the corpora of this machine")
    files = [path for path in (shared_data / folder).rglob("*") if path.is_file()]
    assert Counter(f"{path.suffix} {detected(path)}" for path in files) == REAL[folder]


CONLLU = document(sentence("Ann Entity=(e1)"))
SAMPLES = {
    "corefud": CONLLU,
    "conllua": "# global.columns = ID FORM IDENTITY\n# newdoc id = d\n1\tAnn\t(EntityID=1|MarkableID=m1)\n\n",
    "conll2012": "#begin document (d); part 000\nd\t0\t0\tAnn\t(1)\n\n#end document\n",
    "korkor": "id\tform\tcorefhead\tcoreftype\n1\tAnna\t_\t_\n",
    "ecbplus": '<Document doc_name="1_1ecb.xml" doc_id="x"><token t_id="1" sentence="0">Ann</token></Document>',
    "are": '<p><entity id="1">Ann</entity> left</p>',
    "rueval": '<rueval track="coreference"><text id="1"/></rueval>',
    "mmax2": '<?xml version="1.0"?>\n<mmax_project><words>d_words.xml</words></mmax_project>',
    "brat": "T1\tPerson 0 3\tAnn\n",
    "json": '{"coindex": 1, "text": "Ann", "sentences": [{"start": 0, "end": 1}], '
    '"tokens": [{"form": "Ann", "start_char": 0, "end_char": 3}], "entities": []}\n',
    "preco": '{"id": "d", "sentences": [["Ann"]], "mention_clusters": [[[0, 0, 1]]]}\n',
    "jsonlines": '{"doc_key": "d", "sentences": [["Ann"]], "clusters": [[[0, 0]]]}\n',
    "text": "Ann left.\n",
}


def test_there_is_a_sample_of_each_format_that_is_read() -> None:
    assert list(SAMPLES) == [name for name in NAMES if get_format(name).read and name not in TABLES]


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("file", ["sample", "sample.dat", "sample.gz"])
def test_formats_are_found_by_content(name: str, file: str, tmp_path: Path) -> None:
    data = SAMPLES[name].encode()
    (tmp_path / file).write_bytes(gzip.compress(data) if file.endswith(".gz") else data)
    assert detected(tmp_path / file) == f"{name} main"


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in ("text", "conll2012")])
def test_a_byte_order_mark_and_crlf_do_not_hide_the_format(name: str, tmp_path: Path) -> None:
    (tmp_path / "sample").write_bytes(b"\xef\xbb\xbf" + SAMPLES[name].replace("\n", "\r\n").encode())
    assert detected(tmp_path / "sample") == f"{name} main"


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("a.xml", b"<other/>"),
        ("a.json", b'{"other": 1}'),
        ("a.tsv", b"a\tb\tc\td\te\n1\t2\t3\t4\t5\n"),
    ],
)
def test_unknown_formats_are_refused(file: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        list(coindex.read(path))
    readable = ", ".join(SAMPLES)
    assert str(caught.value) == (
        f"{path}:1: content that fits no known format; expected one of {readable}; "
        "name the format with --from (format=… in Python)"
        + ("; of a table, name the text column with --text-column (text_column=… in Python)" if file == "a.tsv" else "")
    )


@pytest.mark.parametrize("data", [b"", gzip.compress(b"", mtime=0)], ids=["plain", "gz"])
def test_an_empty_file(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "empty.conllu"
    path.write_bytes(data)
    for format in (None, *(name for name in SAMPLES if name not in MAY_BE_EMPTY)):
        with pytest.raises(FormatError) as caught:
            list(coindex.read(path, format))
        assert str(caught.value) == (
            f"{path}:1: an empty file; expected a document; check how the file was made, or leave it out"
        )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.conllu", "corefud"),
        ("b/a.conllu.gz", "corefud"),
        ("a.conll", "conll2012"),
        ("a.v4_gold_conll", "conll2012"),
        ("a.jsonlines", "jsonlines"),
        ("a.json", "json"),
        ("a.json.gz", "json"),
        ("a.csv", "csv"),
        ("a.resolved.txt", "resolved"),
        ("a.replacements.json", "replacements"),
        ("a.html", "html"),
        ("a.md", "markdown"),
        ("a.txt", "text"),
        ("a.txt.gz", "text"),
    ],
)
def test_formats_of_outputs(path: str, name: str) -> None:
    assert format_for_output(path).name == name


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("a.xyz", "does not identify the format"),
        ("-", "does not identify the format"),
        ("a", "does not identify the format"),
        ("a.xml", "fits ecbplus and are and rueval"),
        ("a.tsv", "does not identify the format"),
    ],
)
def test_names_that_do_not_determine_the_format(path: str, why: str) -> None:
    with pytest.raises(CoindexError) as caught:
        format_for_output(path)
    assert str(caught.value) == f"{path}: the name {why}; name the format with --to (format=… in Python)"


def test_a_name_that_fits_several_formats_means_the_preferred_one() -> None:
    for name in ("json", "preco", "jsonlines"):
        assert format_for_output("a.jsonl", get_format(name)).name == name
    assert format_for_output("a.xml", get_format("are")).name == "are"
    assert format_for_output("a.json", get_format("preco")).name == "json"
    assert format_for_output("a.conllu", get_format("are")).name == "corefud"
    for name in ("corefud", "ecbplus"):  # which does not fit, or is a folder of files
        with pytest.raises(CoindexError, match="fits ecbplus and are and rueval"):
            format_for_output("a.xml", get_format(name))


def test_options_are_checked() -> None:
    ecbplus = get_format("ecbplus")
    check_options({"sentences": "all"}, ecbplus.read_options, "ecbplus")
    with pytest.raises(UnknownNameError) as caught:
        check_options({"sentence": "all"}, ecbplus.read_options, "ecbplus")
    assert str(caught.value) == "unknown option of ecbplus 'sentence'; did you mean sentences?"
    with pytest.raises(UnknownNameError) as caught:
        check_options({"sentences": "al"}, ecbplus.read_options, "ecbplus")
    assert str(caught.value) == "unknown value of ecbplus option sentences 'al'; did you mean all?"
    with pytest.raises(UnknownNameError) as caught:
        check_options({"x": "y"}, (), "corefud")
    assert str(caught.value) == "unknown option of corefud 'x'; known: none"
    check_options({"language": "anything"}, get_format("text").read_options, "text")
