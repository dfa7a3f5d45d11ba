"""What the pages on campaigns on a server say is so: the examples run against a server, and every route is listed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from coindex.annotation_app.layers import open_store
from coindex.campaigns.routes import CAMPAIGN_RULES
from coindex.campaigns.worker import start_worker
from coindex.server import accounts
from coindex.serving import app
from docs.test_docs import DOCS, ROOT, blocks, missing_from, run_bash
from serving_world import serving
from web_world import PASSWORD

DAY = datetime(2030, 6, 5, tzinfo=UTC)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server in a thread, its address and two tokens in the environment."""
    store = open_store(tmp_path / "docs.db")
    with store.write() as session:
        for name, variable in (("Olga", "TOKEN"), ("Wim", "TEAM_TOKEN")):
            user = accounts.add_user(session, name, PASSWORD, is_administrator=name == "Olga")
            monkeypatch.setenv(variable, accounts.make_token(session, user.id, "docs", at=DAY))
    made = app(store, clock=lambda: DAY)
    with serving(made) as address:
        monkeypatch.setenv("SERVER", address)
        worker = start_worker(made.state.campaigns)
        yield
        worker.stop()
    made.state.campaigns.close()
    store.close()


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl on this machine")
def test_the_examples_with_curl_do_what_they_say(server: None, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    shutil.copytree(ROOT / "examples", folder / "examples")
    page = (DOCS / "shared-task/server.md").read_text(encoding="utf-8")
    examples = [block for block in blocks(page, skipped=True) if "$SERVER" in block.code]
    assert len(examples) == 4
    for block in examples:
        printed = run_bash(block.code, folder)
        assert missing_from(printed, block.output or "") == [], f"{block.code}\nprinted:\n{printed}"


def test_every_route_of_the_api_is_listed() -> None:
    page = (DOCS / "reference/campaign-api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `((?:GET|POST)[^`]*)` \|", page, flags=re.MULTILINE))
    names = {"campaign:int": "ID", "submission:int": "N", "sample:int": "N"}

    def shown(path: str) -> str:
        below = path.removeprefix("/api/campaigns")
        return re.sub(r"\{([^}]+)\}", lambda match: names.get(match[1], match[1].upper()), below)

    there = {f"{rule.method} {shown(rule.path)}".strip() for rule in CAMPAIGN_RULES if rule.is_api}
    assert listed == there
