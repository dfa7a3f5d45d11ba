"""Calibration: how often mentions and links are right at each probability, and what `--min-link` costs.

`python -m benchmarks calibration [RESOLVER]` (default: en-base). Every second document of GUM dev is used to fit the
lines of `decode.calibration`; the errors are measured on the others and on LitBank dev, which is not used for fitting.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import coindex
from coindex import Document
from coindex.document.entities import mention_order
from coindex.resolvers.companions import companion_folder
from coindex.resolvers.neural.folder import decode_settings, read_description
from coindex.resolvers.neural.resolving import Calibration, Line, calibrate
from coindex.resolvers.resolver import find_shipped_folder
from coindex.training.neural.data import strip_columns

from .measuring import RESULTS, data_folder, save
from .replacing import CORPORA, make_finder
from .systems import Pipe

KINDS = ("link", "new", "mention")
LEVELS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
BINS = 10
FIGURE = "calibration.svg"
MATCH = {"gum": "head", "litbank": "exact"}
NOTES = """
Probabilities of `{resolver}`, from words, sentences and speakers. A *link* is right if the key has the mention and the
mention before it in the predicted entity in one entity. A *new* entity is right if the key has no earlier mention of
it. A *mention* is right if the key has a mention with the same span or head. *ECE*: expected calibration error, the
mean difference between probability and accuracy in ten bins of equal width, weighted by size. Lines on the log-odds
were fitted on every second document of GUM dev and measured on the others. The columns *as shipped* use the calibration
that the model has.
""".strip()
CURVE = """
Scores with `--min-link`: B³ precision and recall and the CoNLL score, without singletons.
""".strip()


class Judged(NamedTuple):
    """A decision of the resolver, its probability, and whether it is right."""

    kind: str
    probability: float
    is_right: bool


def judge(key: Document, resolved: Document) -> Iterator[Judged]:
    """Yield the decisions in a resolved document."""
    find = make_finder(key)
    first = {entity.id: min(entity.mentions, key=mention_order) for entity in key.entities}
    for entity in resolved.entities:
        previous = None
        for mention in sorted(entity.mentions, key=mention_order):
            own = {gold.id for gold in find(mention)}
            if mention.detection_score is not None:
                yield Judged("mention", mention.detection_score, bool(own))
            if mention.score is not None and previous is not None:
                yield Judged("link", mention.score, bool(own & {gold.id for gold in find(previous)}))
            elif mention.score is not None and own:
                starts = any(mention_order(first[id]) >= mention_order(mention) for id in own)
                yield Judged("new", mention.score, starts)
            previous = mention


def fit(rows: Sequence[Judged]) -> Line:
    """Return the line on the log-odds under which the decisions are most likely."""
    odds = np.array([_log_odds(row.probability) for row in rows])
    right = np.array([row.is_right for row in rows])

    def loss(line: Any) -> float:
        scores = np.where(right, 1.0, -1.0) * (line[0] * odds + line[1])
        return float(np.logaddexp(0, -scores).mean())

    slope, intercept = minimize(loss, [1.0, 0.0], method="Nelder-Mead").x
    return float(slope), float(intercept)


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return float(np.log(bounded / (1 - bounded)))


def bins(rows: Iterable[Judged]) -> list[dict[str, float]]:
    """Return the number, the mean probability and the accuracy of the decisions in each bin that is not empty."""
    groups: dict[int, list[Judged]] = {}
    for row in rows:
        groups.setdefault(min(int(row.probability * BINS), BINS - 1), []).append(row)
    return [
        {
            "number": len(group),
            "probability": float(np.mean([row.probability for row in group])),
            "accuracy": float(np.mean([row.is_right for row in group])),
        }
        for _, group in sorted(groups.items())
    ]


def calibration_error(rows: Sequence[Judged]) -> float:
    """Return the expected calibration error in percent."""
    gaps = (group["number"] * abs(group["probability"] - group["accuracy"]) for group in bins(rows))
    return 100 * sum(gaps) / max(1, len(rows))


def compose(inner: Line, outer: Line) -> Line:
    """Return the line that applies one line and then another."""
    return outer[0] * inner[0], outer[0] * inner[1] + outer[1]


def measure(pipes: dict[str, Pipe], own: Calibration) -> list[dict[str, Any]]:
    """Return the calibration of a model by kind of decision. `pipes` resolves by the scheme of each corpus."""
    judged: dict[str, list[list[Judged]]] = {}
    for corpus, pipe in pipes.items():
        keys = list(coindex.read(data_folder() / CORPORA[corpus]))
        resolved = pipe(map(strip_columns, keys))
        judged[corpus] = [list(judge(key, doc)) for key, doc in zip(keys, resolved, strict=True)]
    rows = []
    for kind in KINDS:
        fitting, measured = (_select(judged["gum"][start::2], kind) for start in (0, 1))
        line = fit(fitting)
        corrected = [row._replace(probability=calibrate(row.probability, line)) for row in measured]
        rows.append(
            {
                "kind": kind,
                "number": len(measured),
                "shipped": calibration_error(measured),
                "fitted": calibration_error(corrected),
                "litbank": calibration_error(_select(judged["litbank"], kind)),
                "line": compose(getattr(own, kind), line),
                "bins": bins(measured),
                "fitted_bins": bins(corrected),
            }
        )
    return rows


def main(arguments: Sequence[str] = ()) -> None:
    parser = ArgumentParser(prog="python -m benchmarks calibration", description=__doc__)
    parser.add_argument("resolver", nargs="?", default="en-base")
    resolver = parser.parse_args(arguments).resolver
    rows = measure({c: coindex.load(f"{resolver}(scheme={c})").pipe for c in CORPORA}, _current(resolver))
    curves: dict[str, list[dict[str, float]]] = {}
    for corpus, path in CORPORA.items():
        keys = list(coindex.read(data_folder() / path))
        docs = list(map(strip_columns, keys))
        curves[corpus] = [_score(resolver, corpus, least, keys, docs) for least in LEVELS]
    save("calibration", {"resolver": resolver, "rows": rows, "curves": curves}, table(resolver, rows, curves))
    draw(rows, RESULTS / FIGURE)


def _select(docs: Iterable[Iterable[Judged]], kind: str) -> list[Judged]:
    return [row for doc in docs for row in doc if row.kind == kind]


def _current(resolver: str) -> Calibration:
    """Return the calibration of a model that is shipped, installed or in a folder."""
    folder = Path(resolver) if Path(resolver).is_dir() else find_shipped_folder(resolver)
    if not folder.is_dir():
        folder = companion_folder(resolver)
    return decode_settings(read_description(folder, check_files=False)["config"]).calibration


def _score(
    resolver: str, corpus: str, least: float, keys: Sequence[Document], docs: Sequence[Document]
) -> dict[str, float]:
    chain = coindex.load(f"{resolver}(scheme={corpus}, min-link={least})")
    result = coindex.score(list(keys), list(chain.pipe(docs)), match=MATCH[corpus], singletons=False)
    b3 = result["b3"]
    return {
        "min_link": least,
        "precision": 100 * b3.precision,
        "recall": 100 * b3.recall,
        "conll": 100 * (result.conll or 0),
    }


def table(resolver: str, rows: Sequence[dict[str, Any]], curves: dict[str, list[dict[str, float]]]) -> str:
    """Return the page."""
    lines = [
        NOTES.format(resolver=resolver),
        "",
        "| probability of | decisions | ECE as shipped | ECE, fitted line | LitBank, as shipped | slope | intercept |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {row['kind']} | {row['number']:,} | {row['shipped']:.1f} | {row['fitted']:.1f} | {row['litbank']:.1f} "
        f"| {row['line'][0]:.3f} | {row['line'][1]:.3f} |"
        for row in rows
    ]
    names = " | ".join(f"{corpus}: precision | recall | CoNLL" for corpus in curves)
    lines += ["", f"![Reliability diagram]({FIGURE})", "", CURVE, "", f"| min-link | {names} |"]
    lines.append("|--:" * (1 + 3 * len(curves)) + "|")
    for number, least in enumerate(LEVELS):
        cells = [f"{curve[number][name]:.1f}" for curve in curves.values() for name in ("precision", "recall", "conll")]
        lines.append(f"| {least:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the reliability diagram."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "coindex"  # the same file each time
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(rows), figsize=(9, 3.2), sharey=True)
    for axis, row in zip(axes, rows, strict=True):
        axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        for name, style, label in (("bins", "o-", "as shipped"), ("fitted_bins", "s--", "fitted")):
            axis.plot(
                [group["probability"] for group in row[name]],
                [group["accuracy"] for group in row[name]],
                style,
                markersize=4,
                label=label,
            )
        axis.set(title=row["kind"], xlabel="probability", xlim=(0, 1), ylim=(0, 1))
    axes[0].set_ylabel("right")
    axes[0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
