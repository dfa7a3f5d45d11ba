"""CorefUD: CoNLL-U or CoNLL-U Plus whose MISC column carries `Entity`, `Bridge` and `SplitAnte`.

An unchanged document is written back byte for byte; a changed one differs only at the words whose mentions changed.
"""

from ..losses import FEATURES
from ..registry import Format, Head, Option, Role
from .borders import find_borders
from .columns import is_columns_line
from .reader import read
from .writer import write

FORMAT_EXTENSIONS = (".conllu", ".conllup")


def detect(head: Head) -> Role:
    """CoNLL-U: comment lines, then a line of ten tab-separated columns that begins with a word id.

    CoNLL-U Plus: a first line that names the columns.
    """
    if is_columns_line(head.text):
        return "main"
    for line in head.text.split("\n"):
        line = line.rstrip("\r")
        if line.startswith(("#begin document", "# begin document")):
            return "no"
        if not line or line.startswith("#"):
            if line.startswith(("# global.Entity", "# global.columns", "# newdoc", "# sent_id", "# text =")):
                return "main"
            continue
        columns = line.split("\t")
        looks_right = len(columns) == 10 and columns[0].replace("-", "").replace(".", "").isdigit()
        return "main" if looks_right or head.path.suffix in FORMAT_EXTENSIONS else "no"
    return "main" if head.path.suffix in FORMAT_EXTENSIONS else "no"


FORMAT = Format(
    name="corefud",
    summary="CoNLL-U with Entity, Bridge and SplitAnte in MISC: all of UD, zeros, heads, discontinuous mentions",
    carries=frozenset(FEATURES) - {"cross-sentence", "entity-attributes"},
    extensions=FORMAT_EXTENSIONS,
    detect=detect,
    read=read,
    write=write,
    write_options=(
        Option("columns", ("all", "standard"), "write the columns of CoNLL-U Plus, or only the ten of CoNLL-U"),
        Option("sent_ids", ("unique", "kept"), "make the ids of new sentences unique in the file, or keep them"),
    ),
    borders=find_borders,
)
