"""Resolve one collection and print JSON: `python -m benchmarks.cross.worker CHAIN COLLECTION JOBS ENGINE`.

COLLECTION is a number of mentions of a made collection, or `ecb+`: the dev topics of ECB+ with detected mentions.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coindex import Document

INTERVAL = 0.5
"""Seconds between looks at the processes that this one has started."""


def main() -> None:
    resolver, size, jobs, engine = sys.argv[1:]
    os.environ["OMP_NUM_THREADS"] = "1"
    from coindex.corpora.resolving import load
    from coindex.engines import Workers

    from .stories import documents

    mentions: Any = "detected" if size == ECB else "given"
    chain = load(resolver, mentions=mentions, singletons=True)
    list(chain.run(map(chain.prepare, documents(32))))  # so that imports are not counted
    docs = Timed(_read_ecb() if size == ECB else documents(int(size)))
    watch = Watch()
    began, began_cpu = time.perf_counter(), time.process_time()
    digest = hashlib.sha256()
    number = count = 0
    entities = set()
    for doc in chain.run(map(chain.prepare, docs), workers=Workers(int(jobs), engine)):  # type: ignore[arg-type]
        for mention, entity in doc.mentions():
            digest.update(f"{doc.id} {mention.positions} {entity.id}\n".encode())
            entities.add(entity.id)
            number += 1
        count += 1
    seconds = time.perf_counter() - began - docs.seconds
    own = time.process_time() - began_cpu - docs.cpu_seconds
    others = watch.stop()
    row = {
        "mentions": number,
        "documents": count,
        "entities": len(entities),
        "seconds": own + others.cpu_seconds,
        "wall_seconds": seconds,
        "megabytes": memory("self", "VmHWM"),
        "private_megabytes": watch.own_private,
        "worker_megabytes": others.megabytes,
        "worker_private_megabytes": others.private,
        "clusters": digest.hexdigest(),
    }
    print(json.dumps(row))


ECB = "ecb+"


def _read_ecb() -> Iterator[Document]:
    """Yield the whole documents of the dev topics; all sentences count as annotated."""
    import coindex

    from ..corpora import DEV_TOPICS
    from ..measuring import data_folder

    folder = data_folder() / "en_ecbplus" / "ECB+"
    for topic in sorted(DEV_TOPICS, key=int):
        yield from coindex.read(folder / topic, sentences="all")


class Timed:
    """Documents, and the time it takes to make them."""

    def __init__(self, docs: Iterator[Document]) -> None:
        self._docs = docs
        self.seconds = self.cpu_seconds = 0.0

    def __iter__(self) -> Iterator[Document]:
        while True:
            began, began_cpu = time.perf_counter(), time.process_time()
            doc = next(self._docs, None)
            self.seconds += time.perf_counter() - began
            self.cpu_seconds += time.process_time() - began_cpu
            if doc is None:
                return
            yield doc


class Watch:
    """Watches this process and the workers that it starts, be it directly or through Ray.

    Private memory is what a process has beyond the files that it maps, which the processes of a machine share.
    """

    def __init__(self) -> None:
        self.megabytes = self.private = self.own_private = self.cpu_seconds = 0.0
        self._times: dict[str, float] = {}
        self._before = _children_seconds()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._stop.wait(INTERVAL):
            self.own_private = max(self.own_private, memory("self", "RssAnon"))
            for process in _descendants(str(os.getpid())):
                try:
                    self.megabytes = max(self.megabytes, memory(process, "VmHWM"))
                    self.private = max(self.private, memory(process, "RssAnon"))
                    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                except (OSError, StopIteration):  # it has ended
                    continue
                self._times[process] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> Watch:
        self._stop.set()
        self._thread.join()
        self.cpu_seconds = max(sum(self._times.values()), _children_seconds() - self._before)
        return self


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _descendants(process: str) -> Iterator[str]:
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            yield child
            yield from _descendants(child)


def memory(process: str, name: str) -> float:
    """Return a number of the memory of a process in MB: `VmHWM` is its peak."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(f"{name}:"))) / 1024


if __name__ == "__main__":
    main()
