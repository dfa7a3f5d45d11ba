"""CorefUD: CoNLL-U whose MISC column carries `Entity`, `Bridge` and `SplitAnte`.

An unchanged document is written back byte for byte; a changed one differs only at the words whose mentions changed.
"""

from ..losses import FEATURES
from ..registry import Format, Head, Option, Role
from .borders import find_borders
from .reader import read
from .writer import write

FORMAT_EXTENSIONS = (".conllu",)


def detect(head: Head) -> Role:
    """CoNLL-U: comment lines, then a line of ten tab-separated columns that begins with a word id."""
    for line in head.text.split("\n"):
        line = line.rstrip("\r")
        if line.startswith(("#begin document", "# begin document")):
            return "no"
        if not line or line.startswith("#"):
            if line.startswith(("# global.Entity", "# newdoc", "# sent_id", "# text =")):
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
        Option("sent_ids", ("unique", "kept"), "make the ids of new sentences unique in the file, or keep them"),
    ),
    borders=find_borders,
)
