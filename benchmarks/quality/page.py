"""The page of results: a table for each question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .anaphora import TASKS
from .coreference import FLOOR, FOUND, GIVEN, OLD_PROFILE, WAYS
from .published import PUBLISHED
from .rows import Misfit, Row

NOTES = """
CoNLL in percent, without singletons, unless a heading says otherwise; the signature tells all settings. Where a corpus
has trees, mentions match by their heads, elsewhere exactly. Each number can be had again by

    coindex resolve KEY -r CHAIN --mentions MENTIONS --language CODE -o response.conllu
    coindex score KEY response.conllu

with the options that its signature tells. `quality.json`, beside this page, and `coindex resolvers NAME` have the
chains in full.

No number is from data that nobody looked at. The errors and thresholds of `sieves` are from GUM train, and while it was
written its scores on GUM dev, AnCora dev, FAUST, Democrat dev, KorKor train and dev, and, late, ParCorFull were
watched: these are its development sets. LitBank and RuCoCo were scored in between, not worked on. The options below
were chosen on the corpora that they stand beside. The simpler resolvers were tried on most corpora here. `en-small` was
trained on GUM train, LitBank train and ParCorFull train; what is averaged in it, its biases, how many candidates it
looks at and the size of its windows were chosen on GUM dev and LitBank dev, so its numbers there are a little too good.
It uses words, sentences and speakers, never trees: "words only" takes the speakers from it too. `xx-ud` stands beside
corpora that it has not learned from; the dev parts of GUM, KorKor and LitBank were watched while it was made. No test
part of any corpus was used for anything.

"Parsed" says that columns were filled by spaCy (`en_core_web_sm`) or natasha; those of GUM were taken away before.
"Words only" says that they were taken away, and heads are guessed. GerDraCor has each act as often as it was annotated.
FAUST's documents are collections of unrelated sentences.
""".strip()
MATCHES = """
`propn-merge` leaves nothing of a mention but its head, and `simple-rules` ends with it, so both lose where mentions
must match exactly. `ne-post` uses the names of the corpus or parser; elsewhere those of a spaCy pipeline, where one is
installed for the language.
""".strip()
PRONOUNS = """
Without tags few German and Russian pronouns are known, for the lists have only those that tags say too little of: hence
the low numbers of `nearest-np` and `are-baseline` on Potsdam and on RuCoCo before it is parsed.
""".strip()
OLD = """
Published: Žabokrtský et al. 2022, table 6, **on the test parts** of CorefUD 1.0. That is not the data of the columns
beside it, so the two only tell a range. CoNLL with partial match, as then: a head alone matches, a word too many does
not, which favours the steps that cut mentions short. *berulasek* (`propn-merge`) and *moravec* (`ne-post`) came after a
neural baseline, here they come after `sieves`: these columns tell what a step changes.
""".strip()
TASK_NOTES = """
Success rate (task 1), pronouns with partial credit (task 3), and MUC (tasks 2 and 4) in the way of ARE 2007 (Orăsan et
al. 2008), on other texts than its own. Recall, precision and F1; in task 1 they are one number. What is a
pronoun is told by tags, else by a list, so that the rows of GUM differ in a few of some 1,900 pronouns.
""".strip()


def results_page(rows: Sequence[Row], misfits: Sequence[Misfit]) -> str:
    conll = [row for row in rows if row.measured.measure == "CoNLL"]
    parts = [
        NOTES,
        "## Mentions found",
        *_pivot(conll, "detected", FOUND),
        MATCHES,
        "## Mentions given",
        *_pivot(conll, "given", GIVEN),
        PRONOUNS,
        "## Mentions of chains given, no singletons among them",
        *_pivot(conll, "given-nonsingleton", GIVEN),
        "## Options that suit a corpus",
        _table(("chain", "corpus", "mentions", "CoNLL", "signature"), map(_plain, _with_options(conll))),
        "## The same in other ways",
        "Mentions found. Mention F1 is by the main match of the corpus.",
        _table(("chain", "corpus", *WAYS, "mention F1"), _other_ways(conll)),
        "## simple-rules and the steps of CRAC 2022",
        OLD,
        _table(
            (
                *("corpus", f"simple-rules, {OLD_PROFILE}", "published, test part"),
                *("propn-merge", "published, test part", "ne-post", "published, test part"),
            ),
            _beside_published(conll),
        ),
        "## Pronouns and chains as in ARE 2007",
        TASK_NOTES,
        _table(("corpus", *(f"{task.number}: {task.resolver}" for task in TASKS)), _tasks(rows)),
        "## Every mention alone, and across documents",
        _table(("chain", "corpus", "mentions", "measure", "", "signature"), _others(rows)),
        "## Left out",
        "GerDraCor and OpenBoek have tags of their own; UPOS is what is missing there.",
        "\n".join(_left_out(misfits)),
    ]
    return "\n\n".join(parts)


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    cells = [heads, ["---"] * len(heads), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _shown(system: str) -> str:
    return system.replace("{names} + ", "")


def _signature(row: Row) -> str:
    return f"<code>{row.measured.signature.replace('|', '&#124;')}</code>"  # a bar would end the cell


def _by_corpus(rows: Iterable[Row]) -> dict[str, dict[str, Row]]:
    """Return the rows by corpus and system."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(row.measured.corpus, {})[row.system] = row
    return found


