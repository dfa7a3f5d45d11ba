"""What all campaigns of a server share: the store, the clock, limits, and sandboxes that check uploads."""

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
    """Raised if something does not exist or is not visible to the caller."""

    default_code = "not-found"

    http_status = 404


class ForbiddenError(CoindexError):
    """Raised if the caller lacks the permission for an action."""

    default_code = "forbidden"

    http_status = 403


class ClosedError(CoindexError):
    """Raised if an action is not possible now: a phase is closed, or a limit is reached."""

    default_code = "closed"

    http_status = 409

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.reason)
        self.answer = answer

    def json_fields(self) -> dict[str, object]:
        return {} if self.answer.until is None else {"until": self.answer.until.isoformat()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of uploads, tasks and workers."""

    upload_bytes: int = 100 * MEGABYTE
    key_bytes: int = 500 * MEGABYTE
    check_seconds: int = 300
    score_seconds: int = 1800
    report_seconds: int = 7200
    """The time limit of result tables and samples, which use all submissions."""
    memory: int = 4096 * MEGABYTE
    lease_seconds: float = 60
    attempts: int = 4
    """How often a job is attempted before it fails."""
    checkers: int = 2
    """How many uploads are checked in parallel; others wait."""


class CampaignServer:
    """The state that the functions of this package share; one per process."""

    def __init__(self, store: Store, *, clock: Callable[[], datetime] = now, limits: Limits | None = None) -> None:
        self.store = store
        self.clock = clock
        self.limits = limits or Limits()
        self._sandboxes: LifoQueue[Sandbox] = LifoQueue()
        for _ in range(self.limits.checkers):
            self._sandboxes.put(Sandbox())
        self.boards: RecentCache[object, Table] = RecentCache(200)

    def close(self) -> None:
        """Stop the processes that check uploads."""
        for _ in range(self.limits.checkers):
            self._sandboxes.get().close()
        for _ in range(self.limits.checkers):
            self._sandboxes.put(Sandbox())

    @contextmanager
    def sandbox(self) -> Iterator[Sandbox]:
        """Yield a sandbox for checking an upload."""
        taken = self._sandboxes.get()
        try:
            yield taken
        finally:
            self._sandboxes.put(taken)
