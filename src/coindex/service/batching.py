"""Dynamic batching: texts that wait for the same chain are resolved together.

While a batch runs, requests accumulate, and all that fit become the next batch. An idle service answers at once: no
request waits for others. All state belongs to the event loop; one thread resolves.
"""

from __future__ import annotations

import asyncio
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..document import Document
from ..errors import CoindexWarning, use_caller
from ..resolvers.chain import Chain
from .metrics import Metrics

_SMOOTHING = 0.3
"""The weight of the last batch in the estimated speed."""


class Outcome:
    """A resolved document with its warnings, or the error that prevented it."""

    __slots__ = ("doc", "error", "warnings")

    def __init__(
        self, doc: Document | None, caught: Sequence[CoindexWarning] = (), error: Exception | None = None
    ) -> None:
        self.doc = doc
        self.warnings = tuple(caught)
        self.error = error


@dataclass(eq=False, slots=True)
class Job:
    """A document that waits for its chain."""

    chain: Chain
    doc: Document
    resolver: str
    future: asyncio.Future[Outcome]
    is_running: bool = field(default=False)


class Batcher:
    """Resolves documents in a thread, in batches of about `batch_words` words of one chain."""

    def __init__(self, *, batch_words: int, metrics: Metrics) -> None:
        self._batch_words = batch_words
        self._metrics = metrics
        self._waiting: deque[Job] = deque()
        self._wake = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="resolve")
        self._task: asyncio.Task[None] | None = None
        self.is_running = False
        """Whether the thread resolves a batch, which cannot be interrupted."""
        self.speed = 0.0
        """Words per second of the last batches; 0 before the first."""

    def start(self) -> None:
        """Start to resolve; the event loop has to be running."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Stop; a batch that is running is not waited for."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for job in self._waiting:
            job.future.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    @property
    def is_alive(self) -> bool:
        """Whether waiting documents will be resolved."""
        return self._task is not None and not self._task.done()

    @property
    def waiting_words(self) -> int:
        """The number of words that wait."""
        return sum(len(job.doc.tokens) for job in self._waiting if not job.future.done())

    def submit(self, chain: Chain, doc: Document, resolver: str) -> Job:
        """Add a prepared document; the future of the job gets its outcome, and cancelling it removes the job."""
        job = Job(chain, doc, resolver, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._metrics.waiting_texts.set(len(self._waiting))
        self._wake.set()
        return job

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            batch = self._take()
            if not batch:
                self._wake.clear()
                await self._wake.wait()
                continue
            docs = [job.doc for job in batch]
            began = time.perf_counter()
            self.is_running = True
            outcomes = await loop.run_in_executor(self._thread, resolve_batch, batch[0].chain, docs)
            self.is_running = False
            self._count(batch, time.perf_counter() - began)
            for job, outcome in zip(batch, outcomes, strict=True):
                if not job.future.done():  # cancelled meanwhile
                    job.future.set_result(outcome)

    def _take(self) -> list[Job]:
        """Remove and return the next batch: the oldest job, and those of the same chain that fit."""
        batch: list[Job] = []
        others: deque[Job] = deque()
        words = 0
        for job in self._waiting:
            if job.future.done():  # its request was cancelled
                continue
            size = len(job.doc.tokens)
            if not batch or (job.chain is batch[0].chain and words + size <= self._batch_words):
                batch.append(job)
                job.is_running = True
                words += size
            else:
                others.append(job)
        self._waiting = others
        self._metrics.waiting_texts.set(len(others))
        return batch

    def _count(self, batch: Sequence[Job], seconds: float) -> None:
        words = sum(len(job.doc.tokens) for job in batch)
        if words and seconds > 0:
            now = words / seconds
            self.speed = now if not self.speed else (1 - _SMOOTHING) * self.speed + _SMOOTHING * now
        self._metrics.batch_texts.observe(len(batch))
        self._metrics.batch_words.observe(words)
        self._metrics.batch_seconds.observe(seconds)
        self._metrics.texts.labels(batch[0].resolver).inc(len(batch))
        self._metrics.words.labels(batch[0].resolver).inc(words)


def resolve_batch(chain: Chain, docs: Sequence[Document]) -> list[Outcome]:
    """Resolve prepared documents together; if that fails, one by one, so that an error belongs to its document."""
    with use_caller("service"), collect_warnings() as caught:
        try:
            resolved = list(chain.run(docs, batch_size=len(docs)))
            if len(resolved) != len(docs):
                raise RuntimeError(f"{chain.name} returned {len(resolved)} documents for {len(docs)}")
        except Exception as error:
            if len(docs) == 1:
                return [Outcome(None, error=error)]
            return [outcome for doc in docs for outcome in resolve_batch(chain, [doc])]
    return [Outcome(doc, _own_warnings(doc, caught)) for doc in resolved]


def _own_warnings(doc: Document, caught: Sequence[CoindexWarning]) -> list[CoindexWarning]:
    """Return the warnings about a document, and those about no document in particular."""
    return [warning for warning in caught if warning.details.get("document", doc.id) == doc.id]


_caught = threading.local()


@contextmanager
def collect_warnings() -> Iterator[list[CoindexWarning]]:
    """Collect the warnings of this thread; `route_warnings` has to be active."""
    before = getattr(_caught, "warnings", None)
    collected: list[CoindexWarning] = []
    _caught.warnings = collected
    try:
        yield collected
    finally:
        _caught.warnings = before


@contextmanager
def route_warnings() -> Iterator[None]:
    """Within the context, pass each warning of coindex to the `collect_warnings` of its thread, if there is one.

    `warnings.catch_warnings` in each thread would not do: it changes the state of the whole process.
    """
    with warnings.catch_warnings():
        show = warnings.showwarning

        def route(message: Warning | str, *arguments: Any, **options: Any) -> None:
            collected = getattr(_caught, "warnings", None)
            if collected is not None and isinstance(message, CoindexWarning):
                collected.append(message)
            else:
                show(message, *arguments, **options)

        warnings.showwarning = route
        warnings.simplefilter("always", CoindexWarning)
        yield
