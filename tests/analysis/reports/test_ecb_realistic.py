"""The settings of Table 3, and the example of section 3.1 of Cattan et al. 2021, number by number."""

from __future__ import annotations

from pathlib import Path

import pytest

import coindex
from analysis.ecb_text import KEY, S1, S2, collection, with_entities, write_ecb
from coindex import __version__
from coindex.analysis.reports import Report
from coindex.analysis.tables import Table
from coindex.api import score
from coindex.api.reports import report
from coindex.document import Document
from coindex.errors import CoindexError, DataWarning, UnknownNameError

F1S = ("muc_f1", "b3_f1", "ceafe_f1", "lea_f1", "conll")


def table(found: Report, name: str = "events") -> Table:
    (one,) = (table for table in found.tables if table.name == name)
    return one


def values(found: Table, **keys: str) -> dict[str, float]:
    """The values of the one row with these keys."""
    (row,) = (row for row in found.rows if keys.items() <= row.keys.items())
    names = [column.name for column in found.columns]
    return {name: value for name, value in zip(names, row.values, strict=True) if isinstance(value, float)}


def rounded(found: Table, *names: str, **keys: str) -> list[float]:
    numbers = values(found, **keys)
    return [round(100 * numbers[name], 1) for name in names]


@pytest.fixture(scope="module")
def example() -> Report:
    return report("ecb-realistic", KEY, {"S1": S1, "S2": S2})


@pytest.mark.parametrize(
    ("system", "singletons", "printed"),
    [
        ("S1", "without", [75.0, 53.1, 44.4, 42.1, 57.5]),
        ("S2", "without", [85.7, 83.9, 90.0, 80.0, 86.5]),
        ("S1", "with", [75.0, 77.6, 77.8, 69.0, 76.8]),
        ("S2", "with", [85.7, 59.2, 32.7, 50.0, 59.2]),
    ],
)
def test_the_papers_example(example: Report, system: str, singletons: str, printed: list[float]) -> None:
    """Table 2 of the paper."""
    found = table(example)
    assert rounded(found, *F1S, level="topic", system=system, singletons=singletons) == printed
    shown = [f"{number:.1f}" for number in printed]
    sign = {"with": "⁺", "without": "⁻"}[singletons]
    lines = example.render().splitlines()
    start = lines.index("Topic level")
    (line,) = (line for line in lines[start : lines.index("Corpus level")] if line.startswith(system) and sign in line)
    assert all(number in line for number in shown)


def test_mention_detection_is_separate(example: Report) -> None:
    """Printed: S1 100, S2 66.7 (recall 60, precision 75), with singletons or without, at every level."""
    names = ("mentions_recall", "mentions_precision", "mentions_f1")
    for level in ("subtopic", "topic", "corpus"):
        for singletons in ("with", "without"):
            where = {"level": level, "singletons": singletons}
            assert rounded(table(example), *names, system="S1", **where) == [100.0, 100.0, 100.0]
            assert rounded(table(example), *names, system="S2", **where) == [60.0, 75.0, 66.7]


def test_numbers_are_those_of_the_scorer(example: Report) -> None:
    found = table(example)
    for level in ("subtopic", "topic", "corpus"):
        for singletons in (True, False):
            profile = "ecb-subtopic" if level == "subtopic" else "ecb-topic"
            result = score(KEY, S2, profile=profile, unit=level, singletons=singletons, kind="event")
            keys = {"system": "S2", "level": level, "singletons": "with" if singletons else "without"}
            numbers = values(found, **keys)
            for metric in ("muc", "b3", "ceafe", "lea", "mentions"):
                for part in ("recall", "precision", "f1"):
                    assert numbers[f"{metric}_{part}"] == getattr(result[metric], part)
            assert numbers["conll"] == result.conll
            (row,) = (row for row in found.rows if keys.items() <= row.keys.items())
            assert row.signature == result.signature


def test_every_setting_is_there(example: Report) -> None:
    assert [table.name for table in example.tables] == ["events"], "the key has no entities"
    rows = [tuple(row.keys.values()) for row in table(example).rows]
    assert rows == [
        (level, system, mentions, singletons)
        for level in ("subtopic", "topic", "corpus")
        for system, mentions in (
            ("Singleton baseline", "gold"),
            ("Singleton baseline", "predicted"),
            ("Head-lemma baseline", "gold"),
            ("Head-lemma baseline", "predicted"),
            ("S1", "gold"),  # it has the mentions of the key
            ("S2", "predicted"),
        )
        for singletons in ("with", "without")
    ]
    assert table(example).signatures[0] == (
        f"coindex|ecb-subtopic@1|match:exact|sing:yes|zeros:lin|unit:subtopic|kind:event|v:{__version__}"
    )
    assert len(table(example).signatures) == 6


