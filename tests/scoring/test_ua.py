"""The profiles of the Universal Anaphora scorer: recorded official results, and derivations on texts of our own."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import coindex
from coindex import Document
from coindex.api import read
from coindex.errors import CoindexError
from coindex.scoring import Result, make_settings, score_documents

NAMES = {"bcub": "b3"}
COREFERENCE = {"muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mor"}
MISREAD = {
    "116": "the first of two documents with the same id is forgotten; here an error",
    "117": "a document without an id scores 0",
    "118": "a document without an id scores 0",
    "125": "an unclosed mention has no words; here an error",
    "131": "a space in a word shifts the columns",
    "132": "a closing bracket after a one-word mention is misread",
    "133": "a minimal span that is not a number is an error only if it is used; here always",
    "134": "the separator @( becomes part of a value",
    "135": "the separator @( becomes part of a value",
    "136": "a closing bracket after a one-word mention is misread",
    "140": "bridging without brackets is ignored",
    "144": "a minimal span that is not a number is an error only if it is used; here always",
}
"""Cases that the official scorer misreads without an error, by their number."""


@pytest.fixture(scope="module")
def ua_cases() -> Path:
    root = os.environ.get("COINDEX_DATA")
    if not root or not (folder := Path(root) / "cases" / "ua").is_dir():
        pytest.skip("COINDEX_DATA does not name a folder with recorded results of the Universal Anaphora scorer")
    return folder


def make_row_settings(row: dict[str, Any], metrics: list[str]) -> Any:
    options = row["options"]
    is_first = row["version"] == "1"
    mode = options["mode"]
    split = "only" if mode == "only-split" else "scored" if options["split"] or mode != "identity" else "ignored"
    return make_settings(
        f"ua{row['version']}",
        match=("min" if options["min"] else "exact") if is_first else options["match"],
        singletons=options["singletons"] or mode != "identity",
        zeros="linear" if is_first or options["zeros"] else "none",
        split=split,
        kind="deixis" if mode == "discourse-deixis" else None,
        metrics=metrics,
        strict=False,
    )


def list_scores(scores: dict[str, Any]) -> Iterator[tuple[str, list[float] | dict[str, str]]]:
    for name, value in scores.items():
        if name == "bridging" and "error" not in value:
            yield from ((f"bridging-{level}", numbers) for level, numbers in value.items())
        elif name != "conll":
            yield NAMES.get(name, name), value


@pytest.mark.filterwarnings("ignore")
def test_recorded_scores(ua_cases: Path) -> None:
    @cache
    def load(name: str) -> list[Document] | CoindexError:
        try:
            return list(read(ua_cases / name, "conllua"))
        except CoindexError as error:
            return error

    wrong = []
    seen: Counter[str] = Counter()
    with (ua_cases / "golden_ua.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            case = row["key"].partition("/")[2].partition("_")[0]
            if row["version"] == "2c" or "error" in row["scores"] or (case in MISREAD and "crafted" in row["key"]):
                continue
            wanted = {name: value for name, value in list_scores(row["scores"]) if isinstance(value, list)}
            if "error" in row["scores"].get("bcub", ()):  # an entity without mentions, which is dropped here
                wanted = {name: value for name, value in wanted.items() if name not in COREFERENCE}
            for name in row.get("unstable", ()):
                wanted.pop(NAMES.get(name, name), None)
            if not wanted:
                continue
            key, response = load(row["key"]), load(row["sys"])
            assert not isinstance(key, CoindexError), key
            assert not isinstance(response, CoindexError), response
            result = score_documents(key, response, make_row_settings(row, list(wanted)))
            seen["rows"] += 1
            for name, numbers in wanted.items():
                seen["metrics"] += 1
                score = result[name]
                if (score.recall, score.precision, score.f1) != pytest.approx(numbers, abs=1e-9):
                    wrong.append((row["key"], row["version"], row["options"], name, numbers, score))
    assert not wrong
    assert seen == {"rows": 5311, "metrics": 52977}


# --- texts of our own

HEADER = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS\n"


def make_file(path: Path, rows: dict[str, tuple[str, ...]], name: str = "story") -> Path:
    """Write a document of these words with their cells of IDENTITY, BRIDGING and DISCOURSE_DEIXIS."""
    lines = [HEADER + f"# newdoc id = {name}"]
    for number, (word, cells) in enumerate(rows.items(), 1):
        columns = [str(number), word, *["_"] * 8, *cells, *["_"] * (3 - len(cells))]
        lines.append("\t".join(columns))
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return path


ANN, BOB = "(EntityID=ann|MarkableID=m1|ElementOf=both)", "(EntityID=bob|MarkableID=m2|ElementOf=both)"
CAT = "(EntityID=cat|MarkableID=m5)"
THEY = {"they": ("(EntityID=both|MarkableID=m3)",), "their": ("(EntityID=both|MarkableID=m4)",)}


def score(
    tmp_path: Path, key: dict[str, tuple[str, ...]], response: dict[str, tuple[str, ...]], **options: Any
) -> Result:
    paths = make_file(tmp_path / "key.conllua", key), make_file(tmp_path / "response.conllua", response)
    return coindex.score(*paths, profile=options.pop("profile", "ua"), **options)


def test_split_antecedent_with_a_wrong_member(tmp_path: Path) -> None:
    key = {"Ann": (ANN,), "met": (), "Bob": (BOB,), "and": (), "cat": (CAT,), **THEY}
    response = key | {"Bob": ("(EntityID=bob|MarkableID=m2)",), "cat": (CAT.replace(")", "|ElementOf=both)"),)}
    result = score(tmp_path, key, response, metrics=["muc", "b3", "ceafe"])
    # The plurals {Ann, Bob} and {Ann, cat} share one of two members: their score is 1/2 in every metric.
    # The entity {they, their, plural} has two links, of which 1 + 1/2 are found; the others have none.
    assert result["muc"].recall == result["muc"].precision == pytest.approx(1.5 / 2)
    # B³: three singletons are right, and (2 + 1/2)² / 3 of the three mentions of the plural entity.
    assert result["b3"].recall == pytest.approx((3 + 2.5**2 / 3) / 6)
    assert result["ceafe"].recall == pytest.approx((3 + 2 * 2.5 / 6) / 4)
    only = score(tmp_path, key, response, split="only")
    assert only["b3"].f1 == pytest.approx(1 / 2)
    assert "non-referring" not in only
    ignored = score(tmp_path, key, response, split="ignored", metrics=["muc"])
    assert ignored["muc"].f1 == 1


def test_bridging_and_non_referring(tmp_path: Path) -> None:
    key = {
        "It": ("(EntityID=7-Pseudo|MarkableID=m0)",),
        "house": ("(EntityID=house|MarkableID=m1)",),
        "it": ("(EntityID=house|MarkableID=m2)",),
        "door": ("(EntityID=door|MarkableID=m3)", "(MarkableID=m3|Rel=part|MentionAnchor=m1|EntityAnchor=house)"),
        "garden": ("(EntityID=garden|MarkableID=m4)",),
        "roof": ("(EntityID=roof|MarkableID=m5)", "(MarkableID=m5|MentionAnchor=m1|EntityAnchor=house)"),
    }
    response = key | {
        "door": ("(EntityID=door|MarkableID=m3)", "(MarkableID=m3|MentionAnchor=m2|EntityAnchor=house)"),
        "roof": ("(EntityID=roof|MarkableID=m5)", "(MarkableID=m5|MentionAnchor=m4|EntityAnchor=garden)"),
        "garden": ("(EntityID=8-Pseudo|MarkableID=m4)",),
    }
    result = score(tmp_path, key, response)
    assert result["bridging-anaphor"].f1 == 1
    assert result["bridging-mention"].f1 == 0
    assert result["bridging-entity"].f1 == 1 / 2
    assert (result["non-referring"].recall, result["non-referring"].precision) == (1, 1 / 2)
    # The same definitions with another profile, on other formats.
    for name in ("key", "response"):
        coindex.write(read(tmp_path / f"{name}.conllua"), tmp_path / f"{name}.json")
    other = coindex.score(
        tmp_path / "key.json",
        tmp_path / "response.json",
        metrics=["bridging-mention", "bridging-entity"],
        singletons=True,
    )
    assert (other["bridging-mention"].f1, other["bridging-entity"].f1) == (0, 1 / 2)


def test_bridging_of_corefud(tmp_path: Path) -> None:
    """The anchor of CorefUD, which annotates entities, is the last mention before the anaphor."""
    text = (
        "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
        "1\thouse\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1)\n2\tit\t_\t_\t_\t_\t1\t_\t_\tEntity=(e1)\n"
        "3\tdoor\t_\t_\t_\t_\t1\t_\t_\tBridge=e1<e2:part|Entity=(e2)\n4\tgarden\t_\t_\t_\t_\t1\t_\t_\tEntity=(e3)\n\n"
    )
    (tmp_path / "key.conllu").write_text(text, encoding="utf-8")
    (tmp_path / "wrong.conllu").write_text(text.replace("e1<e2", "e3<e2"), encoding="utf-8")
    metrics = ["bridging-anaphor", "bridging-mention", "bridging-entity"]
    right = coindex.score(tmp_path / "key.conllu", tmp_path / "key.conllu", profile="ua", metrics=metrics)
    assert [right[name].f1 for name in metrics] == [1, 1, 1]
    wrong = coindex.score(tmp_path / "key.conllu", tmp_path / "wrong.conllu", profile="ua", metrics=metrics)
    assert [wrong[name].f1 for name in metrics] == [1, 0, 0]


def test_discourse_deixis_is_scored_separately(tmp_path: Path) -> None:
    key = {
        "Rain": ("(EntityID=1|MarkableID=m1)", "_", "(EntityID=1|MarkableID=d1"),
        "fell": ("_", "_", ")"),
        "That": ("_", "_", "(EntityID=1|MarkableID=d2)"),
        "hurt": (),
    }
    response = key | {"That": ()}
    assert score(tmp_path, key, response)["b3"].f1 == 1
    deixis = score(tmp_path, key, response, kind="deixis")
    assert "bridging-entity" not in deixis
    assert deixis["b3"].recall == pytest.approx((1 / 2) / 2)
    assert "kind:deixis" in deixis.signature


def test_minimal_spans(tmp_path: Path) -> None:
    key = {
        "the": ("(EntityID=1|MarkableID=m1|Min=2",),
        "dog": (),
        "outside": (")",),
        "it": ("(EntityID=1|MarkableID=m2)",),
    }
    response = key | {"the": ("_",), "dog": ("(EntityID=1|MarkableID=m1)",), "outside": ("_",)}
    assert score(tmp_path, key, response, metrics=["muc"])["muc"].f1 == 0
    assert score(tmp_path, key, response, metrics=["muc"], match="partial")["muc"].f1 == 1
    huge = key | {"the": ("(EntityID=1|MarkableID=m1|Min=2,999999999",)}
    assert score(tmp_path, huge, response, metrics=["muc"], match="partial")["muc"].f1 == 0
    first = score(tmp_path, key, response, metrics=["muc", "ceafe"], match="min", profile="ua1")
    assert (first["muc"].f1, first["ceafe"].f1) == (0, 1)  # as in the official scorer, where Min reaches only CEAF


def test_circle_of_split_antecedents_is_an_error(tmp_path: Path) -> None:
    key = {"Ann": ("(EntityID=1|MarkableID=m1|ElementOf=2)",), "they": ("(EntityID=2|MarkableID=m2|ElementOf=1)",)}
    with pytest.raises(CoindexError) as raised:
        score(tmp_path, key, key)
    assert raised.value.code == "invalid-split-antecedent"


def test_documents_are_paired_by_id(tmp_path: Path) -> None:
    rows = {"Ann": ("(EntityID=1|MarkableID=m1)",), "she": ("(EntityID=1|MarkableID=m2)",)}
    texts = [make_file(tmp_path / f"{name}.conllua", rows, name).read_text(encoding="utf-8") for name in ("a", "b")]
    body = [text.removeprefix(HEADER) for text in texts]
    paths = {name: tmp_path / f"{name}.conllua" for name in ("key", "turned", "one", "twice")}
    paths["key"].write_text(HEADER + body[0] + body[1], encoding="utf-8")
    paths["turned"].write_text(HEADER + body[1] + body[0], encoding="utf-8")
    paths["one"].write_text(HEADER + body[1], encoding="utf-8")
    paths["twice"].write_text(HEADER + body[0] + body[0], encoding="utf-8")
    assert coindex.score(paths["key"], paths["turned"], profile="ua")["muc"].f1 == 1
    for name, code in (("one", "missing-document"), ("twice", "duplicate-document-id")):
        with pytest.raises(CoindexError) as raised:
            coindex.score(paths["key"], paths[name], profile="ua")
        assert raised.value.code == code
    assert coindex.score(paths["key"], paths["one"], profile="ua1", strict=False)["muc"].f1 == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"she": ("_",)}, None),
        ({"he": ("_",)}, "extra-word"),
    ],
)
def test_words_must_be_those_of_the_key(tmp_path: Path, change: dict[str, tuple[str, ...]], code: str | None) -> None:
    key = {"Ann": ("(EntityID=1|MarkableID=m1)",), "she": ("(EntityID=1|MarkableID=m2)",)}
    if code is None:
        assert score(tmp_path, key, key | change)["muc"].f1 == 0
        return
    with pytest.raises(CoindexError) as raised:
        score(tmp_path, key, key | change)
    assert raised.value.code == code


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    for options in ({"profile": "crac24", "split": "scored"}, {"profile": "ua", "unit": "corpus"}):
        with pytest.raises(CoindexError) as raised:
            make_settings(**options)
        assert raised.value.code == "invalid-option"
    key = {"Ann": (ANN,), "Bob": (BOB,), **THEY}
    with pytest.raises(CoindexError) as raised:
        score(tmp_path, key, key, singletons=False)
    assert raised.value.code == "invalid-option"


def test_signature_and_newest_profile() -> None:
    assert make_settings("ua").profile == "ua2@1"
    settings = make_settings("ua", split="ignored")
    result = Result.of(settings, [])
    assert result.signature.startswith("coindex|ua2@1|match:exact|sing:yes|zeros:no|split:ignored|v:")


def test_empty_entities_after_zeros_are_dropped(tmp_path: Path) -> None:
    """The official scorer divides by zero here."""
    zero = "1.1\t_" + "\t_" * 8 + "\t(EntityID=z|MarkableID=m9)\t_\t_\n"
    path = make_file(tmp_path / "key.conllua", {"Ann": ("(EntityID=1|MarkableID=m1)",), "ran": ()})
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("2\tran", zero + "2\tran"), encoding="utf-8")
    assert coindex.score(path, path, profile="ua", metrics=["b3"]).counts["b3"].values == (1, 1, 1, 1)
    assert coindex.score(path, path, profile="ua", metrics=["b3"], zeros="linear").counts["b3"].values == (2, 2, 2, 2)


def test_errors_are_not_classified(tmp_path: Path) -> None:
    path = make_file(tmp_path / "key.conllua", {"Ann": (ANN,)})
    with pytest.raises(CoindexError) as raised:
        coindex.find_errors(path, path, profile="ua")
    assert raised.value.code == "invalid-option"
