"""The blind input: nothing about the entities of a key is in the files that participants get."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coindex.api import read, write
from coindex.campaigns.files import ANAPHORIC, blind, write_options
from coindex.campaigns.offline import blind_key
from coindex.document import Document, Entity, Mention
from coindex.errors import CoindexError, LossWarning
from coindex.formats.registry import all_formats
from corefud_text import document, sentence
from marked_text import marked
from samples import SAMPLES
from strategies import documents

WRITTEN = [format.name for format in all_formats() if format.write is not None and format.read is not None]
SECRET = "Zyzzx"


def written(docs: Document | list[Document], format: str, **options: str) -> dict[str, bytes]:
    """The files that a document becomes."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)
        path = Path(folder) / "out"
        write(docs, path, format, **options)
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        return {file.relative_to(path.parent).as_posix(): file.read_bytes() for file in files}


@pytest.mark.parametrize("format", WRITTEN)
@given(key=documents())
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
def test_two_keys_of_one_text_give_the_same_bytes(format: str, key: Document) -> None:
    bare = key.replace(entities=(), bridges=(), split_antecedents=())
    assert written(blind(key, format=format), format) == written(blind(bare, format=format), format)
    strict = [blind(doc, format=format, zeros="stripped") for doc in (key, bare)]
    assert written(strict[0], format) == written(strict[1], format)


@given(key=documents(), chance=st.randoms(use_true_random=False))
@settings(max_examples=15)
def test_given_mentions_do_not_reveal_entities(key: Document, chance: object) -> None:
    """The same mentions, of the same kind, dealt to other entities under other names, with other attributes."""
    kinds = {mention.positions: entity.kind for mention, entity in key.mentions()}
    places = sorted(kinds)
    chance.shuffle(places)  # type: ignore[attr-defined]
    entities: list[Entity] = []
    for at in range(0, len(places), 3):
        for kind in ("entity", "event"):
            own = [one for one in places[at : at + 3] if kinds[one] == kind]
            mentions = tuple(Mention(key.tokens, one, one[-1], {"x": SECRET}) for one in sorted(own))
            if mentions:
                entities.append(Entity(f"{SECRET}{at}{kind}", mentions, SECRET, kind))
    other = key.replace(entities=tuple(entities), bridges=(), split_antecedents=(), shared_ids=True)
    same = key.replace(
        entities=tuple(Entity(str(n), (Mention(key.tokens, p),), None, k) for n, (p, k) in enumerate(kinds.items())),
        bridges=(),
        split_antecedents=(),
    )
    for format in ("corefud", "json", "ecbplus", "are"):
        assert written(blind(other, mentions="given", format=format), format) == written(
            blind(same, mentions="given", format=format), format
        )


@given(key=documents())
@settings(max_examples=15)
def test_an_input_of_an_input_is_the_same(key: Document) -> None:
    for options in ({}, {"mentions": "given"}, {"zeros": "stripped"}, {"task": 1}, {"task": 2}, {"task": 3}):
        once = blind(key, **options)  # type: ignore[arg-type]
        assert blind(once, **options) == once  # type: ignore[arg-type]


LEAKY = document(
    sentence(
        f"Ann ClusterId={SECRET}|Entity=({SECRET}1-{SECRET}-1-{SECRET}:{SECRET})|MentionMisc={SECRET}|SpaceAfter=No",
        "2-3 del",
        f"of Functor={SECRET}",
        f"it Bridge={SECRET}1<{SECRET}2|Entity=({SECRET}2)|Gloss=it",
        f"3.1 _ Entity=({SECRET}1)|{SECRET}=1",
        comments=(
            f"# meta::salientEntities = {SECRET}1",
            "# meta::genre = news",
            "# newpar",
            "# sent_id = s1",
            f"# coref = {SECRET}",
            f"# {SECRET}",
            "# s_type = decl",
            "# text = Anndel",
        ),
    ),
    sentence(
        f"They Entity=({SECRET}3)|SplitAnte={SECRET}1<{SECRET}3,{SECRET}2<{SECRET}3", comments=("# sent_id = s2",)
    ),
)


def test_places_that_leak(tmp_path: Path) -> None:
    key = tmp_path / "key.conllu"
    key.write_text(LEAKY, encoding="utf-8")
    (made,) = blind_key(key, tmp_path / "input")
    text = made.read_text(encoding="utf-8")
    assert SECRET not in text
    assert "Entity=" not in text
    assert "Bridge" not in text
    assert "SplitAnte" not in text
    for kept in ("# meta::genre = news", "# s_type = decl", "Gloss=it", "SpaceAfter=No", "\n3.1\t", "# sent_id = s2"):
        assert kept in text
    blind_key(key, tmp_path / "more", keep=["Functor"])
    assert f"Functor={SECRET}" in (tmp_path / "more" / "key.conllu").read_text(encoding="utf-8")


