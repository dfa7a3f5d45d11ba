"""A complete campaign with the API, with resolvers of the project as teams; submission windows and upload errors."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import coindex
from campaign_pages import DEFINITION, KEY, CampaignWorld, Program, answer, make_campaign, written, zipped
from coindex.analysis.figures import DARK_INK
from coindex.annotation_app.layers import open_store

EXAMPLES = Path(__file__).parents[3] / "examples"
RESOLVERS = {"ada": "sieves", "ben": "nearest-np", "cleo": "head-lemma"}
SHARED = """
name = "garden-party"
title = "The garden party"
counts = "chosen"
report = "crac22"
[[tracks]]
name = "coreference"
profile = "crac22"
primary = "conll"
secondary = ["muc", "b3", "ceafe"]
[[phases]]
name = "evaluation"
opens = 2030-01-11T00:00:00Z
closes = 2030-01-21T00:00:00Z
[phases.visible]
team_names = "nobody"
[[phases]]
name = "after"
opens = 2030-01-31T00:00:00Z
submissions = false
releases = ["evaluation"]
[phases.visible]
scores = "everyone"
team_names = "everyone"
document_errors = "own"
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[CampaignWorld]:
    store = open_store(tmp_path / "web.db")
    made = CampaignWorld(store)
    yield made
    made.close()
    store.close()


def resolved(content: bytes, resolver: str, folder: Path) -> bytes:
    """What a team does: the input unzipped, resolved, zipped."""
    folder.mkdir()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    files = {}
    for path in sorted(folder.glob("*.conllu")):
        assert "Entity=" not in path.read_text(encoding="utf-8"), "the input is blind"
        target = folder / f"answer-{path.name}"
        coindex.write(map(coindex.load(resolver), coindex.read(path)), target, "corefud")
        files[path.name] = target.read_text(encoding="utf-8")
    return zipped(files)


def test_a_campaign_from_its_definition_to_its_findings(world: CampaignWorld, tmp_path: Path) -> None:
    world.days = 5
    root = world.program(world.add_user("root", is_administrator=True))
    id = root.act("", text=SHARED)["campaign"]
    one = f"/{id}"
    key = zipped({name: (EXAMPLES / name).read_text(encoding="utf-8") for name in ("garden.conllu", "cartero.conllu")})
    assert root.upload(f"{one}/phases/evaluation/key", "key.zip", key).status_code == 200
    assert {file["name"] for file in root.find(f"{one}/phases/evaluation/preview")["files"]} == {
        "garden.conllu",
        "cartero.conllu",
    }
    root.act(f"{one}/registration", registration="invited")
    root.act(f"{one}/published", published=True)
    teams: dict[str, Program] = {}
    for name in RESOLVERS:
        link = root.act(f"{one}/teams/invitations")["link"]
        teams[name] = world.program(world.add_user(name))
        assert teams[name].post(f"/api{link.removeprefix('http://testserver')}", json={"team": f"team {name}"}).json()

    world.days = 12
    sent = {}
    for name, resolver in RESOLVERS.items():
        given = teams[name].post(f"/api/campaigns{one}/phases/evaluation/input")
        content = resolved(given.content, resolver, tmp_path / name)
        checked = teams[name].upload(f"{one}/phases/evaluation/checks", "answer.zip", content).json()
        assert [finding for finding in checked["findings"] if finding["severity"] == "error"] == []
        response = teams[name].upload(f"{one}/phases/evaluation/submissions", "answer.zip", content, run=resolver)
        assert response.status_code == 200, response.text
        sent[name] = response.json()["submission"]
    assert teams["ada"].find(f"{one}/submissions/{sent['ada']}/state")["state"] == "waiting"
    assert world.work() == 3
    assert teams["ada"].find(f"{one}/submissions/{sent['ada']}/state")["state"] == "done"
    assert teams["ada"].find(f"{one}/submissions/{sent['ada']}")["submission"]["scores"] is None, "hidden for now"
    teams["ada"].act(f"{one}/submissions/{sent['ada']}/choose", track="coreference")

    world.days = 35
    public = Program(world.app, "")
    del public.headers["authorization"]
    board = public.find(one)["boards"][0]["table"]
    assert board["rows"][0]["team"] == "team ada"
    assert len(board["rows"]) == 3
    path = f"/api/campaigns{one}/phases/evaluation/boards/coreference"
    assert "team ben" in public.get(f"{path}?format=csv").text
    assert r"\begin{tabular}" in public.get(f"{path}?format=latex").text
    assert public.get(f"{path}?format=markdown").text.count("|") > 20
    assert public.get(f"{path}?format=odd").status_code == 422
    documents = teams["ben"].find(f"{one}/submissions/{sent['ben']}")["documents"]["coreference"]
    assert {row["dataset"] for row in documents["rows"]} == {"garden", "cartero"}
    assert teams["ben"].find(f"{one}/runs")["tables"][0]["table"]["rows"][0]["run"] == "nearest-np"

    _organise(world, root, one, sent["ada"])


