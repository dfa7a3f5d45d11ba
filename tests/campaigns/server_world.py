"""A small campaign in a server: `from campaigns.server_world import ServerWorld`."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime, timedelta

from campaigns.world import GOOD, text
from coindex.campaigns.keys import upload_key
from coindex.campaigns.organising import create_campaign, set_published, set_registration
from coindex.campaigns.server import CampaignServer, Limits, Viewer, viewer_of
from coindex.campaigns.submissions import Receipt, submit
from coindex.campaigns.teams import register_team
from coindex.server.accounts import find_user
from coindex.server.database import Store
from coindex.server.models import User

OPENS = datetime(2030, 1, 1, tzinfo=UTC)
DEFINITION = """
name = "tiny"
title = "A tiny task"
report = "crac22"
counts = "{counts}"
[[tracks]]
name = "main"
profile = "crac22"
primary = "conll"
secondary = ["lea", "muc"]
[[phases]]
name = "evaluation"
opens = 2030-01-01T00:00:00Z
closes = 2030-01-08T00:00:00Z
{limits}
[phases.visible]
scores = "own"
team_names = "nobody"
document_errors = "own"
[[phases]]
name = "after"
opens = 2030-02-01T00:00:00Z
releases = ["evaluation"]
[phases.visible]
scores = "everyone"
team_names = "everyone"
"""


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


def definition(*, counts: str = "best", limits: str = "") -> str:
    return DEFINITION.format(counts=counts, limits=limits)


def zipped(files: dict[str, str]) -> bytes:
    """A zip with these files; the same bytes each time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def answer(marks: dict[int, str], *, datasets: str = "xy", documents: int = 2) -> bytes:
    """A submission, or the key: a file for each dataset."""
    return zipped(
        {f"{name}.conllu": text(marks, *(f"{name}{number + 1}" for number in range(documents))) for name in datasets}
    )


class ServerWorld:
    """A published campaign with a key, open to teams, an hour after its first phase opened."""

    def __init__(
        self,
        store: Store,
        *,
        text: str | None = None,
        key: bytes | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.store = store
        self.clock = Clock(OPENS + timedelta(hours=1))
        self.server = CampaignServer(store, clock=self.clock, limits=limits or Limits(checkers=1))
        self.organiser_user = self.add_user("olga", is_administrator=True)
        self.campaign = create_campaign(self.server, text or definition(), by=self.organiser_user.id)
        self.organiser = self.viewer("olga")
        set_published(self.server, self.organiser, True)
        set_registration(self.server, self.organiser, "open")
        self.upload_key(key or answer(GOOD))

    def add_user(self, name: str, *, is_administrator: bool = False) -> User:
        """Somebody who cannot log in, which is quick."""
        with self.store.write() as session:
            user = User(name=name, key=name, password="none", is_administrator=is_administrator)
            session.add(user)
            session.flush()
            return user

    def viewer(self, name: str | None) -> Viewer:
        with self.store.read() as session:
            user = None if name is None else find_user(session, name)
        return viewer_of(self.server, self.campaign, user)

    def add_team(self, team: str, user: str | None = None) -> Viewer:
        """Add a team with one member, named after the team by default."""
        self.add_user(user or f"of-{team}")
        register_team(self.server, self.viewer(user or f"of-{team}"), team)
        return self.viewer(user or f"of-{team}")

    def upload_key(self, content: bytes, *, phase: str = "evaluation", why: str = "") -> int:
        return upload_key(self.server, self.organiser, phase, [("key.zip", io.BytesIO(content), len(content))], why=why)

    def submit(
        self, team: Viewer, marks: dict[int, str] = GOOD, *, phase: str = "evaluation", run: str = ""
    ) -> Receipt:
        return submit(self.server, team, phase, file_name="answer.zip", content=answer(marks), run=run)

    def close(self) -> None:
        self.server.close()
