"""`coindex.score` and its kin: files, folders and documents, one process or several, errors with places."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import coindex
from coindex import Corpus, Document
from coindex.corpora.counting import LEAST, SHARE
from coindex.corpora.key_and_response import cut_pair, pair_paths
from coindex.errors import CoindexError, DataWarning, FormatError, LossWarning
from coindex.scoring import MismatchError, Result
from scoring.texts import doc
from wording import says

KEY = [
    doc(
        "(a:1 Ann/PROPN )a saw/VERB (b:2 a/DET dog/NOUN )b",
        "(b) It/PRON saw/VERB (a) her/PRON",
        id="d1",
        ids=("d1-1", "d1-2"),
    ),
    doc("(c) Bob/PROPN left/VERB (c) his/PRON (d) home/NOUN", id="d2", ids=("d2-1",)),
]
RESPONSE = [
    doc(
        "(a:1 Ann/PROPN )a saw/VERB a/DET (b) dog/NOUN",
        "(b) It/PRON saw/VERB (x) her/PRON",
        id="d1",
        ids=("d1-1", "d1-2"),
    ),
    doc("(c) Bob/PROPN left/VERB (c) his/PRON (d) home/NOUN", id="d2", ids=("d2-1",)),
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "key.conllu", tmp_path / "response.conllu"
    coindex.write(KEY, paths[0])
    coindex.write(RESPONSE, paths[1])
    return paths


def numbers(result: Result) -> list[tuple[float, float, float]]:
    return [(result[name].recall, result[name].precision, result[name].f1) for name in result]


def test_paths_and_documents_give_the_same(files: tuple[Path, Path]) -> None:
    key, response = files
    first = coindex.score(key, response)
    # MUC: of Ann–her, dog–It and Bob–his the response has the last two, and nothing else
    assert (first["muc"].recall, first["muc"].precision) == (2 / 3, 1)
    assert first.conll == pytest.approx(sum(first[name].f1 for name in ("muc", "b3", "ceafe")) / 3)
    for keys, responses in [
        (str(key), str(response)),
        (KEY, RESPONSE),
        (Corpus(tuple(KEY)), RESPONSE),
        (coindex.read(key), coindex.read(response)),
        (key, RESPONSE),
        (iter(KEY), response),
    ]:
        assert coindex.score(keys, responses) == first


def test_a_single_document() -> None:
    assert coindex.score(KEY[1], RESPONSE[1])["muc"].f1 == 1


def test_options_as_people_write_them(files: tuple[Path, Path]) -> None:
    key, response = files
    default = coindex.score(key, response)
    same = coindex.score(key, response, match="head", singletons=False, zeros="dependent", profile=None, strict=True)
    assert same == default
    assert default.signature == f"coindex|crac24@1|match:head|sing:no|zeros:dep|v:{coindex.__version__}"
    exact = coindex.score(key, response, match="exact", singletons=True, metrics=["muc", "mentions"])
    assert exact.signature == f"coindex|crac24@1|match:exact|sing:yes|zeros:dep|v:{coindex.__version__}"
    assert list(exact) == ["muc", "mentions"]
    assert exact["muc"].recall == 1 / 3  # "dog" is not "a dog"
    assert coindex.score(key, response, profile="crac22").settings.profile == "crac22@1"
    with pytest.raises(CoindexError, match="unknown profile 'crac23@7'"):
        coindex.score(key, response, profile="crac23@7")


def test_importing_coindex_loads_no_scorer() -> None:
    code = (
        "import coindex, sys; print([m for m in ('numpy', 'scipy', 'pandas', 'coindex.scoring') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# --- what is odd or wrong


def test_a_mismatch_has_file_and_line(files: tuple[Path, Path]) -> None:
    key, response = files
    response.write_text(response.read_text().replace("\tsaw\t", "\tmet\t", 1))
    with pytest.raises(MismatchError) as caught:
        coindex.score(key, response)
    error = caught.value
    assert (error.code, error.path, error.line) == ("word-mismatch", str(response), line_of(response, "met"))
    assert error.text(lambda _: "the response").startswith(f"response: the response:{error.line}: ")
    place = f"response: {response}:{error.line}: "
    assert says(error, f"{place}the word 'met'; expected the word 'saw' as in the key; ")


def line_of(path: Path, word: str) -> int:
    lines = path.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if f"\t{word}\t" in line)


@pytest.mark.filterwarnings("ignore::coindex.errors.LossWarning")
def test_a_mismatch_in_a_format_without_lines_has_file_and_sentence(tmp_path: Path) -> None:
    path = tmp_path / "response.jsonlines"
    coindex.write([doc("(a) Ann met (a) her", id="d1")], path)
    with pytest.raises(MismatchError, match=r"response\.jsonlines, document 'd1', sentence 1, word 2: the word 'met'"):
        coindex.score(doc("(a) Ann saw (a) her", id="d1"), path)


def test_a_response_cut_short(files: tuple[Path, Path]) -> None:
    key, response = files
    text = response.read_text()
    response.write_text(text[: text.index("# sent_id = d1-2")])
    with pytest.raises(MismatchError, match=r"1 sentences; expected 2 as in the key; the response may be truncated"):
        coindex.score(key, response)
    response.write_text(text[: text.index("# newdoc id = d2")])
    with pytest.raises(MismatchError, match="the end of the documents; expected document 'd2' as in the key"):
        coindex.score(key, response)


def test_repeated_mentions_are_named_with_their_lines(files: tuple[Path, Path]) -> None:
    key, response = files
    response.write_text(response.read_text().replace("Entity=(d--1)", "Entity=(d--1)(c--1)"))
    place = f"{response}:{line_of(response, 'home')} 'home'"
    with pytest.warns(DataWarning) as caught:
        coindex.score(key, response, singletons=True)
    assert len(caught) == 1
    assert says(caught[0].message, "1 mentions of the response occur more than once", place)
    assert caught[0].filename == __file__


def test_missing_heads_of_the_key_cause_a_warning(files: tuple[Path, Path]) -> None:
    key, response = files
    key.write_text(key.read_text().replace("(b--2", "(b--"))
    with pytest.warns(DataWarning, match="1 mentions of the key have no head.*coindex heads"):
        coindex.score(key, response)


def test_a_bracket_never_closed(files: tuple[Path, Path]) -> None:
    key, response = files
    response.write_text(response.read_text().replace("Entity=(a--1)", "Entity=(a--1"))
    with pytest.raises(FormatError, match=f":{line_of(response, 'Ann')}: a mention of 'a' that is never closed"):
        coindex.score(key, response)
    with pytest.warns(DataWarning, match=r"ignored, as by the official scorers: .*never closed"):
        result = coindex.score(key, response, strict=False)
    assert result["muc"].recall == 2 / 3
    assert "strict:no" in result.signature


def test_a_bracket_never_opened_has_no_number(files: tuple[Path, Path]) -> None:
    key, response = files
    response.write_text(response.read_text().replace("Entity=(a--1)", "Entity=a)"))
    for strict in (True, False):
        with pytest.raises(FormatError, match="never opened"):
            coindex.score(key, response, strict=strict)


def test_entities_before_any_document(files: tuple[Path, Path]) -> None:
    key, response = files
    text = response.read_text()
    response.write_text(text.replace("# newdoc id = d1\n", ""))
    with pytest.raises(FormatError, match=r"entities before any # newdoc.*add a line '# newdoc id = NAME'"):
        coindex.score(key, response)


def test_raw_text_is_not_a_response(files: tuple[Path, Path], tmp_path: Path) -> None:
    text = tmp_path / "response.txt"
    text.write_text("Ann saw a dog.")
    with pytest.raises(
        FormatError, match=r"response\.txt: text, a format without entities; expected a key or response"
    ):
        coindex.score(files[0], text)


def test_a_response_without_entities_is_reported(files: tuple[Path, Path]) -> None:
    empty = [document.replace(entities=()) for document in KEY]
    with pytest.warns(DataWarning, match="the response has no entities, so every score is 0"):
        result = coindex.score(files[0], empty)
    assert result["muc"].f1 == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        coindex.score(empty, empty)


def test_arguments_that_are_not_documents(files: tuple[Path, Path]) -> None:
    with pytest.raises(TypeError, match=r"response: expected a coindex\.Document, not str; read a file with"):
        coindex.score(files[0], ["response.conllu"])  # type: ignore[list-item]


def test_separated_documents_with_the_same_id() -> None:
    more = doc("(e) She/PRON saw/VERB (e) herself/PRON", id="d1", ids=("d1-3",))
    key, response = [*KEY, more], [*RESPONSE, more]
    assert len(coindex.score(key, response).units) == 2
    with pytest.raises(CoindexError, match="pass paths or lists instead of iterators"):
        coindex.score(iter(key), iter(response))


@pytest.mark.filterwarnings("ignore::coindex.errors.DataWarning")
def test_separated_documents_with_the_same_id_in_files(tmp_path: Path) -> None:
    key, response = tmp_path / "k.conllu", tmp_path / "r.conllu"
    coindex.write([*KEY, KEY[0]], key)
    coindex.write([*RESPONSE, RESPONSE[0]], response)
    assert coindex.score(key, response) == coindex.score(key, response, jobs=2)
    assert len(coindex.score(key, response).units) == 2


# --- folders


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    key, response = tmp_path / "key", tmp_path / "response"
    for folder, docs in ((key, KEY), (response, RESPONSE)):
        (folder / "sub").mkdir(parents=True)
        coindex.write(docs[0], folder / "sub" / "one.conllu")
        coindex.write(docs[1], folder / "two.conllu")
        (folder / "README.md").write_text("What this is.")
    return key, response


def test_folders_are_paired_by_names(folders: tuple[Path, Path]) -> None:
    result = coindex.score(*folders)
    assert numbers(result) == numbers(coindex.score(KEY, RESPONSE))
    assert [unit.id for unit in result.units] == ["d1", "d2"]


@pytest.mark.filterwarnings("ignore::coindex.errors.LossWarning")
def test_files_of_other_formats_are_paired_too(folders: tuple[Path, Path]) -> None:
    key, response = folders
    for path in (response / "sub/one.conllu", response / "two.conllu"):
        coindex.write(coindex.read(path), path.with_suffix(".jsonlines"))
        path.unlink()
    assert coindex.score(key, response)["muc"].recall == 2 / 3


def test_a_file_without_response(folders: tuple[Path, Path]) -> None:
    key, response = folders
    (response / "sub/one.conllu").unlink()
    for strict in (True, False):
        with pytest.raises(CoindexError, match=r"no response file 'sub/one' for .*key/sub/one\.conllu"):
            coindex.score(key, response, strict=strict)


def test_a_file_without_key(folders: tuple[Path, Path]) -> None:
    key, response = folders
    (key / "sub/one.conllu").unlink()
    with pytest.raises(CoindexError, match=r"sub/one\.conllu: 1 response file without a key file"):
        coindex.score(key, response)
    with pytest.warns(DataWarning, match="1 response file without a key file ignored: sub/one"):
        assert coindex.score(key, response, strict=False)["muc"].f1 == 1


def test_a_folder_against_a_file(folders: tuple[Path, Path], files: tuple[Path, Path]) -> None:
    assert numbers(coindex.score(folders[0], files[1])) == numbers(coindex.score(*files))


def test_documents_of_one_id_in_two_files_are_two(tmp_path: Path) -> None:
    for side in ("k", "r"):
        (tmp_path / side).mkdir()
        for name in ("a", "b"):
            coindex.write(KEY[1], tmp_path / side / f"{name}.conllu")
    result = coindex.score(tmp_path / "k", tmp_path / "r")
    assert list(result.by_document()) == ["d2", "d2 (2)"]


# --- several processes


@pytest.fixture(scope="module")
def long_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Enough documents that files are read in pieces."""
    folder = tmp_path_factory.mktemp("long")
    paths = folder / "key.conllu", folder / "response.conllu"
    for path, docs in zip(paths, (KEY, RESPONSE), strict=True):
        coindex.write((d.replace(id=f"{d.id}-{n}") for n in range(1200) for d in docs), path)
    assert paths[0].stat().st_size > 2 * LEAST
    return paths


