"""What users, scripts, model folders and databases rely on, as text: the content of the golden files."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

import coindex
from coindex import errors
from coindex.analysis.reports import all_reports
from coindex.analysis.writers import FORMS
from coindex.annotation.schemas import READY as SCHEMAS
from coindex.campaigns.definition import READY as CAMPAIGNS
from coindex.campaigns.definition import load_campaign
from coindex.cli.main import cli
from coindex.document.edit_log import EDITS
from coindex.document.heads import REDUCTIONS
from coindex.formats.losses import FEATURES
from coindex.formats.registry import Option, all_formats
from coindex.resolvers.companions import KNOWN
from coindex.resolvers.cross.features import FEATURES as CROSS_PAIRS
from coindex.resolvers.linguistics.languages import CODES
from coindex.resolvers.neural.pairs import FEATURES as NEURAL_PAIRS
from coindex.resolvers.neural.words import COLUMNS
from coindex.resolvers.registry import MODULES, get_resolver
from coindex.resolvers.resolver import Resolver, find_shipped_folder
from coindex.resolvers.sieves.resolver import SIEVES
from coindex.resolvers.ud.pairs import FEATURES as UD_PAIRS
from coindex.scoring.matching import RULES
from coindex.scoring.metrics.registry import METRICS, VARIANTS, get_metric
from coindex.scoring.profiles import DEFAULT, PROFILES
from coindex.training.config import NAMED
from golden.public_names import public_names, signature

WIDTH = 100
"""Columns of the help texts."""


def to_json(data: object) -> str:
    """Indented JSON, in which lists of plain values are one line each."""
    text = json.dumps(data, indent=1, ensure_ascii=False)
    return re.sub(r"\[\s+[^\[\]{}]+?\s+\]", _one_line, text) + "\n"


def _one_line(found: re.Match[str]) -> str:
    return re.sub(r"(?<=\[)\s+|\s+(?=\])", "", re.sub(r",\s+", ", ", found[0]))


# --- the command line


def help_texts() -> str:
    """`coindex VERB --help` of every verb and of the verbs below it."""
    return "\n".join(f"$ {path} --help\n{text}\n" for path, text in _help(cli, "coindex", None))


def _help(command: click.Command, name: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    context = command.context_class(command, parent=parent, info_name=name, **command.context_settings)
    context.terminal_width = context.max_content_width = WIDTH
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from _help(found, below, context)


# --- names in registries


def registries() -> str:
    """Names that people write in commands, settings and files, without the prose that explains them."""
    return to_json(
        {
            "formats": {found.name: _format(found) for found in all_formats()},
            "features of documents": list(FEATURES),
            "metrics": {name: _metric(name) for name in METRICS},
            "metrics by rules": sorted(f"{rules}: {name}" for rules, name in VARIANTS),
            "rules": {name: _matchings(rules) for name, rules in RULES.items()},
            "profiles": {name: _without(asdict(profile), "source") for name, profile in PROFILES.items()},
            "default profile": DEFAULT,
            "resolvers": {name: _resolver(get_resolver(name)) for name in MODULES},
            "companions": {companion.name: companion.distribution for companion in KNOWN.values()},
            "sieves": {sieve.name: sieve.precision for sieve in SIEVES},
            "languages": list(CODES),
            "head reductions": list(REDUCTIONS),
            "pair features": {"neural": dict(NEURAL_PAIRS), "ud": dict(UD_PAIRS), "cross": list(CROSS_PAIRS)},
            "columns of neural models": dict(COLUMNS),
            "training configurations": sorted(path.stem for path in NAMED.glob("*.toml")),
            "campaigns": {name: _campaign(name) for name in CAMPAIGNS},
            "schemas": {name: _without(schema.to_json(), "title", "rules") for name, schema in SCHEMAS.items()},
            "reports": {report.name: dict(report.tables) for report in all_reports()},
            "table forms": list(FORMS),
            "edits": {name: signature(edit) for name, edit in EDITS.items()},
            "errors": dict(_errors()),
            "entry points": sorted(f"{entry.group}: {entry.name}" for entry in distribution("coindex").entry_points),
        }
    )


def _format(found: Any) -> dict[str, Any]:
    return {
        "carries": sorted(found.carries),
        "extensions": list(found.extensions),
        "reads": found.read is not None,
        "writes": found.write is not None,
        "is_folder": found.is_folder,
        "read_options": _options(found.read_options),
        "write_options": _options(found.write_options),
    }


def _options(options: Iterable[Option]) -> dict[str, list[str]]:
    return {option.name: list(option.choices) for option in options}


def _metric(name: str) -> dict[str, Any]:
    found = get_metric(name)
    return {"title": found.title, "parts": list(found.parts), "with_singletons": found.with_singletons}


def _matchings(rules: Any) -> dict[str, list[str]]:
    return {name: list(matching.align) for name, matching in rules.matchings.items()}


def _resolver(found: Resolver) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "needs": list(found.needs),
        "languages": list(found.languages),
        "mentions": list(found.mentions),
        "collects": found.collects,
        "options": _options(found.options),
    }


def _campaign(name: str) -> dict[str, Any]:
    campaign = load_campaign(name)
    tracks = {track.name: {"profile": track.settings.profile, "primary": track.primary} for track in campaign.tracks}
    return {"counts": campaign.counts, "tracks": tracks, "phases": [phase.name for phase in campaign.phases]}


def _errors() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, cls in inspect.getmembers(errors, inspect.isclass):
        if issubclass(cls, errors.CoindexError | errors.CoindexWarning):
            yield name, {"base": cls.__bases__[0].__name__, "exit_code": getattr(cls, "exit_code", None)}


def _without(table: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name not in names}


# --- model folders

_OPEN = {
    "data",
    "default_styles",
    "licences",
    "pairs",
    "styles",
    "styles.NAME.inside",
    "weights",
    "zeros.languages",
    "zeros.languages.NAME.forms",
    "zeros.weights",
}
"""Tables of model.json whose keys are names of files, corpora, languages or labels, not of settings."""


def model_folders() -> str:
    """The files of each folder that ships, and the keys and types of its model.json."""
    folders = sorted(path for path in find_shipped_folder(".").iterdir() if path.is_dir())
    return to_json({folder.name: folder_shape(folder) for folder in folders})


def trained_folders() -> str:
    """The same of folders that training and export write, one of each kind."""
    from tiny_cross import make_run as make_cross
    from tiny_model import make_run as make_neural
    from tiny_ud import make_run as make_ud

    made = {}
    with TemporaryDirectory() as name:
        base = Path(name)
        runs = {"neural": make_neural(base / "neural")}
        for kind, make in (("ud", make_ud), ("cross", make_cross)):
            (base / kind).mkdir()
            runs[kind] = make(base / kind) / "tiny.toml"
        for kind, config in runs.items():
            best = coindex.train(config, base / kind / "run", changes={"train.epochs": 1})
            made[kind] = folder_shape(best)
        exported, _ = coindex.export(base / "neural" / "run" / "best", base / "exported")
        made["neural, exported"] = folder_shape(exported)
    return to_json(made)


def folder_shape(folder: Path) -> dict[str, Any]:
    described = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    return {"files": sorted(path.name for path in folder.iterdir()), "model.json": shape(described)}


def shape(value: Any, path: str = "") -> Any:
    """The keys and types of a value that was JSON; what a model was scored at is left out."""
    if path.endswith("scores"):
        return "scores"
    if isinstance(value, dict):
        below = f"{path}." if path else ""
        if path in _OPEN:
            return {"NAME": _merged([shape(one, f"{below}NAME") for one in value.values()])}
        return {key: shape(value[key], below + key) for key in sorted(value)}
    if isinstance(value, list):
        return [_merged([shape(one, f"{path}[]") for one in value])] if value else []
    return {bool: "true or false", int: "number", float: "number", str: "string", type(None): "null"}[type(value)]


def _merged(shapes: list[Any]) -> Any:
    """One shape for several: of tables all their keys, of other values what each of them is."""
    tables = [one for one in shapes if isinstance(one, dict)]
    if tables and len(tables) == len(shapes):
        keys = sorted({key for table in tables for key in table})
        return {key: _merged([table[key] for table in tables if key in table]) for key in keys}
    names = sorted({one if isinstance(one, str) else json.dumps(one) for one in shapes})
    return " or ".join(names)


# --- the database and the web app


def database_schema() -> str:
    """The tables of a new SQLite database."""
    from coindex.server.database import Database
    from golden.database import schema_of

    with TemporaryDirectory() as folder:
        database = Database(Path(folder) / "new.db")
        try:
            return to_json(schema_of(database))
        finally:
            database.close()


def web_routes() -> str:
    """Method and path of each route of the web app, with the name where it has one."""
    from starlette.routing import Mount

    from coindex.annotation_app.layers import open_store
    from coindex.serving import app

    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "new.db")
        made = app(store)
        lines = []
        for route in made.routes:
            methods = ["MOUNT"] if isinstance(route, Mount) else sorted(route.methods - {"HEAD"})
            name = "" if route.name == "__call__" else f"  ({route.name})"  # the name of all that were given none
            lines += [f"{method:5} {route.path}{name}" for method in methods]
        made.state.campaigns.close()
        store.close()
    return "\n".join(sorted(lines, key=lambda line: (line.split()[1], line))) + "\n"


SNAPSHOTS: dict[str, Callable[[], str]] = {
    "public-names.txt": public_names,
    "help.txt": help_texts,
    "registries.json": registries,
    "model-folders.json": model_folders,
    "trained-folders.json": trained_folders,
    "database-schema.json": database_schema,
    "web-routes.txt": web_routes,
}
