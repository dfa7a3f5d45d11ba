"""The editor's document in TypeScript does what Python's does: the same edits, the same refusals, the same undo."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sqlalchemy", reason="the editor's payload needs the extra coindex[web]")

from coindex.annotation_app.views.editor import payload
from coindex.document import Document, Entity, Mention, Token, Tokens
from coindex.document.edit_log import Edit, apply, inverse
from coindex.errors import EditError
from coindex.render.markup import colour, entity_number
from edit_strategies import edits_of
from strategies import documents

FRONTEND = Path(__file__).parents[3] / "frontend"
Ask = Callable[[Any], Any]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Asks the TypeScript model, which runs in one process for all tests."""
    if shutil.which("node") is None or not (FRONTEND / "node_modules").is_dir():
        pytest.skip("the editor's model runs in node, with what `npm ci` in frontend/ installs")
    built = tmp_path_factory.mktemp("editor") / "model.mjs"
    subprocess.run(["npm", "run", "--silent", "model", "--", f"--outfile={built}"], cwd=FRONTEND, check=True)
    with subprocess.Popen(["node", str(built)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        sender, receiver = process.stdin, process.stdout

        def ask(question: Any) -> Any:
            sender.write(json.dumps(question).encode() + b"\n")
            sender.flush()
            return json.loads(receiver.readline())

        yield ask
        sender.close()


def plain(data: dict[str, Any]) -> dict[str, Any]:
    """A payload with all that may be left out, and with no order where there is none."""

    def mention(borders: list[int], head: int | None = None, attributes: Any = None) -> list[Any]:
        return [borders, head, attributes or {}]

    def entity(id: str, mentions: Any, type: str | None = None, event: bool = False, attributes: Any = None) -> Any:
        return [id, [mention(*one) for one in mentions], type, event, attributes or {}]

    def place(relation: list[Any]) -> list[Any]:
        return [relation[0], relation[1][0], *relation[2:]]  # the mention itself is in its entity

    words = ("forms", "ids", "joined", "zeros", "multiwords", "columns", "sentences")
    return {
        **{name: data[name] for name in words},
        "entities": sorted((entity(*one) for one in data["entities"]), key=lambda one: one[0]),
        "bridges": sorted(map(place, data.get("bridges", [])), key=repr),
        "splits": sorted(map(place, data.get("splits", [])), key=repr),
    }


def seen(doc: Document) -> dict[str, Any]:
    """A document as the editor would have it."""
    return plain({"ids": [token.id for token in doc.tokens], **payload(doc)})


def check(ask: Ask, start: Document, edits: list[Edit], states: list[Document | None]) -> None:
    answer = ask({"document": payload(start), "edits": [edit.to_json() for edit in edits]})
    for edit, mine, theirs in zip(edits, states, answer["states"], strict=True):
        assert (theirs and plain(theirs)) == (mine and seen(mine)), edit
    assert plain(answer["undone"]) == seen(start)


@settings(max_examples=300, deadline=None)
@given(doc=documents(max_sentences=2, max_words=5), data=st.data())
def test_edits_and_their_undoing_are_the_same_in_both_languages(ask: Ask, doc: Document, data: st.DataObject) -> None:
    start, edits, states = doc, [], []
    for _ in range(data.draw(st.integers(1, 8), label="length")):
        edit = data.draw(edits_of(doc), label="edit")
        edits.append(edit)
        try:
            doc = apply(doc, edit)
        except EditError:
            states.append(None)
        else:
            states.append(doc)
    check(ask, start, edits, states)


def test_columns_of_conllu_plus_stay_with_their_zero(ask: Ask) -> None:
    """Taken out, put back, taken out and put back again."""
    zero = Token("1.1", "_", extra=(("KORKOR:CLUSTER", "7"),))
    start = Document.from_sentences(Tokens([Token("1", "Ann"), zero, Token("2", "left")]), [3], id="d")
    edits, states = [], [start]
    for _ in range(2):
        removal = Edit("remove_zero", {"position": 1})
        for edit in (removal, *inverse(states[-1], removal)):
            edits.append(edit)
            states.append(apply(states[-1], edit))
    assert states[-1].tokens == start.tokens
    check(ask, start, edits, states[1:])


def two() -> Document:
    tokens = Tokens([Token("1", "Ann"), Token("2", "saw"), Token("2.1", "_"), Token("3", "her")])
    doc = Document.from_sentences(tokens, [4], id="d")
    return doc.replace(entities=(Entity("e1", (Mention(tokens, (0,)),)), Entity("e2", (Mention(tokens, (3,)),))))


@pytest.mark.parametrize(
    "edit",
    [
        Edit("add_mention", {"positions": [4]}),
        Edit("add_mention", {"positions": []}),
        Edit("add_mention", {"positions": [1], "head": 0}),
        Edit("add_mention", {"positions": [1], "entity": ""}),
        Edit("add_mention", {"positions": [0], "entity": "e1"}),
        Edit("remove_mention", {"entity": "e1", "positions": [1]}),
        Edit("link", {"entity": "e1", "positions": [0], "to": "e1"}),
        Edit("link", {"entity": "e1", "positions": [0], "to": "nobody"}),
        Edit("merge", {"into": "e1", "other": "e1"}),
        Edit("unlink", {"entity": "e1", "positions": [0]}),
        Edit("split", {"entity": "e1", "mentions": []}),
        Edit("rename_entity", {"entity": "e1", "new_id": "e2"}),
        Edit("rename_entity", {"entity": "e1", "new_id": ""}),
        Edit("add_bridge", {"entity": "e1", "positions": [0], "antecedent": "e1"}),
        Edit("remove_bridge", {"entity": "e1", "positions": [0], "antecedent": "e2"}),
        Edit("set_split_antecedent", {"entity": "e1", "positions": [0], "antecedents": ["e2", "e2"]}),
        Edit("remove_split_antecedent", {"entity": "e1", "positions": [0]}),
        Edit("insert_zero", {}),
        Edit("insert_zero", {"after": 0, "before": 1}),
        Edit("remove_zero", {"position": 1}),
    ],
    ids=lambda edit: edit.name,
)
def test_what_python_refuses_the_editor_refuses(ask: Ask, edit: Edit) -> None:
    with pytest.raises(EditError):
        apply(two(), edit)
    check(ask, two(), [edit], [None])


def test_new_ids_are_the_same_where_documents_share_them(ask: Ask) -> None:
    doc = two().replace(shared_ids=True)
    edit = Edit("add_mention", {"positions": [1]})
    after = apply(doc, edit)
    assert "d_e1" in {entity.id for entity in after.entities}
    check(ask, doc, [edit], [after])


def test_ids_that_are_no_numbers_keep_empty_nodes_out(ask: Ask) -> None:
    doc = Document.from_sentences(Tokens([Token("one", "Ann"), Token("two", "ran")]), [2])
    check(ask, doc, [Edit("insert_zero", {"after": 0})], [None])


@given(ids=st.lists(st.text(max_size=8) | st.integers(0, 10**10).map("e{}".format), max_size=20))
def test_colours_are_those_of_the_pages(ask: Ask, ids: list[str]) -> None:
    assert ask({"colours": ids}) == [colour(entity_number(id)) for id in ids]
