"""Agreement of a project: pairs, annotators, documents, time, suggestions; and the table of quality."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from coindex.annotation_app import agreement as agreement_module
from coindex.annotation_app import assignments
from coindex.annotation_app.agreement import course, remove_suggested, tables, team_agreement
from coindex.annotation_app.layers import Operation
from coindex.annotation_app.models import Assignment, Layer
from coindex.api.agreement import agreement, quality
from coindex.document import Document
from coindex.document.edit_log import Edit, apply_all
from coindex.document.entities import BY
from coindex.server.database import Store
from web_team import ADA, BEN, CLEO, TEXT, Team, annotate, make_team


@pytest.fixture
def team(store: Store) -> Team:
    """Two documents: all three have finished the first, Ada and Cleo the second."""
    made = make_team(store, [TEXT, TEXT])
    for name, marks in (("Ada", ADA), ("Ben", BEN), ("Cleo", CLEO)):
        annotate(made, name, marks)
    annotate(made, "Ada", ADA, 1)
    annotate(made, "Cleo", ADA, 1)
    return made


def docs(team: Team, name: str, *numbers: int) -> list[Document]:
    return [team.store.layers.document_at(team.layers[name, number]) for number in numbers]


def test_a_pair_is_scored_on_what_both_have_finished(team: Team) -> None:
    found = team_agreement(team.store, team.project).whole
    assert found is not None
    for one, other, numbers in (("Ada", "Ben", [0]), ("Ada", "Cleo", [0, 1]), ("Ben", "Cleo", [0])):
        alone = agreement({one: docs(team, one, *numbers), other: docs(team, other, *numbers)})
        assert found.values((one, other)) == pytest.approx(alone.values((one, other)))
    assert found.signature == alone.signature
    assert found.alpha_signatures == alone.alpha_signatures


def test_alpha_of_all_is_over_the_annotators_of_each_document(team: Team) -> None:
    one = team_agreement(team.store, team.project).documents[team.documents[0]]
    together = agreement({name: docs(team, name, 0) for name in ("Ada", "Ben", "Cleo")})
    assert one.alpha == together.alpha
    same = team_agreement(team.store, team.project).documents[team.documents[1]]
    assert (same.means()["conll"], same.alpha["null"]) == (1, 1)


def test_counts_are_kept_up_to_a_number(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are six: three pairs and all three of the first document, one pair and both of the second."""
    whole = team_agreement(team.store, team.project)
    assert len(agreement_module._counted[team.store]) == 6
    monkeypatch.setattr(agreement_module, "MOST_COUNTED", 4)
    del agreement_module._counted[team.store]
    assert team_agreement(team.store, team.project) == whole
    assert len(agreement_module._counted[team.store]) == 4


def test_counts_follow_an_edit(team: Team) -> None:
    document = team.documents[1]
    before = team_agreement(team.store, team.project).documents[document]
    layer = team.layers["Cleo", 1]
    with team.store.write() as session:
        session.get_one(Layer, layer).is_closed = False
    (mention,) = (entity.mentions[0] for entity in docs(team, "Cleo", 1)[0].entities if entity.id == "tom")
    edit = Edit("remove_mention", {"entity": "tom", "positions": mention.positions})
    state = team.store.layers.state(layer)
    team.store.layers.append(layer, state.revision, [Operation(state.revision, (edit,))], client="again")
    with team.store.write() as session:
        session.get_one(Layer, layer).is_closed = True
    after = team_agreement(team.store, team.project).documents[document]
    assert before.means()["mentions"] == 1
    assert (
        after.means()["mentions"]
        == agreement({name: docs(team, name, 1) for name in ("Ada", "Cleo")}).means()["mentions"]
        < 1
    )


def test_the_page_has_a_signature_for_every_number(team: Team) -> None:
    text = team.browser("Dora").see(f"{team.base}/agreement")
    found = team_agreement(team.store, team.project)
    assert found.whole is not None
    for table in tables(found, dict(zip(team.documents, ("d1", "d2"), strict=True))):
        for column in table.columns:
            assert column.signature or column.name == "documents"
        for row in table.rows:
            assert row.label in text
    assert text.count(found.whole.signature) > 4
    assert found.whole.alpha_signatures["null"] in text
    for title in ("mentions", "MUC", "B³", "CEAF-e", "CoNLL", "LEA", "α"):
        assert f">{title}" in text


