"""The page of results: a table for each question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .anaphora import TASKS
from .coreference import FLOOR, FOUND, GIVEN, OLD_PROFILE, WAYS
from .published import PUBLISHED
from .rows import Misfit, Row

NOTES = """
CoNLL F1 in percent, without singletons unless a heading says otherwise; the signature records all settings. Mentions
match by head in corpora with trees and exactly in others. Reproduce a number with

    coindex resolve KEY -r CHAIN --mentions MENTIONS --language CODE -o response.conllu
    coindex score KEY response.conllu

and the options in its signature. `quality.json` and `coindex resolvers NAME` contain the complete chains.

All numbers are from development data. The rules and thresholds of `sieves` were developed on GUM train, with GUM dev,
AnCora dev, FAUST, Democrat dev, KorKor train and dev and, late, ParCorFull as development sets. LitBank and RuCoCo were
only scored from time to time. The options below were chosen on the corpora in the same row. The simpler resolvers were
tried on most of these corpora. `en-small` was trained on GUM train, LitBank train and ParCorFull train; its averaging,
biases, number of candidates and window size were chosen on GUM dev and LitBank dev, so its scores there are optimistic.
It uses words, sentences and speakers, never trees; "words only" removes the speakers too. `xx-ud` is listed for corpora
that it was not trained on; the dev parts of GUM, KorKor and LitBank were used to choose its settings. No test part was
used.

Rows without "parsed" or "words only" use the tags and trees of the corpus if it has them. "Parsed": the columns come
from spaCy (`en_core_web_sm`) or natasha; those of GUM were removed first. "Words only": the columns were removed, and
heads are guessed. GerDraCor contains each act as often as it was annotated. The documents of FAUST are collections of
unrelated sentences.
""".strip()
MATCHES = """
`propn-merge` reduces mentions to their heads, and `simple-rules` ends with it, so both lose where mentions must match
exactly. `ne-post` uses the names of the corpus or parser, or otherwise those of a spaCy pipeline if one is installed
for the language.
""".strip()
PRONOUNS = """
Without tags, few German and Russian pronouns are recognised, because the word lists contain only those that tags do not
identify. This explains the low scores of `nearest-np` and `are-baseline` on Potsdam and on RuCoCo without a parse.
""".strip()
OLD = """
Published: Žabokrtský et al. 2022, Table 6, **on the test parts** of CorefUD 1.0. These are other data than those of
the neighbouring columns, so only the range is comparable. CoNLL with partial match, as in 2022: a head alone matches,
a mention with an extra word does not, which favours steps that shorten mentions. *berulasek* (`propn-merge`) and
*moravec* (`ne-post`) were applied to a neural baseline, here to `sieves`: these columns show what a step changes.
""".strip()
TASK_NOTES = """
Success rate (task 1), pronouns with partial credit (task 3), and MUC (tasks 2 and 4) as in ARE 2007 (Orăsan et al.
2008), on other texts. Recall, precision and F1; in task 1 they are equal. Pronouns are recognised by tags, or
otherwise by a list, so the rows of GUM differ in a few of about 1,900 pronouns.
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
        "## Given mentions without singletons",
        *_pivot(conll, "given-nonsingleton", GIVEN),
        "## Options chosen for a corpus",
        _table(("chain", "corpus", "mentions", "CoNLL", "signature"), map(_plain, _with_options(conll))),
        "## Other matchings and singletons",
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
        "## Singletons only, and across documents",
        _table(("chain", "corpus", "mentions", "measure", "", "signature"), _others(rows)),
        "## Left out",
        "GerDraCor and OpenBoek use other tag sets and have no UPOS.",
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