def test_singletons_on_gold_mentions(example: Report) -> None:
    """Each of 10 mentions alone: all 5 singletons and a part of the other two entities; nothing without singletons."""
    numbers = values(table(example), level="topic", system="Singleton baseline", mentions="gold", singletons="with")
    assert (numbers["b3_recall"], numbers["b3_precision"]) == (pytest.approx((5 + 2 / 2 + 3 / 3) / 10), 1)
    assert numbers["muc_f1"] == 0
    assert numbers["ceafe_recall"] == pytest.approx((5 + 2 / 3 + 2 / 4) / 7)
    without = values(table(example), level="topic", system="Singleton baseline", mentions="gold", singletons="without")
    assert without["conll"] == 0
    assert without["mentions_f1"] == 1


def test_the_predicted_baselines_have_the_mentions_of_the_system(example: Report) -> None:
    for baseline in ("Singleton baseline", "Head-lemma baseline"):
        where = {"level": "corpus", "mentions": "predicted", "singletons": "with"}
        assert rounded(table(example), "mentions_f1", system=baseline, **where) == [66.7]
    assert "The baselines on predicted mentions use those of S2." in table(example).remarks


def levels_of_lemmas(topics: object = None) -> dict[str, float]:
    """MUC precision of the head-lemma baseline where "vote" is one event in each subtopic of two topics."""
    texts = ("(a) vote", "(a) votes", "(b) vote", "(b) voted")
    key = collection(*texts) + collection(*(text.replace("(a", "(c").replace("(b", "(d") for text in texts), topic="5")
    found = report("ecb-realistic", key, topics=topics)  # type: ignore[arg-type]
    where = {"system": "Head-lemma baseline", "singletons": "with"}
    return {
        level: values(table(found), level=level, **where)["muc_precision"] for level in ("subtopic", "topic", "corpus")
    }


def test_resolvers_see_the_units_of_the_level_as_topics() -> None:
    """Four events of two mentions: in a topic they fall into two entities, in the corpus into one."""
    assert levels_of_lemmas() == {"subtopic": 1, "topic": pytest.approx(4 / 6), "corpus": pytest.approx(4 / 7)}


def test_resolvers_see_predicted_topics_at_all_levels() -> None:
    """Every document a topic by itself: no link at all."""
    assert set(levels_of_lemmas(lambda docs: [doc.id for doc in docs]).values()) == {0}


def test_topics_are_predicted_from_the_words() -> None:
    """A topic has two versions of two stories; with predicted topics the two votes are not merged."""
    key = collection(
        "snow village mayor baker goat bridge market by (a) vote",
        "mayor baker of snow village with goat bridge market by (a) vote",
        "harbour tax parliament ship minister coal night by (b) vote",
        "night parliament minister ship coal harbour tax by (b) vote",
    )
    muc = {}
    for topics in ("given", "predicted"):
        found = report("ecb-realistic", key, topics=topics, levels=["topic"])
        assert found.about["topics_seen"] == topics
        muc[topics] = rounded(table(found), "muc_f1", system="Head-lemma baseline", singletons="without")
    assert muc == {"given": [80.0], "predicted": [100.0]}


def test_a_resolver_is_run() -> None:
    """On gold mentions it is the baseline; only that was asked for."""
    found = table(report("ecb-realistic", KEY, {"mine:gold": "head-lemma(scope=topic)"}, levels=["topic"]))
    mine, baseline = (
        [row.values for row in found.rows if row.keys["system"] == name] for name in ("mine", "Head-lemma baseline")
    )
    assert mine == baseline
    assert len(mine) == 2


def test_a_resolver_is_run_on_gold_and_predicted_mentions() -> None:
    with pytest.warns(DataWarning, match="are: 4 documents of the response have entity ids that are local"):
        found = report("ecb-realistic", with_entities(KEY, "abcdefg"), {"are": "are-baseline"}, levels=["topic"])
    runs = {row.keys["mentions"] for row in table(found, "entities").rows if row.keys["system"] == "are"}
    assert runs == {"gold", "predicted"}
    assert found.about["resolvers"] == {"are": "are-baseline"}


