"""`coindex resolve`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ..document import Document
from ..errors import LossWarning
from ..formats.registry import format_for_output, get_format
from ..resolvers.resolver import MENTIONS, Mentions
from .cross import cross_options, cross_settings, refuse_with_cross, resolve_cross
from .folder_runs import finish_joint, run_plan
from .options import ChainText, inputs_argument, language_option, reading_options, to_option, zeros_option
from .progress import inform, with_progress

if TYPE_CHECKING:
    from ..corpora.folders import Ways
    from ..corpora.resolving import ResolveSettings
    from ..resolvers.ud.zeros import Zeros

FOLDER_FORMAT = "corefud"


@click.command("resolve")
@inputs_argument
@click.option(
    "-r",
    "--resolver",
    type=ChainText(),
    help="A resolver, or steps joined by +, such as 'sieves + heads'; `coindex resolvers` lists them. "
    "Without it one is chosen that fits the first document.",
)
@click.option("-o", "--output", type=click.Path(allow_dash=True), help="A file for all, or a folder for a file each.")
@click.option("--mentions", type=click.Choice(MENTIONS), default="detected", help="Find mentions, or take the input's.")
@click.option("--keep-entities", is_flag=True, help="Begin with the entities of the input; else they are ignored.")
@click.option(
    "--min-link", type=click.FloatRange(0, 1), help="The least probability of a link, for resolvers that give one."
)
@click.option(
    "--singletons/--no-singletons",
    default=None,
    help="Keep entities of one mention, or leave them out; else as the resolver has it.",
)
@language_option("texts that do not say theirs")
@zeros_option
@click.option("--parser", type=ChainText("parser"), help="Parses documents without trees first: 'spacy(MODEL)'.")
@click.option("--keep", multiple=True, metavar="SPAN", help="With --to resolved: text that stays as it is; repeatable.")
@click.option("--jobs", "-j", type=click.IntRange(min=0), default=1, help="Processes; 0: one per CPU.")
@click.option("--overwrite", is_flag=True, help="In a folder: repeat files that are done already.")
@cross_options
@reading_options("--read-option")
@to_option
@click.pass_context
def command(
    ctx: click.Context,
    inputs: tuple[str, ...],
    resolver: str | None,
    output: str | None,
    mentions: Mentions,
    keep_entities: bool,
    min_link: float | None,
    singletons: bool | None,
    language: str | None,
    zeros: Zeros | None,
    parser: str | None,
    keep: tuple[str, ...],
    jobs: int,
    overwrite: bool,
    cross: bool,
    topics: str | None,
    state: str | None,
    from_format: str | None,
    to_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    write_options: tuple[tuple[str, str], ...],
) -> None:
    """Find the entities of INPUTS: raw text or any format, files, folders or -.

    Without -o and --to the result is shown. With a folder as -o (there already, or with / at its end, or for several
    inputs a name without a known ending) each input file gets an output file, and a second run skips what is done.
    Files of a folder may have different formats; those that cannot be read are listed, and the exit code is 1.

    \b
    coindex resolve story.txt
    coindex resolve story.txt -o story.json --to json
    coindex resolve corpus/ -r sieves -o resolved/ --jobs 4
    coindex resolve news/ --cross -o news.html
    coindex resolve roman.conllu --language es --zeros predict -o resolved.conllu
    echo "Ann said she was late." | coindex resolve - --to resolved
    """
    from ..corpora.folders import Ways, goes_to_folder, plan_folder
    from ..corpora.resolving import ResolveSettings

    if keep and to_format is None and output is None:
        raise click.UsageError("--keep protects text in resolved text only; expected it with: --to resolved")
    settings = ResolveSettings(
        resolver=resolver,
        mentions=mentions,
        keep_entities=keep_entities,
        language=language,
        parser=parser,
        min_link=min_link,
        singletons=singletons,
        zeros=zeros,
    )
    ways = Ways(
        to=to_format,
        format=from_format,
        read_options=dict(read_options),
        write_options=dict(write_options) | _kept(keep),
    )
    if cross:
        refuse_with_cross(keep_entities=keep_entities, jobs=jobs, zeros=zeros is not None)
        ctx.exit(resolve_cross(inputs, output, cross_settings(settings, topics, state), ways))
    if topics is not None or state is not None:
        raise click.UsageError("--topics and --state are for documents that are resolved together; add --cross")
    if output is None or output == "-" or not goes_to_folder(inputs, output, to_format):
        ctx.exit(_resolve_together(inputs, output, settings, ways, jobs))
    ways = replace(ways, to=to_format or FOLDER_FORMAT)
    plan = plan_folder(inputs, output, ways, overwrite=overwrite)
    ctx.exit(run_plan(plan, settings, ways, jobs=jobs, on_chain=_name_choice(settings)))


def _kept(spans: tuple[str, ...]) -> dict[str, str]:
    return {"keep": ";".join(span.replace(";", "\\;") for span in spans)} if spans else {}


def _resolve_together(
    inputs: tuple[str, ...], output: str | None, settings: ResolveSettings, ways: Ways, jobs: int
) -> int:
    """All documents into one file, to standard output, or onto the terminal to look at; the exit code."""
    from ..api import write
    from ..corpora.folders import open_inputs
    from ..corpora.resolving import resolve_documents

    joint = open_inputs(inputs, ways)
    to = ways.to or ("terminal" if output is None else format_for_output(output, joint.format).name)
    if get_format(to).read is None:
        warnings.simplefilter("ignore", LossWarning)  # a view need not carry everything
    options = dict(ways.write_options)
    if ways.to is None and output is None and settings.resolver is None and settings.singletons is None:
        options.setdefault("singletons", "hidden")  # whoever wants just to look wants to see who is who
    docs = joint.read(ways, language=settings.language)
    resolved: Iterator[Document] = resolve_documents(docs, settings, jobs=jobs, on_chain=_name_choice(settings))
    if to != "terminal":
        resolved = with_progress(resolved, f"resolving {inputs[0]}")
    write(resolved, "-" if output is None else output, to, **options)
    return finish_joint(joint.files)


def _name_choice(settings: ResolveSettings) -> Callable[[str], None]:
    """Print which resolver was chosen, once each, where none was named."""
    named: set[str] = set()

    def tell(name: str) -> None:
        if settings.resolver is None and name not in named:
            named.add(name)
            inform(f"resolver: {name} (choose another with -r; coindex resolvers lists them)")

    return tell
