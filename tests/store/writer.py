"""`writer.py PLACE LAYER COUNT` appends operations one by one and prints each revision when it is stored."""

from __future__ import annotations

import os
import sys

from coindex.document.edit_log import Edit
from coindex.store import Appended, Operation, open_store


def main(place: str, layer: int, count: int) -> None:
    layers = open_store(place).layers
    start = layers.state(layer).revision
    client = f"writer-{os.getpid()}-{start}"
    for revision in range(start, start + count):
        if revision == 0:
            edit = Edit("add_mention", {"positions": [0], "entity": "ann"})
            edits = (edit, Edit("set_entity", {"entity": "ann", "type": "0"}))
        else:
            edits = (Edit("set_entity", {"entity": "ann", "type": str(revision)}),)
        done = layers.append(layer, revision, [Operation(revision, edits)], client=client)
        assert isinstance(done, Appended)
        sys.stdout.write(f"{done.revision}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