def test_pieces_give_the_same_bits(long_files: tuple[Path, Path]) -> None:
    one = coindex.score(*long_files, metrics=["muc", "b3", "ceafe", "blanc", "lea", "mor"])
    two = coindex.score(*long_files, metrics=["muc", "b3", "ceafe", "blanc", "lea", "mor"], jobs=2)
    assert two == one
    assert [unit.id for unit in two.units[:3]] == ["d1-0", "d2-0", "d1-1"]
    assert len(two.units) == 2400


def test_documents_and_folders_give_the_same_bits(folders: tuple[Path, Path]) -> None:
    assert coindex.score(KEY, RESPONSE, jobs=2) == coindex.score(KEY, RESPONSE)
    assert coindex.score(*folders, jobs=2) == coindex.score(*folders)
    assert coindex.score(*folders, jobs=2, unit="corpus") == coindex.score(*folders, unit="corpus")


def test_groups_give_the_same_bits(files: tuple[Path, Path]) -> None:
    assert coindex.score_by_upos(*files, jobs=2) == coindex.score_by_upos(*files)
    assert coindex.score_side_by_side(*files, jobs=2) == coindex.score_side_by_side(*files)


def test_errors_are_the_same(long_files: tuple[Path, Path], tmp_path: Path) -> None:
    key, response = long_files
    other = tmp_path / "other.conllu"
    text = response.read_text()
    at = text.index("# newdoc id = d2-1000")
    for old, new in (("\tleft\t", "\twent\t"), ("Entity=(d--1)", "Entity=d)"), ("id = d2-1000", "id = d3")):
        other.write_text(text[:at] + text[at:].replace(old, new, 1))
        messages = set()
        for jobs in (1, 2):
            with pytest.raises(CoindexError) as caught:
                coindex.score(key, other, jobs=jobs)
            messages.add((type(caught.value), str(caught.value)))
        assert len(messages) == 1