def test_mention_detection_counts_mentions_without_links() -> None:
    """A cross-document resolver drops singletons by default, but the report keeps them unless the chain says so."""
    systems = {"all": "cross", "linked": "cross(singletons=no)"}
    found = table(
        report("ecb-realistic", KEY, {f"{name}:predicted": text for name, text in systems.items()}, levels=["topic"])
    )
    where = {"level": "topic", "singletons": "without"}
    every, linked = (values(found, system=name, mentions="predicted", **where) for name in systems)
    assert every["mentions_recall"] > linked["mentions_recall"]
    assert every["conll"] == linked["conll"]


def test_responses_for_levels() -> None:
    """One made for the subtopic level, one for the topic level; the corpus level has none."""
    found = table(report("ecb-realistic", KEY, {"x:gold:subtopic": KEY, "x:gold:topic": S1}))
    assert rounded(found, "conll", system="x", level="subtopic", singletons="with") == [100.0]
    assert rounded(found, "conll", system="x", level="topic", singletons="with") == [76.8]
    assert not [row for row in found.rows if row.keys["level"] == "corpus" and row.keys["system"] == "x"]


def test_events_and_entities() -> None:
    """a, c and e are entities in the key; S1 has no entity at all, so it is left out there, and that is said."""
    key = with_entities(KEY, "ace")
    found = report("ecb-realistic", key, {"S1": S1, "same": key}, levels=["topic"])
    assert [one.name for one in found.tables] == ["events", "entities", "all"]
    systems = {name: {row.keys["system"] for row in table(found, name).rows} for name in ("events", "entities")}
    assert "S1" in systems["events"]
    assert "S1" not in systems["entities"]
    assert (
        "S1 with predicted mentions has no entities and is omitted from this table." in table(found, "entities").remarks
    )
    assert rounded(table(found, "entities"), "mentions_f1", system="same", singletons="with") == [100.0]


def test_order_and_other_topics_do_not_matter() -> None:
    other = collection("(x) one", "two", "three", "four", topic="3")
    one = report("ecb-realistic", [*KEY, *other], {"S1": [*reversed(S1), *other]})
    assert one.tables == report("ecb-realistic", KEY, {"S1": S1}).tables
    assert one.about["topics"] == ["2"]
    train = report("ecb-realistic", [*KEY, *other], split="train")
    assert (train.about["topics"], train.about["documents"]) == (["3"], 4)
    both = report("ecb-realistic", [*KEY, *other], split="all")
    assert both.about["topics"] == ["2", "3"]
    assert report("ecb-realistic", [*KEY, *other], split="2, 3").tables == both.tables


def test_files_are_read_as_documents_are(tmp_path: Path) -> None:
    key, response = (write_ecb(docs, tmp_path / name) for docs, name in ((KEY, "key"), (S2, "s2")))
    write_ecb(collection("(x) one", "two", "three", "four", topic="3"), key)
    assert report("ecb-realistic", key, {"S2": response}).tables == report("ecb-realistic", KEY, {"S2": S2}).tables


def test_resolvers_see_whole_documents_and_only_annotated_sentences_are_scored(tmp_path: Path) -> None:
    folder = write_ecb(KEY, tmp_path / "key")
    listed = "Topic,File,Sentence Number\n" + "".join(f"2,{doc.id[2:]},0\n" for doc in KEY if doc.id)
    (tmp_path / "ECBplus_coreference_sentences.csv").write_text(listed, encoding="utf-8")
    for path in folder.rglob("*.xml"):  # a second sentence, which nobody has annotated
        text = path.read_text(encoding="utf-8")
        more = '<token t_id="900" sentence="1" number="0">More</token>'
        path.write_text(text.replace("<Markables>", f"{more}<Markables>", 1), encoding="utf-8")
    systems = {"lemma:gold": "head-lemma(scope=topic)", "S2": S2}
    found, expected = report("ecb-realistic", folder, systems), report("ecb-realistic", KEY, systems)
    assert [table.rows for table in found.tables] == [table.rows for table in expected.tables]
    assert any("whole documents" in remark for remark in table(found).remarks)
    assert not any("whole documents" in remark for remark in table(expected).remarks)
    kept = list(coindex.read(folder, sentences="context"))
    assert len(kept[0].sentences) == 2
    with_context, without = report("ecb-realistic", folder, {"same": kept}), report("ecb-realistic", KEY, {"same": KEY})
    assert [table.rows for table in with_context.tables] == [table.rows for table in without.tables]