def _organise(world: CampaignWorld, root: Program, one: str, submission: int) -> None:
    """A sample, a verdict, a chain switched off, rescoring, result tables and figures."""
    sample = root.act(f"{one}/samples", phase="evaluation", track="coreference", size=3, seed=7)["sample"]
    root.act(f"{one}/phases/evaluation/findings", anonymous=True)
    assert world.work() == 2
    found = root.find(f"{one}/samples/{sample}")
    item = next(item for item in found["sample"]["items"] if item["entity"])
    root.act(f"{one}/samples/{sample}/verdicts", item=item["id"], verdict="disputed", comment="generic")
    assert [row["values"]["disputed"] for row in root.find(f"{one}/samples/{sample}")["counted"]["rows"]].count(1) == 1
    chain = {"phase": "evaluation", "dataset": item["dataset"], "document": item["document"], "entity": item["entity"]}
    refused = root.post(f"/api/campaigns{one}/switches", json=chain)
    assert (refused.status_code, "reason" in refused.text) == (422, True)
    assert root.act(f"{one}/switches", **chain, reason="generic use")["jobs"] == 3
    assert world.work() == 3
    checking = root.find(f"{one}/checking")
    assert checking["switched_off"]["evaluation"][0]["reason"] == "generic use"
    history = root.find(f"{one}/submissions/{submission}")["history"]
    assert [one["is_current"] for one in history] == [False, True], "the old score stays"
    assert root.act(f"{one}/rescore", why="to be sure")["jobs"] == 3
    world.work()
    html = root.get(f"/api/campaigns{one}/phases/evaluation/findings?format=html")
    assert "attachment" in html.headers["content-disposition"]
    assert "team ada" not in html.text, "aliases only, as was asked for"
    assert r"\toprule" in root.get(f"/api/campaigns{one}/phases/evaluation/findings?format=latex").text
    figures = root.find(f"{one}/findings")["phases"][0]["figures"]
    path = f"/api/campaigns{one}/phases/evaluation/figures/{figures[0]['name']}?format=svg"
    light, dark = root.get(path), root.get(f"{path}&dark=yes")
    assert light.headers["content-type"] == dark.headers["content-type"] == "image/svg+xml"
    assert [DARK_INK in picture.text for picture in (light, dark)] == [False, True]
    actions = {entry["action"] for entry in root.find(f"{one}/log")["entries"]}
    assert {"key uploaded", "chain switched off", "published"} <= actions


def test_uploads_are_refused_with_the_place_and_count_for_nothing(world: CampaignWorld) -> None:
    make_campaign(world)
    one = f"/{world.campaign}"
    ada = world.program(world.add_user("ada"))
    world.at("evaluation")
    ada.act(f"{one}/register", team="Ada's")
    path = f"{one}/phases/evaluation/submissions"
    early = ada.upload(path, "answer.zip", answer(KEY))
    assert (early.status_code, "download the input first" in early.json()["error"]) == (409, True)
    assert early.json()["code"] == "closed"
    assert ada.post(f"/api/campaigns{one}/phases/evaluation/input").status_code == 200

    wrong = zipped({"x.conllu": written(KEY, "x").replace("\tmet\t", "\tsaw\t"), "y.conllu": written(KEY, "y")})
    refused = ada.upload(path, "answer.zip", wrong)
    assert refused.status_code == 422
    finding = refused.json()["findings"][0]
    assert finding["file"].endswith("x.conllu")
    assert (finding["line"], finding["column"]) == (5, 3)
    assert "'saw'" in finding["found"]
    browser = world.browser("ada")
    browser.see(f"/campaigns/{world.campaign}/team")
    data = {"form_token": browser.token}
    page = browser.post(f"/campaigns{path}", data=data, files={"file": ("answer.zip", wrong)})
    assert page.status_code == 422
    assert "x.conllu" in page.text
    assert "does not count towards the submission limits" in page.text
    assert ada.upload(path, "", b"").status_code == 422, "no file"

    state = ada.find(f"{one}/team")["phases"][1]["state"]
    assert (state["total"], state["submit"]["allowed"]) == (0, True)
    for _ in range(2):
        assert ada.upload(path, "answer.zip", answer(KEY)).status_code == 200
    over = ada.upload(path, "answer.zip", answer(KEY))
    assert over.status_code == 409
    assert over.json()["until"] == "2030-01-17T00:00:00+00:00"
    last = max(found["id"] for found in ada.find(f"{one}/submissions")["submissions"])
    ada.act(f"{one}/submissions/{last}/cancel")
    assert ada.upload(path, "answer.zip", answer(KEY)).status_code == 200, "what is cancelled does not count"

    world.days += 2
    late = ada.upload(path, "answer.zip", answer(KEY))
    assert (late.status_code, "48-hour submission window ended" in late.json()["error"]) == (409, True)


