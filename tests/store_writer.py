"""`store_writer.py PLACE LAYER` appends batches of operations without end; it prints each revision that is stored."""

from __future__ import annotations

import os
import sys

from coindex.annotation_app.layers import Appended, Operation, open_store
from coindex.document.edit_log import Edit

LARGEST = 60
"""Operations in one batch; an editor sends what was done since the last answer."""


def operation(revision: int) -> Operation:
    """The one that makes a revision: it can be told from all others by its content."""
    name = Edit("set_entity", {"entity": "ann", "type": f"t{revision}"})
    first = (Edit("add_mention", {"positions": [0], "entity": "ann"}),) if revision == 1 else ()
    return Operation(revision, (*first, name))


def main(place: str, layer: int) -> None:
    layers = open_store(place).layers
    head = layers.state(layer).revision
    client = f"writer-{os.getpid()}-{head}"
    while True:
        size = 1 + head * 7 % LARGEST
        batch = [operation(revision) for revision in range(head + 1, head + size + 1)]
        done = layers.append(layer, head, batch, client=client)
        assert isinstance(done, Appended)
        assert done.revision == head + size
        head = done.revision
        sys.stdout.write(f"{head}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