def test_the_last_document_is_that_of_the_file(tmp_path: Path) -> None:
    """A document that is cut short is passed over only at the end of a file, not at the end of a piece of it."""
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    coindex.write((KEY[0].replace(id=f"d{n}") for n in range(1500)), key)
    size = max(key.stat().st_size // (SHARE * 2), LEAST)
    piece = cut_pair(pair_paths(str(key), str(key))[0], size)[0].key[0].piece
    assert piece is not None
    last = key.read_bytes()[: piece.end].count(b"# newdoc") - 1
    text = key.read_text()
    start = text.index("# sent_id", text.index(f"# newdoc id = d{last}\n"))
    start = text.index("# sent_id", start + 1)
    response.write_text(text[:start] + text[text.index("# newdoc", start) :])
    for jobs in (1, 2):
        with pytest.raises(MismatchError, match=f"document 'd{last}' with 1 sentences, unlike the key"):
            coindex.score(key, response, strict=False, jobs=jobs)


def test_warnings_are_the_same(long_files: tuple[Path, Path], tmp_path: Path) -> None:
    key, response = long_files
    other = tmp_path / "other.conllu"
    other.write_text(response.read_text().replace("Entity=(d--1)", "Entity=(d--1"))
    messages = []
    for jobs in (1, 2):
        with pytest.warns(DataWarning) as caught:
            coindex.score(key, other, strict=False, jobs=jobs)
        messages.append([str(warning.message) for warning in caught])
    assert messages[0] == messages[1]
    assert says(messages[0][0], "and 1199 more")


# --- groups, datasets, comparisons


def test_by_part_of_speech(files: tuple[Path, Path]) -> None:
    found = coindex.score_by_upos(*files, metrics=["muc"])
    assert list(found) == ["NOUN", "PRON", "PROPN"]
    assert found["NOUN"]["muc"].recall == 1  # dog–It; Bob's home is a singleton
    assert found["PROPN"]["muc"].recall == 1 / 2  # Bob–his, but not Ann–her


def test_without_and_with_singletons(files: tuple[Path, Path]) -> None:
    found = coindex.score_side_by_side(*files)
    assert found.without_singletons == coindex.score(*files, singletons=False)
    assert found.with_singletons == coindex.score(*files, singletons=True)


def test_datasets(files: tuple[Path, Path]) -> None:
    found = coindex.score_datasets({"both": files, "second": (KEY[1], RESPONSE[1])}, metrics=["muc"])
    assert found["muc"].f1 == pytest.approx((2 * (2 / 3) / (2 / 3 + 1) + 1) / 2)
    assert found.results["second"]["muc"].f1 == 1


@pytest.mark.filterwarnings("ignore::coindex.errors.DataWarning")  # two documents are few
def test_comparing(files: tuple[Path, Path]) -> None:
    found = coindex.compare(files[0], {"response": files[1], "key": files[0]}, rounds=50, metrics=["muc"])
    assert found.scores["muc"]["key"].score == 1
    assert found.difference("muc", "response", "key").difference == pytest.approx(0.8 - 1)
    again = coindex.compare(iter(KEY), {"response": RESPONSE, "key": KEY}, rounds=50, metrics=["muc"])
    assert again.scores == found.scores


# --- the CoNLL reference scorer looks at the last column only


def test_conll_files_with_uneven_rows(tmp_path: Path) -> None:
    rows = "doc\t0\t0\tAnn\t(1)\ndoc\t0\t1\tsaw\t-\t\ndoc\t0\t2\ther\t(1)\n"
    for name, text in (("key", rows), ("response", rows.replace("saw", "met"))):
        (tmp_path / name).write_text(f"#begin document (doc);\n{text}\n#end document\n")
    key, response = tmp_path / "key", tmp_path / "response"
    assert coindex.score(key, key, profile="conll12")["muc"].f1 == 1
    with pytest.raises(MismatchError, match="the word 'met'"):
        coindex.score(key, response, profile="conll12")
    assert coindex.score(key, response, profile="conll12", strict=False)["muc"].f1 == 1
    with pytest.raises(FormatError, match="a row of 6 columns"):
        coindex.score(key, key)


def test_conll_files_with_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("#begin document (doc);\ndoc (1)\ndoc (1)\n\n(2)\n#end document\n")
    (found,) = coindex.read(path, columns="any")
    assert [token.form for token in found.tokens] == ["doc", "doc", "_"]
    assert coindex.score(path, path, profile="conll12")["b3"].f1 == 1


def test_other_formats_against_corefud(files: tuple[Path, Path], tmp_path: Path) -> None:
    path = tmp_path / "response.conll"
    with pytest.warns(LossWarning):
        coindex.write([d.replace(id=d.id) for d in RESPONSE], path)
    result = coindex.score(files[0], path, match="exact", zeros="linear")
    assert result["muc"].recall == 1 / 3


def test_a_document_knows_its_place_only_if_it_has_one() -> None:
    with pytest.raises(MismatchError, match="response: document 'd2', sentence 'd2-1', word 1: document 'd2'"):
        coindex.score(KEY[0], KEY[1])
    assert isinstance(KEY[0], Document)
