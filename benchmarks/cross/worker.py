"""A process that resolves one made collection: `python -m benchmarks.cross.worker CHAIN MENTIONS`. Prints JSON."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from pathlib import Path


def main() -> None:
    resolver, mentions = sys.argv[1], int(sys.argv[2])
    os.environ["OMP_NUM_THREADS"] = "1"
    import coindex

    from .stories import documents

    chain = coindex.load(resolver, mentions="given")
    list(chain.pipe(documents(32)))  # so that imports are not counted
    docs = list(documents(mentions))
    before, began = _peak(), time.process_time()
    resolved = list(chain.pipe(docs))
    seconds = time.process_time() - began
    lines = [f"{doc.id} {mention.positions} {entity.id}" for doc in resolved for mention, entity in doc.mentions()]
    print(
        json.dumps(
            {
                "mentions": len(lines),
                "documents": len(resolved),
                "entities": len({entity.id for doc in resolved for entity in doc.entities}),
                "seconds": seconds,
                "megabytes": _peak() - before,
                "clusters": hashlib.sha256("\n".join(lines).encode()).hexdigest(),
            }
        )
    )


def _peak() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


if __name__ == "__main__":
    main()
