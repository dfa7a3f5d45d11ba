"""Write the card of a model: `python -m benchmarks card [MODEL] [-o FILE]` (default: en-small, in its folder).

MODEL is the folder of a model, or a chain of resolvers. `{corpus}` in it is replaced by the annotation scheme of the
corpus that is scored: `FOLDER@{corpus}` uses that of GUM on GUM and GAP, and that of LitBank on LitBank. Facts that
cannot be measured, such as the licence of the weights, are in the file `card.toml` of the folder.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coindex.resolvers.neural.folder import decode_settings
from coindex.resolvers.resolver import find_shipped_folder
from coindex.training.card import Card, GenderBalance, Reliability, Speed, model_card

from ..calibration import FIGURE, draw, measure
from ..gap import FILE, measured
from ..gap.examples import read_examples
from ..measuring import RESULTS, data_folder
from ..replacing import CORPORA
from ..systems import System, load_system
from .evaluating import DEVS, evaluate

FACTS, PAGE = "card.toml", "MODEL_CARD.md"
LICENCES = {
    "gum": "CC BY-NC-SA 4.0 (texts vary)",
    "litbank": "CC BY 4.0",
    "parcorfull": "CC BY-NC 4.0",
    "ecbplus": "CC BY 3.0",
}


def main(arguments: Sequence[str]) -> None:
    options = _parsed(arguments)
    evaluations = [
        evaluate(dev, load_system(options.model.replace("{corpus}", dev.scheme)), trees=options.trees) for dev in DEVS
    ]
    system = load_system(options.model.replace("{corpus}", DEVS[0].scheme))
    folder = Path(options.model.partition("@")[0])
    rows = _calibration(options.model, system)
    card = Card(
        name=system.short_name,
        evaluations=evaluations,
        description=system.description,
        licences={**LICENCES, **system.description.get("licences", {})},
        gender=None if options.no_gap else _gender(system),
        reliability=_reliability(rows),
        diagram=FIGURE if rows else "",
        speed=_speed(system),
        size=system.megabytes,
        **_facts(folder / FACTS),
    )
    text = model_card(card)
    own = folder / PAGE if (folder / FACTS).exists() else RESULTS / f"card-{_file_name(system.short_name)}.md"
    path = options.output or own
    path.write_text(text, encoding="utf-8")
    if rows:
        draw(rows, path.with_name(FIGURE))
    print(text)


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks card", description=__doc__)
    shipped = f"{find_shipped_folder('en-small')}@{{corpus}}"
    parser.add_argument("model", nargs="?", default=shipped, help="folder of a model, or a chain of resolvers")
    parser.add_argument(
        "-o", "--output", type=Path, help="file to write (default: in the model's folder or in results/)"
    )
    parser.add_argument("--trees", action="store_true", help="use gold or parsed trees, for resolvers that need them")
    parser.add_argument("--no-gap", action="store_true", help="leave out the gender balance, which takes longest")
    return parser.parse_args(arguments)


def _file_name(name: str) -> str:
    return "".join(char if char.isalnum() or char == "-" else "_" for char in name)


def _gender(system: System) -> GenderBalance:
    row = measured(system, list(read_examples(data_folder() / FILE)))["aligned"]
    return GenderBalance(
        file="GAP, development file",
        **{group: 100 * row[group]["f1"] for group in ("feminine", "masculine", "overall")},
        bias=row["bias"],
    )


def _calibration(model: str, system: System) -> list[dict[str, Any]]:
    """Return the calibration of a neural model; other resolvers have no probabilities."""
    if not system.description:
        return []
    pipes = {scheme: load_system(model.replace("{corpus}", scheme)).pipe for scheme in CORPORA}
    return measure(pipes, decode_settings(system.description["config"]).calibration)


def _reliability(rows: Sequence[dict[str, Any]]) -> list[Reliability]:
    return [
        Reliability(kind=row["kind"], number=row["number"], error=row["shipped"], other=row["litbank"]) for row in rows
    ]


def _speed(system: System) -> Speed | None:
    """Return the results of `python -m benchmarks learned`, if there are any."""
    path = RESULTS / "learned.json"
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"speed": []}
    for row in data["speed"]:
        if row["system"] in (system.name, system.short_name):
            machine = f"{data['machine']['cpu']}, {data['machine']['date']}"
            return Speed(
                words_per_second=row["words"] / row["seconds"],
                load_seconds=row["load_seconds"],
                megabytes=row["megabytes"],
                machine=machine,
            )
    return None


def _facts(path: Path) -> dict[str, Any]:
    """Read the file of facts: the licence of the weights, notes, known weaknesses."""
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
