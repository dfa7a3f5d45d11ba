"""Many simultaneous logins: few passwords are hashed at a time, and other requests are still answered."""

from __future__ import annotations

import asyncio
import re
from threading import Event, Lock
from typing import Any

import pytest
from httpx2 import ASGITransport, AsyncClient

from coindex.server import accounts
from web_world import BASE, PASSWORD, World

PEOPLE = 8


class SlowCheck:
    """Stands for the check of a password: takes as long as one likes, and counts how many go on at once."""

    def __init__(self) -> None:
        self.begun = Event()
        self.may_end = Event()
        self.most = self._now = 0
        self._lock = Lock()

    def __call__(self, user: Any, password: str) -> bool:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        self.begun.set()
        assert self.may_end.wait(60)
        with self._lock:
            self._now -= 1
        return user is not None and password == PASSWORD


def test_others_are_served_while_many_log_in(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    check = SlowCheck()
    monkeypatch.setattr(accounts, "check_password", check)

    async def log_in(client: AsyncClient) -> int:
        page = await client.get("/login")
        token = re.search(r'name="form_token" value="([^"]+)"', page.text)
        assert token is not None
        fields = {"form_token": token[1], "name": "annotator", "password": PASSWORD}
        return (await client.post("/login", data=fields)).status_code

    async def storm() -> list[int]:
        clients = [AsyncClient(transport=ASGITransport(world.app), base_url=BASE) for _ in range(PEOPLE)]
        tasks = [asyncio.create_task(log_in(client)) for client in clients]
        while not check.begun.is_set():
            await asyncio.sleep(0.01)
        async with AsyncClient(transport=ASGITransport(world.app), base_url=BASE) as other:
            for _ in range(50):  # more than there are threads for: nobody who waits may hold one
                assert (await other.get("/login")).status_code == 200
        check.may_end.set()
        found = await asyncio.gather(*tasks)
        for client in clients:
            await client.aclose()
        return found

    assert asyncio.run(storm()) == [303] * PEOPLE
    assert check.most <= accounts.HASHES_AT_ONCE


def test_a_hash_that_was_made_before_is_kept_as_it_is(world: World) -> None:
    made = accounts.hash_password(PASSWORD)
    with world.store.write() as session:
        user = accounts.add_user(session, "Zoe", made)
        assert user.password == made
    assert accounts.check_password(user, PASSWORD)
    assert not accounts.check_password(user, made), "the hash is no password"
