"""`coindex demo`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

import click

from ..document import Document
from ..errors import CoindexError, LossWarning

PAGE = "demo/entities.html"


class Example(NamedTuple):
    """A text of examples/, and what is to be seen in it."""

    file: str
    about: str
    language: str


RAW = Example("story.txt", "raw text: words and sentences are found first, then who is who", "en")
ZEROS = Example("cartero.conllu", "Spanish with dependency trees; ∅ are subjects that nobody said", "es")
KEY = Example("garden.conllu", "English with dependency trees, and a key that says what is right", "en")


@click.command("demo")
@click.option(
    "-o", "--output", default=PAGE, type=click.Path(dir_okay=False), help=f"The HTML page; {PAGE} if not told."
)
@click.option(
    "--colour", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours in the terminal."
)
def command(output: str, colour: str) -> None:
    """Resolve example texts that come with coindex, show them, score one against its key, and write an HTML page."""
    from ..analysis.results import scores_table
    from ..analysis.writers import render
    from ..api import score, write

    warnings.simplefilter("ignore", LossWarning)  # a view need not carry everything
    resolved: list[Document] = []
    for example in (RAW, ZEROS, KEY):
        doc, resolver = _resolve(example)
        _heading(f"coindex resolve {example.file} --language {example.language}", f"{example.about}; by {resolver}")
        resolved.append(doc)
        write(doc, "-", "terminal", colour=colour, singletons="hidden")
        click.echo()
    _heading(f"coindex score {KEY.file} RESPONSE", "the last one beside its key")
    result = score(_path(KEY), resolved[-1])
    click.echo(render([scores_table(result)], "text"), nl=False)
    write(resolved, output, "html", singletons="hidden")
    click.echo()
    click.echo(f"wrote {output}: open it in a browser")


def _heading(what: str, about: str) -> None:
    click.secho(f"$ {what}", bold=True, fg="cyan")
    click.secho(f"  {about}\n", dim=True)


def _resolve(example: Example) -> tuple[Document, str]:
    """The one document of an example, resolved as `coindex resolve` does, and by what."""
    from ..api import read
    from ..corpora.resolving import ResolveSettings, resolve_documents

    chosen: list[str] = []
    settings = ResolveSettings(language=example.language)
    (doc,) = resolve_documents(read(_path(example)), settings, on_chain=chosen.append)
    return doc, chosen[0]


def _path(example: Example) -> Path:
    """Where it is: in the package, or in the clone that is installed in place."""
    package = Path(__file__).parents[1]
    for folder in (package / "examples", package.parents[1] / "examples"):
        if (folder / example.file).is_file():
            return folder / example.file
    raise CoindexError(
        "not there; expected an example; install coindex again",
        code="unreadable-file",
        path=package / "examples" / example.file,
    )
