"""`coindex demo`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

import click

from ..document import Document
from ..errors import CoindexError, LossWarning
from .help import Command, option
from .options import colour_option

PAGE = "demo/entities.html"


class Example(NamedTuple):
    """A text in examples/ and what it demonstrates."""

    file: str
    about: str
    language: str


RAW = Example("story.txt", "raw text: split into sentences and words, then resolved", "en")
ZEROS = Example("cartero.conllu", "Spanish with dependency trees; ∅ marks dropped subjects", "es")
KEY = Example("garden.conllu", "English with dependency trees and gold coreference as key", "en")


@click.command("demo", cls=Command)
@option("-o", "--output", default=PAGE, type=click.Path(dir_okay=False), section="Output", help="HTML page to write.")
@colour_option
def command(output: str, colour: str) -> None:
    """Resolve, show and score example texts.

    Resolves three example texts, shows them in the terminal, scores one of them against its key, and writes an HTML
    page.

    \b
    Examples:
      coindex demo
      coindex demo -o entities.html --colour always
    """
    from ..analysis.tables import scores_table
    from ..analysis.writers import render
    from ..api import score, write

    warnings.simplefilter("ignore", LossWarning)  # a view may drop information
    resolved: list[Document] = []
    for example in (RAW, ZEROS, KEY):
        doc, resolver = _resolve(example)
        _print_heading(
            f"coindex resolve {example.file} --language {example.language}", f"{example.about} (by {resolver})"
        )
        resolved.append(doc)
        write(doc, "-", "terminal", colour=colour, singletons="hidden")
        click.echo()
    _print_heading(f"coindex score {KEY.file} RESPONSE", "the last document scored against its key")
    result = score(_find_file(KEY), resolved[-1])
    click.echo(render([scores_table(result)], "text"), nl=False)
    write(resolved, output, "html", singletons="hidden")
    click.echo()
    click.echo(f"wrote {output}: open it in a browser")


def _print_heading(what: str, about: str) -> None:
    click.secho(f"$ {what}", bold=True, fg="cyan")
    click.secho(f"  {about}\n", dim=True)


def _resolve(example: Example) -> tuple[Document, str]:
    """Return the document of an example, resolved as `coindex resolve` does, and the name of the resolver."""
    from ..api import read
    from ..corpora.resolving import ResolveSettings, resolve_documents

    chosen: list[str] = []
    settings = ResolveSettings(language=example.language)
    (doc,) = resolve_documents(read(_find_file(example)), settings, on_chain=chosen.append)
    return doc, chosen[0]


def _find_file(example: Example) -> Path:
    """Return the path of an example: in the package, or in the repository for an editable installation."""
    package = Path(__file__).parents[1]
    for folder in (package / "examples", package.parents[1] / "examples"):
        if (folder / example.file).is_file():
            return folder / example.file
    raise CoindexError(
        "the example file is missing; reinstall coindex",
        code="unreadable-file",
        path=package / "examples" / example.file,
    )