def _pivot(rows: Iterable[Row], mentions: str, systems: Sequence[str]) -> Iterator[str]:
    """Return a table with one line per corpus; all its numbers have one signature."""
    lines = []
    for corpus, of in _by_corpus(row for row in rows if row.measured.mentions == mentions).items():
        numbers = [f"{of[system].measured.number:.1f}" if system in of else "" for system in systems]
        (signature,) = {_signature(row) for row in of.values()}
        lines.append([corpus, *numbers, signature])
    yield _table(["corpus", *map(_shown, systems), "signature"], lines)


def _with_options(rows: Sequence[Row]) -> Iterator[Row]:
    for row in rows:
        if row.system not in FOUND:
            same = (row.measured.corpus, row.measured.mentions)
            name = row.system.partition("(")[0]
            yield from (o for o in rows if o.system == name and (o.measured.corpus, o.measured.mentions) == same)
            yield row


def _plain(row: Row) -> list[str]:
    it = row.measured
    return [it.chain, it.corpus, it.mentions, f"{it.number:.2f}", _signature(row)]


def _other_ways(rows: Iterable[Row]) -> Iterator[list[str]]:
    names = [*WAYS, "mention F1"]
    for row in rows:
        if "mention F1" in row.more:
            cells = [f"{row.more[name]:.2f}" if name in row.more else "" for name in names]
            yield [_shown(row.system), row.measured.corpus, *cells]


def _beside_published(rows: Sequence[Row]) -> Iterator[list[str]]:
    for corpus, of in _by_corpus(row for row in rows if OLD_PROFILE in row.more).items():
        old = {system: row.more[OLD_PROFILE] for system, row in of.items()}
        cells = [f"{old['simple-rules']:.2f}", "", f"{old['sieves + propn-merge'] - old['sieves']:+.2f}", "", "", ""]
        with_names = "{names} + sieves + ne-post"
        if with_names in old:
            cells[4] = f"{old[with_names] - old['sieves']:+.2f}"
        if it := PUBLISHED.get(corpus):
            cells[1] = f"{it.simple_rules:.2f} ({it.corpus})"
            cells[3], cells[5] = f"{it.berulasek - it.baseline:+.2f}", f"{it.moravec - it.baseline:+.2f}"
        yield [corpus, *cells]


def _tasks(rows: Iterable[Row]) -> Iterator[list[str]]:
    measures = [task.measure for task in TASKS]
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        it = row.measured
        if it.measure in measures:
            three = (row.more["recall"], row.more["precision"], it.number)
            text = " / ".join(f"{value:.1f}" for value in dict.fromkeys(three))
            found.setdefault(it.corpus, {})[it.measure] = text
    for corpus, of in found.items():
        yield [corpus, *(of[measure] for measure in measures)]


def _others(rows: Iterable[Row]) -> Iterator[list[str]]:
    for row in rows:
        it = row.measured
        if row.system == FLOOR or "CoNLL of" in it.measure:
            yield [it.chain, it.corpus, it.mentions, it.measure, f"{it.number:.2f}", _signature(row)]


def _left_out(misfits: Iterable[Misfit]) -> Iterator[str]:
    """Return a line for each system and reason, with all corpora that it applies to."""
    found: dict[tuple[str, str], list[Misfit]] = {}
    for misfit in misfits:
        found.setdefault((misfit.system, misfit.reason), []).append(misfit)
    for (system, reason), cases in found.items():
        only_found = system in GIVEN and {case.mentions for case in cases} == {"detected"}
        where = "; ".join(dict.fromkeys(case.corpus for case in cases))
        yield f"- {_shown(system)}{' with mentions found' if only_found else ''}: {reason} ({where})"
