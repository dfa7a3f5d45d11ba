"""A process that loads one system and resolves texts: `python -m benchmarks.learned.worker SYSTEM TEXTS ROUNDS`.

TEXTS is a JSON file with a list of texts. A system `fcoref-size:FILE` is the peer with the tokenizer of that file.
Prints what it took as JSON. Nothing that a system needs is imported before its loading is timed.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

THREADS = 2
MEMORY = 10
"""GB of memory that a process may ask for; a system that wants more is stopped."""
PEER = "fcoref-size:"
FULL = 3
"""Exit code of a process that wanted more."""


def main() -> None:
    name, path, rounds = sys.argv[1:]
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY * 2**30, MEMORY * 2**30))
    texts = json.loads(Path(path).read_text(encoding="utf-8"))
    began = time.perf_counter()
    shown, pipe = _loaded(name)
    loading = time.perf_counter() - began
    try:
        best = min(_timed(pipe, texts) for _ in range(int(rounds)))
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and not any(word in str(error) for word in ("memory", "bad_alloc")):
            raise
        sys.exit(FULL)
    seconds, cpu, words, entities = best
    found = {"system": shown, "words": words, "entities": entities, "seconds": seconds, "cpu_seconds": cpu}
    print(json.dumps({**found, "load_seconds": loading, "megabytes": _peak()}))


def _loaded(name: str) -> tuple[str, Callable[..., Iterator[Any]]]:
    if not name.startswith(PEER):
        from benchmarks.systems import load_system

        system = load_system(name)
        return system.name, system.pipe
    import torch

    from benchmarks.learned.peer import Peer

    torch.set_num_threads(THREADS)
    peer = Peer(Path(name.removeprefix(PEER)))
    return f"F-coref's architecture, {peer.parameters / 1e6:.0f}M, random weights (torch)", peer.pipe


def _timed(pipe: Callable[..., Iterator[Any]], texts: list[str]) -> tuple[float, float, int, int]:
    """Return seconds, CPU seconds, words and entities, from raw text to entities."""
    from coindex import Document

    began, cpu = time.perf_counter(), time.process_time()
    docs = (Document.from_text(text, id=str(number), language="en") for number, text in enumerate(texts))
    counts = [(len(doc.tokens), len(doc.entities)) for doc in pipe(docs)]
    took = time.perf_counter() - began, time.process_time() - cpu
    return *took, sum(words for words, _ in counts), sum(entities for _, entities in counts)


def _peak() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


if __name__ == "__main__":
    main()