def without_topics(docs: list[Document]) -> list[Document]:
    return [doc.replace(topic=None, subtopic=None) for doc in docs]


def test_documents_without_topics_are_one_collection_if_asked() -> None:
    found = report("ecb-realistic", without_topics(KEY), {"S1": S1}, split="all", levels=["corpus"])
    assert rounded(table(found), "conll", system="S1", singletons="without") == [57.5]


def cut(docs: list[Document], **changes: object) -> list[Document]:
    return [docs[0].replace(**changes), *docs[1:]]


@pytest.mark.parametrize(
    ("key", "systems", "options", "message"),
    [
        (without_topics(KEY), {}, {}, r"key: document '2_1ecb' has no topic; use .* --split all --levels corpus"),
        (KEY, {}, {"split": "train"}, r"key: no documents of the topics 1 3 4 6 .*; choose other topics with --split"),
        (KEY, {}, {"split": " , "}, r"' , ' has no topics; expected dev, train, all"),
        (KEY, {}, {"levels": ["topics"]}, r"unknown level 'topics'; did you mean topic"),
        (KEY, {}, {"topics": "guessed"}, r"unknown choice of topics 'guessed'"),
        (cut(KEY, id="2_2ecb"), {}, {}, r"key: several documents have the id '2_2ecb'"),
        ([doc.replace(entities=()) for doc in KEY], {}, {}, r"key: no entities; expected"),
        (KEY, {"a": S1[1:]}, {}, r"'a': no document '2_1ecb'; expected the 4 documents of the key"),
        (KEY, {"a": cut(S1, id="2_9ecb")}, {}, r"'a': no document '2_1ecb'"),
        (KEY, {"a": [*S1, S1[0].replace(id="2_9ecb")]}, {}, r"'a': a document that is not in the key, '2_9ecb'"),
        (KEY, {"a": [*S1, S1[0]]}, {}, r"'a': several documents '2_1ecb'"),
        (KEY, {"a": [S1[1].replace(id="2_1ecb"), *S1[1:]]}, {}, r"'a': response: .*expected the word 'Rumour'"),
        (KEY, {"a": [doc.replace(entities=()) for doc in S1]}, {}, r"'a': none of the 4 documents has entities"),
        (KEY, {"a": "no/such"}, {}, r"'a': 'no/such' is neither an existing file or folder nor a resolver"),
        (KEY, {"a": "head-lema"}, {}, r"did you mean head-lemma"),
        (KEY, {"a": "head-lemma"}, {}, r"'a': .*no part-of-speech tags.*a:gold to skip predicted mentions"),
        (KEY, {"a:predicted": "singleton"}, {}, r"singleton works with given mentions only"),
        (KEY, {"a": S1, "a:gold": S1}, {}, r"system 'a': two responses with gold mentions at the level subtopic"),
        (
            KEY,
            {"a:corpus": S1},
            {"levels": ["topic"]},
            r"is for the level corpus, which is not among the reported levels",
        ),
        (KEY, {":gold": S1}, {}, r"':gold': the system has no name"),
        (KEY, {"Singleton baseline": S1}, {}, r"is reserved for a baseline"),
    ],
)
def test_bad_input(key: list[Document], systems: dict[str, object], options: dict[str, object], message: str) -> None:
    with pytest.raises(CoindexError, match=message):
        report("ecb-realistic", key, systems, **options)  # type: ignore[arg-type]


def test_unknown_report() -> None:
    with pytest.raises(UnknownNameError, match="unknown report 'ecb-real'; did you mean ecb-realistic"):
        report("ecb-real", KEY)


def test_a_response_without_shared_ids_is_warned_of_once() -> None:
    local = [doc.replace(shared_ids=False) for doc in S1]
    with pytest.warns(DataWarning, match="S1: 4 documents of the response have entity ids that are local") as caught:
        report("ecb-realistic", KEY, {"S1": local})
    assert len(caught) == 1


def test_the_dev_topics_of_ecb(shared_data: Path) -> None:
    """One of them is read and scored; no file of another topic is."""
    found = report("ecb-realistic", shared_data / "en_ecbplus" / "ECB+", split="18", levels=["topic"])
    assert found.about["topics"] == ["18"]
    lemma = values(table(found), system="Head-lemma baseline", singletons="without")
    assert 0.3 < lemma["conll"] < 1
    assert lemma["mentions_f1"] == 1
