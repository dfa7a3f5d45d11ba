"""What all of a server's campaigns share: the store, the clock, limits, and processes to check uploads in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from queue import LifoQueue

from ..analysis.tables import Table
from ..errors import CoindexError
from ..server.caching import RecentCache
from ..server.database import Store, now
from .sandbox import Sandbox
from .visibility import Answer

MEGABYTE = 1 << 20


class NotFoundError(CoindexError):
    """Something that is not there, or not for whoever asks."""

    default_code = "not-found"

    http_status = 404


class ForbiddenError(CoindexError):
    """Something that whoever asks may not do."""

    default_code = "forbidden"

    http_status = 403


class ClosedError(CoindexError):
    """Something that may not be done now: a window is closed, or a limit is reached."""

    default_code = "closed"

    http_status = 409

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.reason)
        self.answer = answer

    def json_fields(self) -> dict[str, object]:
        return {} if self.answer.until is None else {"until": self.answer.until.isoformat()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one upload, one task and one worker may use."""

    upload_bytes: int = 100 * MEGABYTE
    key_bytes: int = 500 * MEGABYTE
    check_seconds: int = 300
    score_seconds: int = 1800
    report_seconds: int = 7200
    """For findings and samples, which are about all submissions."""
    memory: int = 4096 * MEGABYTE
    lease_seconds: float = 60
    attempts: int = 4
    """So often a job is begun before it is given up."""
    checkers: int = 2
    """So many uploads are checked at once; the others wait."""


class CampaignServer:
    """One for the whole program; its functions are in the modules beside this one."""

    def __init__(self, store: Store, *, clock: Callable[[], datetime] = now, limits: Limits | None = None) -> None:
        self.store = store
        self.clock = clock
        self.limits = limits or Limits()
        self._nurseries: LifoQueue[Sandbox] = LifoQueue()
        for _ in range(self.limits.checkers):
            self._nurseries.put(Sandbox())
        self.boards: RecentCache[object, Table] = RecentCache(200)

    def close(self) -> None:
        """End the processes that check uploads."""
        for _ in range(self.limits.checkers):
            self._nurseries.get().close()
        for _ in range(self.limits.checkers):
            self._nurseries.put(Sandbox())

    @contextmanager
    def sandbox(self) -> Iterator[Sandbox]:
        """A process to look at an upload in, for a while."""
        taken = self._nurseries.get()
        try:
            yield taken
        finally:
            self._nurseries.put(taken)
