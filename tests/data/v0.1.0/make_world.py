"""The script that made the files of this folder with coindex 0.1.0; kept as their documentation, not run by tests.

It made `coindex.db.gz`, `backup.gz`, `expected.json` and `layer-*.jsonl`: a team that annotates, and a campaign with
two teams. All times are in 2025, whatever the clock says. From the root of the repository, with version 0.1.0:
`PYTHONPATH=tests python tests/data/v0.1.0/make_world.py`.
"""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from coindex.annotation.ready_schemas import ready_schema
from coindex.api.campaign_server.worker import run_all
from coindex.api.team.adjudicating import comparison_of, decide_difference, decided, set_finished, start_adjudication
from coindex.api.team.suggesting import SuggestionRules, accept, ask, reject, set_rules, suggestion_layer
from coindex.store import (
    Appended,
    Operation,
    Store,
    accounts,
    api_tokens,
    assessments,
    assignments,
    open_store,
    projects,
)
from coindex.store.backup import back_up
from coindex.store.decisions import step_back
from coindex.store.models import Assignment, Attempt, Layer, OperationKind, Project
from coindex.store.work_settings import WorkRules, set_setting, set_work_rules
from coindex.web import app
from starlette.testclient import TestClient

import coindex
from coindex.annotation.assessment import Standard, assess
from coindex.document import Document
from coindex.document.edit_log import Edit

HERE = Path(__file__).parent
PASSWORD = "seven green herons"
PEOPLE = ("Root", "Mara", "Ada", "Ben", "Dora", "Vic", "Olga", "Wanda", "Bert", "Gone")
ROLES = {"Mara": "manager", "Ada": "annotator", "Ben": "annotator", "Dora": "adjudicator", "Vic": "viewer"}
KEYS = (
    "Ann lost the old key . She looked for it . Tom came and saw Ann . They found it . Bea thanked him and he laughed ."
)
#       0   1    2   3   4   5 6   7      8   9 10 11  12   13  14  15  16 17   18    19 20
HARBOUR = """# newdoc id = harbour
# global.Entity = eid-etype-head-other
# sent_id = harbour-1
# text = Eva del mar llegó.
1	Eva	Eva	PROPN	_	Gender=Fem|Number=Sing	5	nsubj	_	Entity=(e1-person-1
2-3	del	_	_	_	_	_	_	_	_
2	de	de	ADP	_	_	4	case	_	_
3	el	el	DET	_	_	4	det	_	_
4	mar	mar	NOUN	_	Number=Sing	1	nmod	_	Entity=(e2-place-1)e1)
5	llegó	llegar	VERB	_	Number=Sing|Person=3	0	root	_	SpaceAfter=No
6	.	.	PUNCT	_	_	5	punct	_	_

# sent_id = harbour-2
# text = Cantó.
0.1	_	_	PRON	_	_	_	_	1:nsubj	Entity=(e1-person-1)
1	Cantó	cantar	VERB	_	Number=Sing|Person=3	0	root	_	SpaceAfter=No
2	.	.	PUNCT	_	_	1	punct	_	_

"""
DEFINITION = """
name = "herons"
title = "Herons 2025"
counts = "chosen"
report = "crac22"
[[tracks]]
name = "main"
profile = "crac22"
primary = "conll"
secondary = ["lea", "muc"]
[[phases]]
name = "practice"
opens = 2025-01-01T00:00:00Z
closes = 2025-01-11T00:00:00Z
[phases.visible]
scores = "own"
keys = "teams"
team_names = "teams"
document_errors = "own"
[[phases]]
name = "evaluation"
opens = 2025-01-11T00:00:00Z
closes = 2025-01-21T00:00:00Z
hours_from_download = 48
limit_a_day = 3
limit_total = 5
[phases.visible]
team_names = "nobody"
[[phases]]
name = "after"
opens = 2025-02-01T00:00:00Z
downloads = false
submissions = false
releases = ["evaluation"]
[phases.visible]
scores = "everyone"
keys = "everyone"
team_names = "everyone"
document_errors = "own"
"""
WORDS = "Ann met Bob . She liked him and he liked her . Then Ann left him and Bob slept .".split()  # noqa: SIM905
KEY = {0: "a", 2: "b", 4: "a", 6: "b", 8: "b", 10: "a", 13: "a", 15: "b", 17: "b"}
RUNS: list[tuple[str, str, str, dict[int, str]]] = [
    ("Wanda", "practice", "first", {**KEY, 6: "a"}),
    ("Bert", "practice", "trial", {at: mark for at, mark in KEY.items() if at < 13}),
    ("Wanda", "evaluation", "plain", {**KEY, 8: "a", 10: "b"}),
    ("Wanda", "evaluation", "better", {**KEY, 8: "a"}),
    ("Bert", "evaluation", "final", {at: mark for at, mark in KEY.items() if at not in (2, 10)}),
    ("Bert", "evaluation", "mistake", {0: "a", 4: "a"}),
]


