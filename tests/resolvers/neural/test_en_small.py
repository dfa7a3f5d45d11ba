"""The model that comes with coindex: character offsets on messy text, odd texts, batches, settings, bad folders."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import coindex
from coindex import Document
from coindex.errors import CoindexError
from coindex.resolvers.defaults import PARSERS, choose, default_for
from coindex.resolvers.neural.folder import DESCRIPTION, file_hash
from coindex.resolvers.neural.shipped import RESOLVER, _schemes
from coindex.resolvers.resolver import find_shipped_folder
from command import run

DEFAULT = default_for("en")
STORY = "Nora Berg lost her key. She looked for it under the old bridge. The bridge was wet, and Nora slipped."


@pytest.fixture(scope="module")
def resolve():
    return coindex.load("en-small")


def texts(doc, least=2):
    return [[mention.text for mention in entity.mentions] for entity in doc.entities if len(entity) >= least]


def places(doc):
    return [[(mention.positions, mention.head) for mention in entity.mentions] for entity in doc.entities]


# --- what it finds


def test_a_story(resolve):
    found = texts(resolve(STORY))
    assert ["Nora Berg", "her", "She", "Nora"] in found
    assert ["the old bridge", "The bridge"] in found


def test_every_mention_and_link_has_its_probability(resolve):
    doc = resolve(STORY)
    for mention, _ in doc.mentions():
        assert mention.attributes["by"] in ("en-small/link", "en-small/new")
        assert 0 <= float(mention.attributes["score"]) <= 1
        assert 0 <= float(mention.attributes["mention"]) <= 1
        assert mention.head in mention.positions


def test_weak_links_can_be_cut():
    every, none = (coindex.load("en-small", min_link=least)(STORY) for least in (0.0, 1.0))
    assert texts(every)
    assert sum(map(len, texts(none))) < sum(map(len, texts(every)))
    assert len(none.mentions()) == len(every.mentions())


def test_singletons_on_and_off(resolve):
    text = "Nora met a friend in a café. She smiled."
    alone, kept = (coindex.load("en-small", singletons=choice)(text) for choice in (False, True))
    assert all(len(entity) > 1 for entity in alone.entities)
    assert texts(alone) == texts(kept)
    assert len(kept.entities) > len(alone.entities) > 0
    assert places(resolve(text)) == places(kept)


def test_given_mentions(resolve):
    doc = resolve(STORY)
    given = coindex.load("en-small", mentions="given")(doc)
    assert sorted(m.positions for m, _ in given.mentions()) == sorted(m.positions for m, _ in doc.mentions())
    assert ["Nora Berg", "her", "She", "Nora"] in texts(given)


# --- messy text

MESSY = {
    "double spaces": "Nora  Berg   lost her key.   She  looked for  it.",
    "newlines": "Nora Berg\nlost her\n\nkey.\n\n\nShe looked\nfor it.\n",
    "carriage returns": "Nora Berg lost her key.\r\nShe looked for it.\r\n\r\nNora slipped.\r\n",
    "tabs": "\tNora Berg\tlost\ther key.\tShe looked for it.",
    "quotes": "“Nora’s key,” she said, «is mine». 'Her' \"key\" -- it's ``hers''.",
    "emoji": "Nora 👩‍🚀 lost her key 🔑🔑. She 😀 looked for it 🇩🇪!",
    "combining marks": "Zoe\u0308 met Ame\u0301lie. Ame\u0301lie gave her a cafe\u0301 key. Zoe\u0308 took it.",
    "HTML": "<p>Nora <b>Berg</b>&nbsp;lost her key.</p><br/><p>She looked for it &amp; slipped.</p>",
    "no final newline": "Nora lost her key\nShe looked for it",
    "zero width": "Nora\u200b Berg\ufeff lost\u200d her\u2060 key. She\u00ad looked for\u200b it.",
    "no-break spaces": "Nora\u00a0Berg lost her\u202fkey.\u3000She looked for it.",
    "control characters": "Nora\x00 lost her\x07 key.\x0b She\x0c looked for it\x1b.",
    "right to left": "Nora met דינה. She said שלום to her.",
    "before and after": "   \n\t Nora lost her key. She looked for it. \n\t ",
    "addresses": "Nora wrote to nora@example.org and https://example.org/a?b=c#d. She got no answer from it.",
}


@pytest.mark.parametrize("text", MESSY.values(), ids=MESSY)
def test_offsets_on_messy_text(resolve, text):
    doc = resolve(text)
    assert doc.text == text
    assert doc.entities
    for mention, _ in doc.mentions():
        assert mention.text == text[mention.start_char : mention.end_char]
        assert mention.text == mention.text.strip() != ""


def test_offsets_go_through_to_json():
    text = MESSY["emoji"]
    (row,) = [json.loads(line) for line in run("resolve", "-", "--to", "json", input=text.encode()).out.splitlines()]
    assert row["language"] == "en"
    spans = [mention for entity in row["entities"] for mention in entity["mentions"]]
    assert spans
    for span in spans:
        assert text[span["start_char"] : span["end_char"]] == span["text"]


@pytest.mark.filterwarnings("ignore:an empty text:coindex.errors.DataWarning")
@pytest.mark.parametrize("text", ["", " \n\t ", "\u200b", "!?", "😀"])
def test_texts_without_anybody(resolve, text):
    doc = resolve(text)
    assert doc.text == text
    assert texts(doc) == []


@pytest.mark.parametrize("text", ["Nora", "nothing", "x" * 20_000, "Nora met " + "y" * 20_000 + ". She left."])
def test_single_and_endless_words(resolve, text):
    doc = resolve(text)
    assert doc.text == text
    for mention, _ in doc.mentions():
        assert mention.text == text[mention.start_char : mention.end_char]


def test_a_sentence_that_does_not_end(resolve):
    text = "Nora saw " + " and ".join(f"the cat number {number} of her aunt" for number in range(130))
    doc = Document.from_sentences(Document.from_text(text).tokens, [len(Document.from_text(text).tokens)])
    found = resolve(doc)
    assert len(found.mentions()) > 130
    assert any("her" in entity for entity in texts(found))


# --- many documents

MANY = [
    STORY,
    "",
    "The dog barked. It was hungry.",
    " ".join([STORY, "Tom Hill came by. He helped her, and they found the key."] * 12),
    "Ann said she was late.",
    "nothing",
]


@pytest.mark.filterwarnings("ignore:an empty text:coindex.errors.DataWarning")
def test_many_documents_at_once_are_as_one_by_one(resolve):
    together = list(resolve.pipe(MANY, batch_size=4))
    assert [doc.text for doc in together] == MANY
    assert [places(doc) for doc in together] == [places(resolve(text)) for text in MANY]


def test_a_folder_is_as_its_files(tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number, text in enumerate(MANY[:1] + MANY[2:]):
        (corpus / f"{number}.txt").write_text(text, encoding="utf-8")
    for jobs in ("1", "2"):
        assert run("resolve", corpus, "-o", tmp_path / f"out{jobs}", "--jobs", jobs).code == 0
    for number in range(len(MANY) - 1):
        first, second = ((tmp_path / f"out{jobs}" / f"{number}.conllu").read_bytes() for jobs in "12")
        assert first == second


# --- the one for English


def test_it_is_chosen_for_english():
    assert choose(Document.from_text(STORY)).resolver == DEFAULT
    assert choose(Document.from_text("Nora left.", language="en-GB")) == (DEFAULT, "en")
    assert default_for(None) == default_for("en_US") == DEFAULT
    assert coindex.load().name == DEFAULT
    done = run("resolve", "-", input=STORY.encode())
    assert (done.code, done.err.split()[1]) == (0, f"{DEFAULT},")


@pytest.mark.parametrize("code", ["nl", "ru"])
def test_the_error_for_other_languages_names_alternatives(code):
    parser, install = PARSERS[code]
    for problem in (lambda: choose(Document.from_text("Nora."), language=code), lambda: default_for(code)):
        with pytest.raises(CoindexError) as raised:
            problem()
        assert f"({code}) and there is no dependency tree" in str(raised.value)
        assert f"parser='{parser}' ({install})" in str(raised.value)


def test_a_language_without_any_parser():
    with pytest.raises(CoindexError, match=r"\(eu\) and there is no dependency tree.* CoNLL-U from a parser"):
        default_for("eu")


def test_what_is_shown_leaves_singletons_out_unless_they_are_asked_for():
    assert b"[the old bridge]" in run("resolve", "-", input=STORY.encode()).out
    assert b"[her key]" not in run("resolve", "-", "--no-singletons", input=b"Nora lost her key.").out
    shown, asked = (run("resolve", "-", *more, input=b"Nora met a friend.").out for more in ((), ("--singletons",)))
    assert (b"[a friend]" in shown, b"[a friend]" in asked) == (False, True)


def test_settings_of_the_command():
    done = run("resolve", "-", "--min-link", "1", "--no-singletons", "--to", "json", input=STORY.encode())
    assert (done.code, f"{DEFAULT}(min_link=1, singletons=no)" in done.err) == (0, True)
    assert run("resolve", "-", "--min-link", "1.5", input=STORY.encode()).code == 2
    done = run("resolve", "-", "-r", "are-baseline", "--min-link", "0.5", input=STORY.encode())
    assert (done.code, "min_link has no effect with are-baseline, which gives links no probability" in done.err) == (
        2,
        True,
    )


def test_singletons_of_any_resolver_can_be_left_out():
    every, several = (coindex.load("en-small + heads", singletons=choice)(STORY) for choice in (None, False))
    assert {len(entity) for entity in several.entities} == {len(entity) for entity in every.entities} - {1}


# --- bad folders


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(find_shipped_folder("en-small"), tmp_path / "copy"))


def resolve_error(folder: Path) -> str:
    done = run("resolve", "-", "-r", str(folder), input=STORY.encode())
    assert (done.code, done.out) == (2, b"")
    assert "Traceback" not in done.err
    return done.err


def test_a_copy_works_by_its_path(copied, resolve):
    found = coindex.load(f"{copied}(scheme=gum)")(STORY)
    assert places(found) == places(resolve(STORY))


def test_a_missing_file(copied):
    (copied / "mentions.onnx").unlink()
    assert "mentions.onnx is missing; copy the model folder again" in resolve_error(copied)


def test_a_file_of_another_hash(copied):
    with (copied / "links.onnx").open("ab") as stream:
        stream.write(b"more")
    assert "checksum mismatch: links.onnx differs from the file that the model was saved with" in resolve_error(copied)


def change_description(folder: Path, **changes: object) -> None:
    path = folder / DESCRIPTION
    data = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps({key: value for key, value in data.items() if value is not None}), encoding="utf-8")


def test_another_version(copied):
    change_description(copied, version=2)
    assert "model version 2 is not supported; expected version 1; install a newer version of coindex" in resolve_error(
        copied
    )


def test_a_description_that_lacks_something(copied):
    change_description(copied, corpora=None)
    assert "model.json lacks corpora; expected config, corpora" in resolve_error(copied)


@pytest.mark.parametrize("text", ["", "[]", "7", '"x"', "{", "\x00"])
def test_an_invalid_description_is_refused(tmp_path, text):
    (tmp_path / DESCRIPTION).write_text(text, encoding="utf-8")
    assert f"{tmp_path}: " in resolve_error(tmp_path)


def test_no_folder_at_all(tmp_path):
    assert "cannot read model.json" in resolve_error(tmp_path / "nowhere")


def test_an_invalid_graph_is_refused(copied):
    (copied / "links.onnx").write_bytes(b"no graph")
    weights = json.loads((copied / DESCRIPTION).read_text(encoding="utf-8"))["weights"]
    change_description(copied, weights=weights | {"links.onnx": file_hash(copied / "links.onnx")})
    assert "cannot load the model (" in resolve_error(copied)


def test_a_description_that_does_not_fit_the_graphs(copied):
    data = json.loads((copied / DESCRIPTION).read_text(encoding="utf-8"))
    change_description(copied, tags=data["tags"][:-1])
    assert "model.json lists 20 tags, but the graphs have 21; export the model again" in resolve_error(copied)
    data["config"]["model"]["features"].pop()
    change_description(copied, tags=data["tags"], config=data["config"])
    assert "model.json lists 13 features, but the graphs have 14; export the model again" in resolve_error(copied)


def test_a_model_without_graphs(copied):
    weights = json.loads((copied / DESCRIPTION).read_text(encoding="utf-8"))["weights"]
    change_description(copied, weights={name: value for name, value in weights.items() if name != "words.onnx"})
    assert "the model has no words.onnx, so it cannot run without torch" in resolve_error(copied)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_package_that_is_not_there(copied, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    assert f"'{package}', a dependency of coindex that is not installed" in resolve_error(copied)
    assert f"pip install {package}" in resolve_error(copied)


# --- the package

ALONE = """
import socket, sys

class NoSocket(socket.socket):
    def __init__(self, *arguments, **options):
        raise OSError("nobody is asked for anything")

socket.socket = NoSocket
import coindex
doc = coindex.load("en-small")(sys.argv[1])
print(len(doc.entities), *sorted({name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)))
"""
TOO_MUCH = {"torch", "transformers", "huggingface_hub", "scipy", "pandas", "sqlalchemy"}


def test_it_needs_no_network_and_three_packages_and_leaves_no_files(tmp_path):
    command = [sys.executable, "-c", ALONE, STORY]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, env=environment)
    assert list(tmp_path.iterdir()) == []
    assert done.returncode == 0, done.stderr
    entities, *loaded = done.stdout.split()
    assert int(entities) > 0
    assert {"numpy", "onnxruntime", "tokenizers"} <= set(loaded)
    assert not TOO_MUCH & set(loaded)


def test_the_weights_are_small_and_whole():
    files = [path for path in find_shipped_folder("en-small").iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 50_000_000
    assert {"model.json", "tokenizer.json", "words.onnx"} <= {path.name for path in files}


def test_schemes_are_read_from_the_weights(tmp_path):
    assert _schemes(tmp_path) == ()
    assert RESOLVER.options[0].choices[0] == "gum"
