"""`coindex resolve --cross`: a folder in, a collection out."""

import json
from pathlib import Path

import pytest

import coindex
from command import run
from news import documents, over_documents


@pytest.fixture
def corpus(tmp_path):
    """ECB+ files with topics and given mentions."""
    path = tmp_path / "corpus"
    coindex.write(documents(topics={"a": "1", "b": "1", "c": "2"}), path, "ecbplus")
    return path


QUAKE = {
    "a": "A strong earthquake struck the island of Solva on Tuesday. The earthquake killed ten people, police said.",
    "b": "The earthquake that struck Solva on Tuesday killed ten people, police said. The president went there.",
}
RULES = ("--cross", "-r", "cross")
GIVEN = (*RULES, "--mentions", "given")


def test_a_summary_on_the_terminal(corpus):
    done = run("resolve", corpus, *GIVEN)
    assert done.code == 0
    lines = done.out.decode().splitlines()
    assert lines[0].startswith("3 documents: 3 entities and 3 events in several documents")
    assert any("Port Alder" in line and "(a, b)" in line for line in lines)
    assert "resolver: cross(topics=given)" in done.err


@pytest.mark.parametrize(("output", "format"), [("out/", "ecbplus"), ("out.conllu", "corefud"), ("out.json", "json")])
def test_written_and_read_back_entities_are_shared(corpus, tmp_path, output, format):
    done = run("resolve", corpus, *GIVEN, "--topics", "none", "-o", f"{tmp_path}/{output}")
    assert done.code == 0, done.err
    docs = list(coindex.read(tmp_path / output, format))
    assert sorted(doc.id for doc in docs) == ["a", "b", "c"]
    shared = over_documents(docs)
    assert ["a:Port Alder", "b:Port Alder", "c:Port Alder"] in shared.values()
    assert ["a:storm", "b:storm"] in shared.values()
    assert all(doc.shared_ids for doc in docs)


def test_corefud_declares_ids_that_are_shared_by_the_corpus(corpus, tmp_path):
    local = tmp_path / "local.conllu"
    coindex.write(coindex.read(corpus), local, "corefud")
    text = local.read_text(encoding="utf-8").replace("eid-etype", "GRP-etype")
    local.write_text(text, encoding="utf-8")
    assert run("resolve", local, *GIVEN, "--topics", "none", "-o", tmp_path / "out.conllu").code == 0
    written = (tmp_path / "out.conllu").read_text(encoding="utf-8")
    assert "global.Entity = eid-" in written
    assert "GRP" not in written
    assert len(over_documents(list(coindex.read(tmp_path / "out.conllu")))) > 3


def test_a_page(corpus, tmp_path):
    assert run("resolve", corpus, *GIVEN, "-o", tmp_path / "out.html").code == 0
    text = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "Timeline of events" in text
    assert "Entities over documents" in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    ("arguments", "chain"),
    [
        (("-r", "head-lemma", "--topics", "predicted"), "head-lemma(scope=predicted)"),
        (("-r", "head-lemma"), "head-lemma(scope=topic)"),
        (("-r", "head-lemma", "--topics", "none"), "head-lemma(scope=corpus)"),
        (("-r", "head-lemma(document)"), "head-lemma(scope=document)"),
        (("-r", "singleton"), "singleton"),
        (
            (
                "-r",
                "are-baseline",
            ),
            "cross(topics=given, chains=are-baseline)",
        ),
        (
            (
                "-r",
                "cross(topics=subtopic)",
            ),
            "cross(topics=subtopic)",
        ),
        (("--min-link", "0.9"), "cross(topics=given, min_link=0.9)"),
    ],
)
def test_resolvers_and_topics(corpus, arguments, chain):
    done = run("resolve", corpus, *GIVEN, *arguments)
    assert done.code == 0, done.err
    assert f"resolver: {chain}\n" in done.err