class Clock:
    """Goes on by a second whenever somebody looks."""

    def __init__(self) -> None:
        self.time = datetime(2025, 1, 2, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time

    def now(self, zone: object) -> datetime:
        return self()


@dataclass
class World:
    """The store and the ids of what is in it."""

    store: Store
    clock: Clock
    users: dict[str, int] = field(default_factory=dict)
    project: int = 0
    expected: dict[str, Any] = field(default_factory=dict)

    def edit(self, layer: int, name: str, *steps: list[Edit] | OperationKind) -> None:
        """Somebody's operations, each sent by itself."""
        for step in steps:
            base = self.store.layers.state(layer).revision
            operation = Operation(base, kind=step) if isinstance(step, str) else Operation(base, tuple(step))
            done = self.store.layers.append(layer, base, [operation], client=f"editor-{name}", user=self.users[name])
            assert isinstance(done, Appended)

    def layer(self, id: int) -> Layer:
        with self.store.read() as session:
            return session.get_one(Layer, id)


def mark(entity: str, *positions: int, **more: object) -> Edit:
    return Edit("add_mention", {"positions": positions, "entity": entity, **more})


# --- people


def add_people(world: World) -> None:
    with world.store.write() as session:
        for name in PEOPLE:
            world.users[name] = accounts.add_user(session, name, PASSWORD, is_administrator=name == "Root").id
        accounts.set_active(session, session.get_one(accounts.User, world.users["Gone"]), False)
        project = projects.add_project(
            session, "Keys", "Texts about things that were lost", manager=world.users["Mara"]
        )
        world.project = project.id
        for name, role in ROLES.items():
            projects.set_role(session, project.id, world.users[name], role)
        set_setting(session, project.id, "schema", ready_schema("rueval").to_json())
        set_work_rules(session, project.id, WorkRules(copies=2, idle_days=None))
        secrets = {
            "invitation": accounts.make_link(
                session, "invitation", by=world.users["Mara"], project=project.id, role="annotator"
            ),
            "password": accounts.make_link(session, "password", by=world.users["Root"], user=world.users["Ben"]),
        }
        end = datetime(2025, 6, 1, tzinfo=UTC)
        secrets["ending token"] = api_tokens.make_token(
            session, world.users["Wanda"], "for half a year", at=world.clock(), expires=end
        )
        accounts.start_session(session, session.get_one(accounts.User, world.users["Ada"]))
    world.expected["secrets"] = secrets


# --- annotation


def annotate(world: World) -> None:
    doc = Document.from_text(KEYS, id="keys", language="en")
    with world.store.write() as session, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "harbour.conllu"
        path.write_text(HARBOUR, encoding="utf-8")
        ids = projects.add_documents(session, world.project, [doc, *coindex.read(path)])
        given = {name: assignments.assign(session, ids[0], world.users[name]) for name in ("Ada", "Ben")}
        ada, ben = (assignments.begin(session, one).id for one in given.values())
        deadline = datetime(2025, 3, 1, tzinfo=UTC)
        late = assignments.assign(session, ids[1], world.users["Ben"], deadline=deadline)
        harbour = assignments.begin(session, late, with_entities=True).id
        assignments.give_back(session, assignments.assign(session, ids[1], world.users["Ada"]))
    world.edit(
        ada,
        "Ada",
        [mark("ann", 0), mark("ann", 6)],
        [mark("key", 2, 3, 4, head=4, attributes={"func": "def", "str": "noun"})],
        [mark("key", 9)],
        [mark("tom", 11), mark("wrong", 14)],
        "undo",
        [mark("tom", 11)],
        [mark("other", 15)],
        [Edit("link", {"entity": "other", "positions": [15], "to": "ann"})],
        [
            Edit("set_entity", {"entity": "ann", "type": "person"}),
            Edit("set_entity", {"entity": "tom", "type": "person"}),
        ],
        "undo",
        "redo",
        [Edit("insert_zero", {"before": 14, "form": "he", "upos": "PRON"}), mark("tom", 14)],
        [mark("both", 18)],
        [Edit("set_split_antecedent", {"entity": "both", "positions": [18], "antecedents": ["ann", "tom"]})],
        [mark("key", 20)],
        [Edit("add_bridge", {"entity": "key", "positions": [20], "antecedent": "ann", "relation": "own"})],
        [mark("search", 7, 9), Edit("set_entity", {"entity": "search", "kind": "event"})],
    )
    world.edit(
        ben,
        "Ben",
        [mark("a", 0), mark("a", 6), mark("a", 15)],
        [mark("k", 3, 4), mark("k", 9), mark("t", 11)],
        [Edit("resize_mention", {"entity": "k", "positions": [3, 4], "new_positions": [2, 3, 4]})],
        [Edit("rename_entity", {"entity": "k", "new_id": "thing"})],
        [mark("k2", 19)],
        [Edit("merge", {"into": "thing", "other": "k2"})],
        [mark("t", 17)],
        [Edit("split", {"entity": "t", "mentions": [[17]], "new_id": "they"})],
    )
    world.edit(
        harbour, "Ben", [Edit("unlink", {"entity": "e1", "positions": [6], "new_id": "pro"})], [mark("e1", 5)], "undo"
    )
    with world.store.write() as session:
        for one in given.values():
            assignments.finish(session, session.get_one(Assignment, one.id))
    adjudicate(world, ada, ben)
    suggest(world, ada)
    practise(world)


def adjudicate(world: World, ada: int, ben: int) -> None:
    """Dora takes sides, thinks better of it once, edits by hand and publishes."""
    dora = world.users["Dora"]
    layers = [world.layer(ada), world.layer(ben)]
    gold = start_adjudication(world.store, layers, owner=dora, project=world.project, name="gold", kind="adjudication")
    differences = [difference.id for difference in comparison_of(world.store, world.layer(gold)).differences]
    for number, difference in enumerate(differences):
        base = world.layer(gold).revision
        decide_difference(world.store, world.layer(gold), base, difference, (number + 1) % 2, user=dora)
        if number == 1:
            step_back(world.store, gold, world.layer(gold).revision, user=dora)
    world.expected["decided"] = decided(world.store, gold, comparison_of(world.store, world.layer(gold)))
    set_finished(world.store, world.layer(gold), True, user=dora, project=world.project)
    with world.store.write() as session:
        session.get_one(Layer, gold).is_published = True


def suggest(world: World, ada: int) -> None:
    """Ada asks for suggestions after her first pass, accepts one and rejects one."""
    set_rules(world.store, world.project, SuggestionRules("en-small"), user=world.users["Mara"])
    with world.store.read() as session:
        project = session.get_one(Project, world.project)
    second = ask(world.store, project, world.layer(ada), user=world.users["Ada"])
    made = suggestion_layer(world.store, second)
    assert made is not None
    own = {mention.positions for mention, _ in world.store.layers.document_at(second).mentions()}
    found = [mention.positions for mention, _ in world.store.layers.document_at(made.id).mentions()]
    first, another = [positions for positions in found if positions not in own][:2]
    accept(world.store, second, world.layer(second).revision, first, user=world.users["Ada"])
    reject(world.store, second, another, user=world.users["Ada"])


def practise(world: World) -> None:
    """An assessment that Ada passes and Ben does not."""
    text = Document.from_text("Tom saw a bird . It sang to him .", id="practice")
    key = coindex.document.edits.add_mention(text, [0], entity="tom")
    for positions, entity in (([8], "tom"), ([2, 3], "bird"), ([5], "bird")):
        key = coindex.document.edits.add_mention(key, positions, entity=entity)
    with world.store.write() as session:
        (document,) = projects.add_documents(session, world.project, [key])
        assessment = assessments.make(session, document, "assessment", key)
        begun = {
            name: assessments.begin(session, world.project, assessment.id, world.users[name], at=world.clock())
            for name in ("Ada", "Ben")
        }
    layers = {name: attempt.layer_id or 0 for name, attempt in begun.items()}
    world.edit(layers["Ada"], "Ada", [mark("t", 0), mark("t", 8)], [mark("b", 2, 3), mark("b", 5)])
    world.edit(layers["Ben"], "Ben", [mark("t", 0), mark("t", 5)])
    for name, attempt in begun.items():
        state = world.store.layers.state(layers[name])
        outcome = assess(key, state.document, Standard())
        with world.store.write() as session:
            assessments.hand_in(
                session,
                session.get_one(Attempt, attempt.id),
                revision=state.revision,
                score=outcome.score,
                is_passed=outcome.is_passed,
                detail=outcome.to_json(),
                at=world.clock(),
            )


# --- the campaign


class Program(TestClient):
    """A client with an API token."""

    def act(self, path: str, **data: Any) -> Any:
        response = self.post(f"/api/campaigns{path}", json=data)
        assert response.status_code == 200, (path, response.text)
        return response.json()

    def upload(self, path: str, name: str, content: bytes, **fields: str) -> Any:
        response = self.post(f"/api/campaigns{path}", files={"file": (name, content)}, data=fields)
        assert response.status_code == 200, (path, response.text)
        return response.json()


def corefud(marks: Mapping[int, str], id: str) -> str:
    lines = [f"# newdoc id = {id}", "# global.Entity = eid-etype-head-other", "# sent_id = s1"]
    for at, word in enumerate(WORDS):
        entity = f"Entity=(e{marks[at]})" if at in marks else "_"
        head = "0\troot" if at == 0 else "1\tdep"
        lines.append(f"{at + 1}\t{word}\t{word.lower()}\tX\t_\t_\t{head}\t_\t{entity}")
    return "\n".join(lines) + "\n\n"


def packed(marks: Mapping[int, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("north", "south"):
            archive.writestr(zipfile.ZipInfo(f"{name}.conllu"), corefud(marks, name))
    return out.getvalue()


def compete(world: World) -> None:
    """Two teams, runs in two phases, a run that was cancelled, a chain switched off, a sample and findings."""
    made = app(world.store, clock=world.clock)
    server = made.state.campaigns
    programs = {"nobody": Program(made, base_url="http://testserver")}
    tokens = world.expected["tokens"] = {}
    with world.store.write() as session:
        for name in ("Root", "Olga", "Wanda", "Bert"):
            token = tokens[name] = api_tokens.make_token(session, world.users[name], "campaign", at=world.clock())
            programs[name] = Program(made, base_url="http://testserver", headers={"authorization": f"Bearer {token}"})
    campaign = programs["Root"].act("", text=DEFINITION)["campaign"]
    one = f"/{campaign}"
    programs["Root"].act(f"{one}/organisers", name="Olga")
    olga = programs["Olga"]
    olga.act(f"{one}/published", published=True)
    olga.act(f"{one}/registration", registration="open")
    for phase in ("practice", "evaluation"):
        olga.upload(f"{one}/phases/{phase}/key", "key.zip", packed(KEY))
    world.clock.time = datetime(2025, 1, 5, tzinfo=UTC)
    for name, team in (("Wanda", "Quokkas"), ("Bert", "Zebras")):
        programs[name].act(f"{one}/register", team=team)
    programs["Wanda"].act(f"{one}/team/invitations")
    sent = {}
    for name, phase, run, marks in RUNS:
        if phase == "evaluation":
            world.clock.time = max(world.clock.time, datetime(2025, 1, 15, tzinfo=UTC))
        response = programs[name].post(f"/api/campaigns{one}/phases/{phase}/input")
        assert response.status_code == 200
        receipt = programs[name].upload(f"{one}/phases/{phase}/submissions", f"{run}.zip", packed(marks), run=run)
        sent[run] = receipt["submission"]
    programs["Bert"].act(f"{one}/submissions/{sent['mistake']}/cancel")
    run_all(server)
    programs["Wanda"].act(f"{one}/submissions/{sent['better']}/choose", track="main")
    programs["Bert"].act(f"{one}/submissions/{sent['final']}/choose", track="main")
    olga.act(f"{one}/switches", phase="practice", dataset="north", document="north", entity="eb", reason="two Bobs")
    sample = olga.act(f"{one}/samples", phase="evaluation", track="main", size=2, seed=1)
    olga.act(f"{one}/phases/evaluation/findings")
    run_all(server)
    drawn = olga.get(f"/api/campaigns{one}/samples/{sample['sample']}").json()["sample"]
    item = drawn["items"][0]["id"]
    olga.act(f"{one}/samples/{sample['sample']}/verdicts", item=item, verdict="disputed", comment="generic")
    world.clock.time = datetime(2025, 3, 1, tzinfo=UTC)
    world.expected["boards"] = {
        name: {
            phase: shown_rows(programs[name].get(f"/api/campaigns{one}/phases/{phase}/boards/main"))
            for phase in ("practice", "evaluation")
        }
        for name in ("Olga", "Wanda", "nobody")
    }
    server.close()


# --- what is expected


def shown_rows(response: Any) -> list[dict[str, Any]] | int:
    """The rows of a board: team and values; the status where it is not shown."""
    if response.status_code != 200:
        return int(response.status_code)
    return [{"team": row["team"], **row["values"]} for row in response.json()["tables"][0]["rows"]]


def summary(doc: Document) -> str:
    """The entities of a document in a line."""
    entities = (f"{entity.id}: {' | '.join(mention.text for mention in entity.mentions)}" for entity in doc.entities)
    return "; ".join(entities)


def note_layers(world: World) -> None:
    """What the layers hold, and what they held at each revision."""
    layers = []
    with world.store.read() as session:
        found = projects.layers_of_project(session, world.project)
    for layer, owner in found:
        coindex.write(world.store.layers.document_at(layer.id), HERE / f"layer-{layer.id}.jsonl", "json")
        layers.append(
            {
                "id": layer.id,
                "document": layer.document_id,
                "name": layer.name,
                "kind": layer.kind,
                "owner": owner,
                "revision": layer.revision,
                "is_closed": layer.is_closed,
                "is_published": layer.is_published,
                "steps": [step.kind for step in world.store.layers.log(layer.id)],
                "history": [
                    summary(world.store.layers.document_at(layer.id, number)) for number in range(layer.revision + 1)
                ],
            }
        )
    world.expected["layers"] = layers


def main() -> None:
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder, mock.patch("coindex.store.columns.datetime", clock):
        place = Path(folder) / "coindex.db"
        world = World(open_store(place, snapshot_every=7), clock)
        add_people(world)
        annotate(world)
        compete(world)
        note_layers(world)
        (HERE / "backup.gz").unlink(missing_ok=True)
        world.expected["rows"] = back_up(world.store.database, HERE / "backup.gz")
        world.store.close()
        with closing(sqlite3.connect(place)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            counts = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in sorted(names)}
        world.expected["tables"] = counts
        (HERE / "coindex.db.gz").write_bytes(gzip.compress(place.read_bytes(), mtime=0))
    world.expected |= {"password": PASSWORD, "users": world.users, "roles": ROLES, "project": world.project}
    text = json.dumps(world.expected, indent=1, ensure_ascii=False)
    (HERE / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
