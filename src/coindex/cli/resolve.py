"""`coindex resolve`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..document import Document
from ..document.documents import CONFIDENCE
from ..errors import LossWarning
from ..formats.registry import format_for_output, get_format
from ..resolvers.resolver import MENTIONS, Mentions
from .cross import check_cross_options, cross_options, make_cross_settings, resolve_cross
from .folder_runs import finish_joint, run_plan, run_sharded
from .help import Command, option
from .options import (
    MENTIONS_HELP,
    ChainText,
    column_options,
    inputs_argument,
    language_option,
    name_columns,
    reading_options,
    to_option,
    workers_options,
)
from .progress import inform, with_progress

if TYPE_CHECKING:
    from ..corpora.folders import Ways
    from ..corpora.resolving import ResolveSettings
    from ..engines import Engine, Workers
    from ..resolvers.ud.zeros import Zeros

NOVELS = "litbank"
"""The annotation scheme of a corpus of novels."""


@click.command("resolve", cls=Command)
@inputs_argument
@option(
    "-r",
    "--resolver",
    type=ChainText(),
    section="Resolver",
    help="Resolver, model folder, or steps joined by + such as 'sieves + heads', see 'coindex resolvers' "
    "(default: chosen for each document).",
)
@option(
    "-o",
    "--output",
    type=click.Path(allow_dash=True),
    section="Output",
    help="File for all documents, or folder with a file for each input (default: show the result).",
)
@option("--mentions", type=click.Choice(MENTIONS), default="detected", section="Resolver", help=MENTIONS_HELP)
@option(
    "--keep-entities",
    is_flag=True,
    section="Resolver",
    help="Start from the entities of the input instead of ignoring them.",
)
@option(
    "--min-link",
    type=click.FloatRange(0, 1),
    section="Resolver",
    help="Minimum probability of a link, for resolvers that predict one.",
)
@option(
    "--singletons/--no-singletons",
    default=None,
    section="Resolver",
    help="Keep or remove entities with a single mention (default: as the resolver predicts them).",
)
@language_option
@option(
    "--zeros",
    type=click.Choice(["predict", "given", "ignore"]),
    section="Resolver",
    help="Dropped subjects: predict them if the input has no empty nodes, use only those of the input, or ignore them.",
)
@option(
    "--parser",
    type=ChainText("parser"),
    section="Resolver",
    help="Parser for documents without dependency trees: 'spacy(MODEL)'.",
)
@option(
    "--keep",
    multiple=True,
    metavar="TEXT",
    section="Output",
    help="With --to resolved or replacements: text that is not replaced. Repeatable.",
)
@option(
    "--confidence",
    type=click.FloatRange(0, 1),
    section="Output",
    help="With --to resolved or replacements: replace a pronoun only if the links to its name are right with this "
    f"probability; 0 replaces all (default: {CONFIDENCE}).",
)
@workers_options
@option(
    "--shard-words",
    type=click.IntRange(min=1),
    metavar="N",
    section="Output",
    help="In a folder: write shards of about N words (part-00000 and so on) with a manifest, instead of a file for "
    "each input; documents that fail are listed in errors.jsonl.",
)
@option("--log-json", is_flag=True, section="Output", help="In a folder: print progress as lines of JSON.")
@option("--overwrite", is_flag=True, section="Output", help="In a folder: resolve finished files again.")
@cross_options
@column_options
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
    confidence: float | None,
    jobs: int,
    engine: Engine,
    address: str | None,
    shard_words: int | None,
    log_json: bool,
    overwrite: bool,
    cross: bool,
    topics: str | None,
    state: str | None,
    text_column: str | None,
    id_column: str | None,
    from_format: str | None,
    to_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    write_options: tuple[tuple[str, str], ...],
) -> None:
    """Resolve coreference in text.

    INPUTS are raw text or any supported format: files, folders or "-". Without -o and --to, the result is shown in the
    terminal. If -o is a folder (one that exists, ends in "/" or, for several inputs, has no known extension), each
    input file gets an output file, and a second run skips finished files. Unreadable files are listed and the exit
    code is 1. With --shard-words, all documents are written to shards of the same size; a second run continues.

    \b
    Examples:
      coindex resolve story.txt
      coindex resolve story.txt -o story.json --to json
      coindex resolve corpus/ -r sieves -o resolved/ --jobs 4
      coindex resolve big.jsonl -o resolved/ --shard-words 1000000 --jobs 0
      coindex resolve news/ --cross -o news.html
      coindex resolve news.parquet --text-column body --id-column id -o out/
      echo "Ann said she was late." | coindex resolve - --to resolved
    """
    from ..corpora.folders import Ways, folder_format, goes_to_folder, plan_folder
    from ..corpora.resolving import ResolveSettings
    from ..corpora.shards import plan_shards
    from ..engines import Workers

    workers = Workers(jobs, engine, address)
    if to_format is None and output is None:
        for name, given in (("--keep", bool(keep)), ("--confidence", confidence is not None)):
            if given:
                raise click.UsageError(f"{name} applies to resolved text only; add --to resolved")
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
        read_options=dict(read_options) | name_columns(text_column, id_column),
        write_options=dict(write_options) | _make_resolved_options(keep, confidence),
    )
    if cross:
        check_cross_options(keep_entities=keep_entities, zeros=zeros is not None)
        ctx.exit(resolve_cross(inputs, output, make_cross_settings(settings, topics, state), ways, workers))
    if topics is not None or state is not None:
        raise click.UsageError("--topics and --state apply to document collections only; add --cross")
    if shard_words is not None and output in (None, "-"):
        raise click.UsageError("--shard-words needs a folder for the shards; add -o FOLDER")
    to_one_file = output is None or output == "-" or not goes_to_folder(inputs, output, to_format, ways.write_options)
    if log_json and shard_words is None and to_one_file:
        raise click.UsageError("--log-json applies to runs that write a folder; add -o FOLDER/")
    if shard_words is None and to_one_file:
        ctx.exit(_resolve_together(inputs, output, settings, ways, workers))
    ways = replace(ways, to=to_format or folder_format(inputs, ways.read_options))
    assert output is not None, "there is a folder"
    informer = ResolverInformer(settings)
    callbacks: dict[str, Any] = {
        "on_chain": informer.print_resolver,
        "on_fiction": informer.remember_fiction,
        "log_json": log_json,
    }
    if shard_words is None:
        code = run_plan(plan_folder(inputs, output, ways, overwrite=overwrite), settings, ways, workers, **callbacks)
    else:
        plan = plan_shards(inputs, output, settings, ways, words=shard_words)
        code = run_sharded(plan, workers, overwrite=overwrite, **callbacks)
    informer.print_hint()
    ctx.exit(code)


def _make_resolved_options(keep: tuple[str, ...], confidence: float | None) -> dict[str, str]:
    """Return the given options as options of the formats `resolved` and `replacements`."""
    options = {"keep": ";".join(span.replace(";", "\\;") for span in keep)} if keep else {}
    return options if confidence is None else {**options, "confidence": str(confidence)}


def _resolve_together(
    inputs: tuple[str, ...], output: str | None, settings: ResolveSettings, ways: Ways, workers: Workers
) -> int:
    """Write all documents to one file, to standard output or to the terminal; return the exit code."""
    from ..api import write
    from ..corpora.folders import open_inputs
    from ..corpora.resolving import resolve_documents

    joint = open_inputs(inputs, ways)
    to = ways.to or ("terminal" if output is None else format_for_output(output, joint.format).name)
    if get_format(to).read is None:
        warnings.simplefilter("ignore", LossWarning)  # a view may drop information
    options = dict(ways.write_options)
    if ways.to is None and output is None and settings.resolver is None and settings.singletons is None:
        options.setdefault("singletons", "hidden")  # a quick look is about who is who
    docs = joint.read(ways, language=settings.language)
    informer = ResolverInformer(settings)
    resolved: Iterator[Document] = resolve_documents(docs, settings, workers, on_chain=informer.print_resolver)
    resolved = informer.watch(resolved)
    if to != "terminal":
        resolved = with_progress(resolved, f"resolving {inputs[0]}")
    write(resolved, "-" if output is None else output, to, **options)
    informer.print_hint()
    return finish_joint(joint.files)


class ResolverInformer:
    """Prints what the user did not choose: the resolver and its annotation scheme, and a hint for fiction."""

    def __init__(self, settings: ResolveSettings) -> None:
        self._settings = settings
        self._printed: set[str] = set()
        self._fiction: str | None = None
        self._better: str | None = None

    def print_resolver(self, name: str) -> None:
        """Print a resolver once: if it was chosen automatically, or if the default of several schemes is used."""
        from ..resolvers.chain import find_scheme

        if name in self._printed:
            return
        self._printed.add(name)
        choice = find_scheme(name)
        is_chosen = self._settings.resolver is not None
        if choice is None:
            if not is_chosen:
                inform(f"resolver: {name} (choose another with -r, see 'coindex resolvers')")
            return
        if choice.is_given:
            return
        remedy = f"others: {', '.join(known for known in choice.known if known != choice.scheme)}"
        if not is_chosen:
            remedy = "choose another with -r, see 'coindex resolvers'"
        inform(f"resolver: {name}, scheme {choice.scheme} ({remedy})")
        if NOVELS in choice.known and choice.scheme != NOVELS:
            with_options = f"{choice.step}("
            if with_options in name:
                self._better = name.replace(with_options, f"{choice.step}({NOVELS}, ", 1)
            else:
                self._better = name.replace(choice.step, f"{choice.step}({NOVELS})", 1)

    def watch(self, docs: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents, and remember the first that looks like fiction."""
        from ..resolvers.linguistics.languages import is_fiction

        for number, doc in enumerate(docs, 1):
            if self._fiction is None and is_fiction(doc):
                self.remember_fiction(doc.id or f"document {number}")
            yield doc

    def remember_fiction(self, name: str) -> None:
        """Remember the first document that looks like fiction."""
        self._fiction = self._fiction or name

    def print_hint(self) -> None:
        """Suggest the annotation scheme of novels for fiction."""
        if self._fiction is not None and self._better is not None:
            inform(
                f"hint: {self._fiction} looks like fiction; the scheme for novels may fit better: -r '{self._better}'"
            )
