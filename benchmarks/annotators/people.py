"""An annotator as the server sees one: logs in, opens a document, edits, undoes, opens it again."""

from __future__ import annotations

import asyncio
import random
import re
import time
from typing import Any, NamedTuple

import httpx2

from ..serving import PASSWORD
from .world import WORDS

PAUSE = 1.0
"""Seconds between what one does, on average."""
EVERY = 20
"""Number of edits after which the document is opened again."""
UNDOES = 0.1
PATIENCE = 600
"""Seconds to wait for an answer: a busy machine shall give bad numbers rather than errors."""
TOKEN = re.compile(r'name="form_token" value="([^"]+)"')


class Sample(NamedTuple):
    """One request: what it was, how long it took, what went wrong."""

    kind: str
    seconds: float
    error: str | None


class Annotator:
    """One person with one tab."""

    def __init__(self, address: str, name: str, path: str, seed: int) -> None:
        self.samples: list[Sample] = []
        self._name = name
        self._path = path
        self._chance = random.Random(seed)
        self._client = httpx2.AsyncClient(base_url=address, timeout=PATIENCE)
        self._token = ""
        self._revision = 0
        self._sequence = 0
        self._undoable = 0
        self._marked: set[int] = set()

    async def log_in(self) -> None:
        page = await self._ask("log-in page", "GET", "/login")
        fields = {"form_token": _token(page), "name": self._name, "password": PASSWORD}
        await self._ask("log in", "POST", "/login", data=fields, expected=303)

    async def work(self, end: float) -> None:
        """Work until the end; annotators start at different moments of the first second."""
        await asyncio.sleep(self._chance.random())
        await self._open()
        while time.monotonic() < end:
            await asyncio.sleep(self._chance.uniform(0, 2 * PAUSE))
            await self._edit()
            if self._sequence % EVERY == 0:
                await self._ask("project", "GET", self._path.split("/documents")[0])
                await self._open()
        await self._client.aclose()

    async def _open(self) -> None:
        await self._ask("editor", "GET", f"{self._path}/edit")
        answer = await self._ask("document", "GET", f"{self._path}/data?for=editor")
        if answer is not None and answer.status_code == 200:
            data = answer.json()
            self._token, self._revision = data["form_token"], data["revision"]

    async def _edit(self) -> None:
        self._sequence += 1
        body = {"client": f"tab-{self._name}", "base": self._revision, "operations": [self._operation()]}
        headers = {"x-form-token": self._token}
        answer = await self._ask("edit", "POST", f"{self._path}/operations", json=body, headers=headers)
        if answer is not None and answer.status_code == 200:
            self._revision = answer.json()["revision"]

    def _operation(self) -> dict[str, Any]:
        """Return an operation: usually a new mention of one word in an existing entity, sometimes an undo."""
        if self._undoable and self._chance.random() < UNDOES:
            self._undoable -= 1
            return {"sequence": self._sequence, "kind": "undo"}
        at = self._chance.choice([place for place in range(WORDS) if place not in self._marked])
        self._undoable += 1
        self._marked.add(at)  # an undone place is not used again, so every edit fits
        arguments = {"positions": [at], "entity": f"e{self._chance.randint(1, 12)}"}
        edit = {"name": "add_mention", "arguments": arguments}
        return {"sequence": self._sequence, "kind": "edit", "edits": [edit]}

    async def _ask(self, kind: str, method: str, path: str, *, expected: int = 200, **more: Any) -> Any:
        began = time.perf_counter()
        answer, error = None, None
        try:
            answer = await self._client.request(method, path, **more)
            if answer.status_code != expected:
                error = f"{kind}: {answer.status_code} {answer.text[:200]}"
        except httpx2.HTTPError as problem:
            error = f"{kind}: {type(problem).__name__} {problem}"
        self.samples.append(Sample(kind, time.perf_counter() - began, error))
        return answer


def _token(page: Any) -> str:
    found = TOKEN.search(page.text) if page is not None else None
    return found.group(1) if found else ""