def write_texts(folder: Path, **texts: str) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def test_english_gets_the_model_and_other_languages_the_rules(tmp_path):
    english = write_texts(tmp_path / "en", **QUAKE)
    done = run("resolve", english, "--cross", "--topics", "none")
    assert done.code == 0, done.err
    assert "resolver: en-cross(topics=none)\n" in done.err
    assert any("earthquake" in line and "(a, b)" in line for line in done.out.decode().splitlines())
    polish = run("resolve", english, "--cross", "--mentions", "given", "--language", "pl")
    assert "resolver: cross(topics=predicted)\n" in polish.err


def test_a_state_of_the_model_grows(tmp_path):
    state = tmp_path / "state.npz"
    for name, text in QUAKE.items():
        folder = write_texts(tmp_path / name, **{name: text})
        ways = ("--topics", "none", "--state", state)
        done = run("resolve", folder, "--cross", *ways, "-o", tmp_path / "out.json")
        assert done.code == 0, done.err
    docs = list(coindex.read(tmp_path / "out.json"))
    quakes = {entity.id for doc in docs for mention, entity in doc.mentions() if mention.text == "earthquake"}
    assert len(docs) == 2
    assert len(quakes) == 1
    other = run("resolve", tmp_path / "a", *RULES, "--state", state)
    assert other.code == 2
    assert "the state was created by en-cross" in other.err


def test_documents_that_come_later(tmp_path):
    one = write_texts(tmp_path / "one", a="A storm struck Port Alder.", b="The storm left Port Alder.")
    two = write_texts(tmp_path / "two", c="Port Alder mourns. The storm killed two.")
    state = tmp_path / "state.npz"
    for folder, output in ((one, "1.json"), (two, "2.json")):
        done = run("resolve", folder, *RULES, "--state", state, "-o", tmp_path / output)
        assert done.code == 0, done.err
    first, both = ([json.loads(line) for line in (tmp_path / f"{n}.json").read_text().splitlines()] for n in (1, 2))
    assert [doc["id"] for doc in both] == ["a", "b", "c"]
    assert both[:2] == first or {e["id"] for e in first[0]["entities"]} <= {e["id"] for e in both[0]["entities"]}
    shared = over_documents(list(coindex.read(tmp_path / "2.json")))
    assert any({"a:Port Alder", "b:Port Alder", "c:Port Alder"} <= set(texts) for texts in shared.values())
    again = run("resolve", two, *RULES, "--state", state)
    assert again.code == 2
    assert "error: c: already in the state" in again.err


def test_bad_input(tmp_path, corpus):
    texts = write_texts(tmp_path / "texts", a="A storm struck Port Alder.", b="The storm left Port Alder.")
    done = run("resolve", texts, "--cross", "--topics", "given", "-o", tmp_path / "x.json")
    assert done.code == 2
    assert "error: none of 2 documents has a topic (the first: a)" in done.err
    assert not (tmp_path / "x.json").exists()
    (tmp_path / "broken.npz").write_text("x", encoding="utf-8")
    done = run("resolve", texts, "--cross", "--state", tmp_path / "broken.npz")
    assert (done.code, "cannot read a state" in done.err) == (2, True)
    done = run("resolve", corpus, *GIVEN, "-r", "singleton", "--state", tmp_path / "new.npz")
    assert (done.code, "singleton cannot add documents to a state" in done.err) == (2, True)
    assert not (tmp_path / "new.npz").exists()
    done = run("resolve", corpus, *GIVEN, "-r", "simple-rules(x)")
    assert done.code == 2
    for arguments in (
        ("--topics", "none"),
        ("--state", "x"),
        ("--cross", "--keep-entities"),
    ):
        assert run("resolve", corpus, *arguments).code == 2


def test_one_document_and_no_mentions(tmp_path):
    texts = write_texts(tmp_path / "texts", a="!")
    done = run("resolve", texts, "--cross", "--topics", "given")
    assert done.code == 0, done.err
    assert done.out.decode().startswith("1 document: 0 entities and 0 events in several documents")