def test_stripped_zeros_leave_no_trace(tmp_path: Path) -> None:
    key = tmp_path / "key.conllu"
    lines = [
        "# newdoc id = d",
        "# global.Entity = eid-etype-head-other",
        "1\tGo\tgo\tVERB\t_\t_\t0\troot\t0:root\t_",
        "1.1\t_\tyou\tPRON\t_\t_\t_\t_\t1:nsubj\tEntity=(e1)",
        "2\thome\thome\tADV\t_\t_\t1\tadvmod\t1.1:xcomp|1:advmod\t_",
    ]
    key.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    (made,) = blind_key(key, tmp_path / "input", zeros="stripped")
    text = made.read_text(encoding="utf-8")
    assert "1.1" not in text
    assert "\t1:advmod\t" in text


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in ("text", "resolved")])
def test_every_format_that_is_read(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    for file, text in sample.files.items():
        (tmp_path / "key" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "key" / file).write_text(text, encoding="utf-8")
    blind_key(tmp_path / "key", tmp_path / "input")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before, after = list(read(tmp_path / "key")), list(read(tmp_path / "input"))
    assert [doc.id for doc in after] == [doc.id for doc in before]
    assert not any(doc.entities or doc.bridges or doc.split_antecedents for doc in after)
    assert [doc.text.split() for doc in after] == [doc.text.split() for doc in before]


@pytest.mark.parametrize("format", ["brat", "rueval"])
def test_words_are_not_cut_at_mentions(format: str) -> None:
    key, plain = marked("[Ann|a]bel read . [S|a]he slept .", id="d"), marked("Annbel read . She slept .", id="d")
    assert key.tokens.forms != plain.tokens.forms
    assert blind(key, format=format) == blind(plain, format=format)


# --- the tasks of ARE

STORY = marked("[The fox|a] saw [a hen|b] . [It|p] rained . [It|a] ran and [she|b] hid in [the barn|c] .", id="s")


def are_input(doc: Document, task: int) -> str:
    (data,) = written(blind(doc, task=task), "are", **write_options(task, "are")).values()
    return data.decode()


def test_task_1_gives_candidates_and_anaphoric_pronouns() -> None:
    text = are_input(STORY, 1)
    assert text.count("<entity ") == 6, "all noun phrases are candidates"
    listed = [line for line in text.splitlines() if line.startswith("<pronoun")]
    assert listed == ['<pronoun id="4" value="It"/>', '<pronoun id="5" value="she"/>'], "the first It is pleonastic"
    assert "chain" not in text
    assert "antecedent" not in text


def test_task_2_gives_noun_phrases_of_chains_alone() -> None:
    text = are_input(STORY, 2)
    assert text.count("<entity ") == 4
    assert '<entity id="1">The fox</entity>' in text
    assert "barn</entity>" not in text
    assert "anaphoric" not in text


@pytest.mark.parametrize("task", [3, 4])
def test_tasks_3_and_4_give_nodes(task: int) -> None:
    text = are_input(STORY, task)
    assert '<node id="1"/>The <node id="2"/>fox' in text
    assert "entity" not in text
    assert "pronoun" not in text
    assert text == are_input(STORY.replace(entities=()), task)


def test_chains_do_not_show_in_tasks_1_and_2() -> None:
    """The same candidates and anaphoric pronouns, in other chains, with other ids."""
    pairs = STORY.mentions()
    marks = {0: "", 1: "", 2: "", 3: "yes", 4: "yes", 5: ""}

    def dealt(groups: list[list[int]]) -> Document:
        entities = []
        for number, group in enumerate(groups):
            mentions = []
            for at in group:
                attributes = {"id": f"{number}-{at}"} | ({ANAPHORIC: "yes"} if marks.get(at) else {})
                mentions.append(Mention(STORY.tokens, pairs[at][0].positions, None, attributes))
            entities.append(Entity(f"{SECRET}{number}", tuple(mentions)))
        return STORY.replace(entities=tuple(entities))

    one, other = dealt([[0, 3], [1, 4], [2], [5]]), dealt([[0, 4], [1, 3], [2], [5]])
    assert are_input(one, 1) == are_input(other, 1)
    assert are_input(one, 2) == are_input(other, 2)
    assert SECRET not in are_input(one, 1)


def test_an_input_read_back_is_the_input(tmp_path: Path) -> None:
    for task in (1, 2, 3, 4):
        path = tmp_path / f"{task}.xml"
        path.write_text(are_input(STORY, task), encoding="utf-8")
        (doc,) = read(path)
        assert are_input(doc, task) == path.read_text(encoding="utf-8")


# --- files


def test_folders_keep_their_shape(tmp_path: Path) -> None:
    (tmp_path / "key" / "b").mkdir(parents=True)
    for name in ("a.conllu", "b/x.conllu"):
        (tmp_path / "key" / name).write_text(document(sentence("Ann Entity=(e1)")), encoding="utf-8")
    blind_key(tmp_path / "key", tmp_path / "input")
    assert sorted(
        path.relative_to(tmp_path / "input").as_posix() for path in (tmp_path / "input").rglob("*.conllu")
    ) == [
        "a.conllu",
        "b/x.conllu",
    ]


def test_parts_of_a_campaign(tmp_path: Path) -> None:
    write(STORY, tmp_path / "key.xml", "are")
    blind_key(tmp_path / "key.xml", tmp_path / "input", campaign="are07")
    assert sorted(path.name for path in (tmp_path / "input").iterdir()) == ["task1", "task2", "task3", "task4"]
    assert "<node" in (tmp_path / "input" / "task3" / "key.xml").read_text(encoding="utf-8")


def test_old_files_never_stay(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "old.conllu").write_text("x", encoding="utf-8")
    key = tmp_path / "key.conllu"
    key.write_text(LEAKY, encoding="utf-8")
    with pytest.raises(CoindexError, match="not empty"):
        blind_key(key, tmp_path / "input")
