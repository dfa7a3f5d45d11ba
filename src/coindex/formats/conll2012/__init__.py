"""CoNLL-2012: one word per line, coreference as brackets in the last column, any number of columns before it.

The reader accepts the OntoNotes layout (word in column 4) with fewer or more columns, and the ten columns of CoNLL-U
followed by others (word in column 2). Cells are separated by tabs, or by spaces in files without tabs. Mentions may
cross each other and sentence boundaries. A closing bracket closes the last opened mention of its entity.

The writer uses the OntoNotes layout, separated by tabs. Entity ids are kept if all are numbers; otherwise entities are
numbered from 0.
"""

from ..registry import Format, Option
from .reader import read
from .writer import write

FORMAT = Format(
    name="conll2012",
    summary="CoNLL-2012: brackets in the last column, any columns before it, parts, speakers",
    carries=frozenset({"sentences", "speakers", "cross-sentence", "entities"}),
    read=read,
    write=write,
    read_options=(
        Option(
            "columns",
            ("regular", "any"),
            "any: rows may have any number of columns; only the last counts, as for the CoNLL reference scorer",
        ),
    ),
)
