"""CoNLL-2012: one word a line, coreference as brackets in the last column, any number of columns before it.

Read: the OntoNotes layout (word in column 4) with fewer or more columns, and CoNLL-U's ten columns with
others after them (word in column 2); cells parted by tabs, or by blanks where it has no tabs. Mentions may
cross each other and go over sentence borders. A closing bracket closes the mention opened last of its entity.
Written: the OntoNotes layout, parted by tabs; entity ids as they are where all are numbers, else from 0 on.
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