def test_the_page_warns_before_the_hours_begin_and_shows_the_deadline(world: CampaignWorld) -> None:
    make_campaign(world)
    world.add_user("ada")
    world.at("evaluation")
    browser = world.browser("ada")
    base = f"/campaigns/{world.campaign}"
    browser.see(f"{base}/register")
    assert browser.submit(f"{base}/register", team="Ada's").headers["location"] == f"{base}/team"
    before = browser.see(f"{base}/team")
    assert "Downloading the input starts your 48-hour submission window." in before
    assert "Your deadline" not in before
    given = browser.submit(f"{base}/phases/evaluation/input")
    assert given.headers["content-disposition"] == 'attachment; filename="tiny-evaluation-input.zip"'
    after = browser.see(f"{base}/team")
    assert "Downloading the input starts your" not in after
    assert "2030-01-18 00:00 UTC" in after


def test_signing_up_with_a_team_and_inviting_a_second_member(world: CampaignWorld) -> None:
    make_campaign(world)
    world.at("practice")
    base = f"/campaigns/{world.campaign}"
    ada = world.browser()
    ada.see(f"{base}/register")
    fields = {"name": "ada", "team": "Ada's", "password": "a long password"}
    assert ada.submit(f"{base}/register", **fields, again="another password").status_code == 422
    assert ada.submit(f"{base}/register", **fields, again="a long password").status_code == 303
    ada.see(f"{base}/team")
    link = ada.submit(f"{base}/team/invitations").text.partition("http://testserver")[2].partition('"')[0]
    ben = world.browser()
    assert "the team “Ada&#39;s”" in ben.see(link)
    fields = {"name": "ben", "password": "a long password", "again": "a long password"}
    assert ben.submit(link, **fields).headers["location"] == f"{base}/team"
    assert "Ada&#39;s" in ben.see(f"{base}/team")
    assert ben.get(link).status_code == 422, "it works once"
    program = Program(world.app, "")
    del program.headers["authorization"]
    made = program.act(f"/{world.campaign}/register", name="cleo", password="a long password", team="Cleo's")
    assert made["user"] == "cleo"
    assert "Cleo&#39;s" in world.browser("cleo").see(f"{base}/team")


def test_errors_in_a_definition_are_reported_with_their_place(world: CampaignWorld) -> None:
    olga = make_campaign(world)
    path = f"/api/campaigns/{world.campaign}/definition"
    text = DEFINITION.format(counts="last")
    wrong = olga.post(path, json={"text": text.replace('"conll"', '"conl"'), "version": 1})
    assert (wrong.status_code, "did you mean" in wrong.text or "conll" in wrong.text) == (422, True)
    assert olga.post(path, json={"text": "name = ", "version": 1}).status_code == 422
    saved = olga.post(path, json={"text": text.replace("A tiny task", "A small task"), "version": 1, "why": "title"})
    assert saved.json() == {"version": 2}
    late = olga.post(path, json={"text": text, "version": 1})
    assert (late.status_code, "meanwhile" in late.text) == (422, True)
    assert olga.post(path, content=b"{", headers={"content-type": "application/json"}).status_code == 400
    assert olga.post(path, json=["text"]).status_code == 400
    assert [one["number"] for one in olga.find(f"/{world.campaign}/definition")["history"]] == [2, 1]


def test_dates_and_limits_are_changed_one_by_one(world: CampaignWorld) -> None:
    olga = make_campaign(world)
    path = f"/{world.campaign}/phases/evaluation/rules"
    assert olga.act(path, closes="2030-01-25T12:00", limit_total="", scores="own") == {"version": 2}
    phase = olga.find(f"/{world.campaign}/schedule")["phases"][1]["phase"]
    assert (phase["closes"], phase["limit_total"], phase["limit_a_day"]) == ("2030-01-25T12:00:00Z", None, 2)
    assert phase["visible"] == {
        "scores": "own",
        "keys": "nobody",
        "team_names": "nobody",
        "document_errors": "nobody",
    }
    for wrong in (
        {"closes": "soon"},
        {"opens": ""},
        {"limit_total": "2.5"},
        {"scores": "me"},
        {"downloads": "perhaps"},
    ):
        assert olga.post(f"/api/campaigns{path}", json=wrong).status_code == 422, wrong
    browser = world.browser("olga")
    assert 'value="2030-01-25T12:00:00"' in browser.see(f"/campaigns/{world.campaign}/schedule")
    late = browser.submit(f"/campaigns{path}", version="1", limit_total="9")
    assert (late.status_code, "meanwhile" in late.text) == (422, True)


def test_tokens_are_made_shown_once_and_revoked_on_the_page_of_the_account(world: CampaignWorld) -> None:
    world.add_user("ada")
    browser = world.browser("ada")
    browser.see("/account")
    made = browser.submit("/account/tokens", name="laptop", days="30").text
    secret = made.partition('value="cxt_')[2].partition('"')[0]
    page = browser.see("/account")
    assert "laptop" in page
    assert secret not in page
    program = Program(world.app, f"cxt_{secret}")
    assert program.find("") == {"title": "Campaigns", "campaigns": []}
    tokens = [line for line in page.split('"') if line.endswith("/revoke")]
    assert browser.submit(tokens[-1]).status_code == 303
    assert program.get("/api/campaigns").status_code == 401
    assert program.get("/api/campaigns").headers["www-authenticate"] == "Bearer"
    assert browser.submit("/account/tokens", name="x", days="31").status_code == 422