def test_unfinished_and_returned_work_does_not_count(store: Store) -> None:
    team = make_team(store)
    annotate(team, "Ada", ADA)
    annotate(team, "Ben", BEN, finish=False)
    annotate(team, "Cleo", CLEO)
    with store.write() as session:
        assignment = session.query(Assignment).where(Assignment.user_id == team.users["Cleo"]).one()
        assignments.give_back(session, assignment)
    assert team_agreement(store, team.project).whole is None
    assert "No document has been finished by two annotators" in team.browser("Max").see(f"{team.base}/agreement")


def test_over_time(team: Team) -> None:
    """The second document was finished a month later, with full agreement."""
    with team.store.write() as session:
        for row in session.query(Assignment):
            month = 1 if row.document_id == team.documents[0] else 2
            row.changed = datetime(2026, month, 15, tzinfo=UTC)
    found = team_agreement(team.store, team.project, period="month")
    assert list(found.periods) == ["2026-01", "2026-02"]
    first, second = course(found)
    assert first[1] < second[1] == 1
    assert "<svg" in team.browser("Dora").see(f"{team.base}/agreement?by=month")


def suggested(marks: dict[str, list[tuple[int, ...]]], by: set[tuple[int, ...]]) -> Document:
    return apply_all(
        Document.from_text(TEXT),
        [
            Edit(
                "add_mention",
                {"positions": at, "entity": entity, "attributes": {BY: "rules"} if at in by else {}},
            )
            for entity, mentions in marks.items()
            for at in mentions
        ],
    )


def test_what_was_suggested_to_one_is_left_out_of_both() -> None:
    one = suggested({"a": [(0,), (6,)]}, {(6,)})
    other = suggested({"a": [(0,), (6,)], "b": [(9,)]}, set())
    left = remove_suggested([one, other])
    assert [[mention.positions for mention, _ in doc.mentions()] for doc in left] == [[(0,)], [(0,), (9,)]]


def test_agreement_with_and_without_suggestions_differ(store: Store) -> None:
    """Ada and Ben took the same suggestion, and agree on nothing else."""
    team = make_team(store)
    for name, own in (("Ada", (11,)), ("Ben", (19,))):
        annotate(team, name, {"x": [own]}, finish=False)
        edit = Edit("add_mention", {"positions": [0], "entity": "y", "attributes": {BY: "rules"}})
        team.store.layers.append(team.layers[name, 0], 1, [Operation(9, (edit,))], client="suggestion")
        with store.write() as session:
            row = session.query(Assignment).where(Assignment.user_id == team.users[name]).one()
            assignments.finish(session, row)
    ways = {how: team_agreement(store, team.project, suggested=how) for how in ("with", "without", "untouched")}  # type: ignore[arg-type]
    mentions = {how: found.whole and found.whole.means()["mentions"] for how, found in ways.items()}
    assert mentions == {"with": 0.5, "without": 0, "untouched": None}
    without = ways["without"].whole
    assert without is not None
    assert "suggestions:no" in without.signature
    assert "suggestions:no" in without.alpha_signatures["null"]


def test_unknown_ways_are_refused(team: Team) -> None:
    browser = team.browser("Dora")
    assert browser.get(f"{team.base}/agreement?suggestions=never").status_code == 422
    assert browser.get(f"{team.base}/agreement?by=year").status_code == 422


def test_the_table_of_quality_is_that_of_the_files(team: Team) -> None:
    browser = team.browser("Dora")
    text = browser.see(f"{team.base}/quality?as+annotation:Ada=once&as+annotation:Ben=once&as+annotation:Cleo=final")
    table = quality({"Ada": docs(team, "Ada", 0), "Ben": docs(team, "Ben", 0)}, {"Cleo": docs(team, "Cleo", 0)}).tables[
        0
    ]
    for row, cells in zip(table.rows, table.shown(), strict=True):
        assert f">{row.label}<" in text
        for cell in cells:
            assert f">{cell}</td>" in text
    assert table.rows[0].signature in text
    assert "1 document that all chosen versions cover" in text


def test_quality_needs_once_and_final(team: Team) -> None:
    browser = team.browser("Dora")
    answer = browser.get(f"{team.base}/quality?as+annotation:Ada=once")
    assert (answer.status_code, "one with the role" in answer.text) == (422, True)
