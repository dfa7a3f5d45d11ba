"""CorefUD: CoNLL-U or CoNLL-U Plus with `Entity`, `Bridge` and `SplitAnte` in the MISC column.

An unchanged document is written back byte for byte; a changed one differs only at the words whose mentions changed.
"""

from ..losses import FEATURES
from ..registry import Format, Option
from .brackets import find_borders
from .reader import read
from .writer import write

FORMAT = Format(
    name="corefud",
    summary="CoNLL-U with Entity, Bridge and SplitAnte in MISC: all of UD, zeros, heads, discontinuous mentions",
    carries=frozenset(FEATURES) - {"cross-sentence", "entity-attributes", "deixis"},
    read=read,
    write=write,
    write_options=(
        Option("columns", ("all", "standard"), "write the columns of CoNLL-U Plus, or only the ten of CoNLL-U"),
        Option("sent_ids", ("unique", "kept"), "make the ids of new sentences unique in the file, or keep them"),
    ),
    borders=find_borders,
)
