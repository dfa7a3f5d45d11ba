"""`coindex convert`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import CoindexError
from ..formats.registry import format_for_output, get_format
from .folder_runs import finish_joint, run_plan
from .help import Command
from .options import from_option, inputs_argument, to_option, workers_options
from .progress import with_progress

if TYPE_CHECKING:
    from ..engines import Engine


@click.command("convert", cls=Command)
@inputs_argument
@click.argument("output", type=click.Path(allow_dash=True))
@from_option
@to_option
@workers_options
@click.pass_context
def command(
    ctx: click.Context,
    inputs: tuple[str, ...],
    output: str,
    from_format: str | None,
    to_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    write_options: tuple[tuple[str, str], ...],
    jobs: int,
    engine: Engine,
    address: str | None,
) -> None:
    """Convert corpora to another format.

    INPUTS are files, folders or "-"; OUTPUT is a file, a folder or "-". An output file gets all documents, sorted by
    file name. An output folder (one that exists, ends in "/" or, for several inputs, has no known extension) needs --to
    and gets one file for each input file; unreadable files are listed and the exit code is 1. Information that the
    output format cannot represent is dropped and counted in a warning. OUTPUT is written completely or not at all.
    Workers (--jobs, --engine) convert the files of an output folder.

    \b
    Examples:
      coindex convert corpus.conllu corpus.jsonl --to jsonlines
      coindex convert annotations/ corpus.conllu
      coindex convert annotations/ corpus/ --to corefud
      zcat corpus.conllu.gz | coindex convert - - --to conll2012
    """
    from ..api import write
    from ..corpora.folders import Ways, goes_to_folder, open_inputs, plan_folder
    from ..engines import Workers

    workers = Workers(jobs, engine, address)
    ways = Ways(to=to_format, format=from_format, read_options=dict(read_options), write_options=dict(write_options))
    holds_all = output == "-" or (to_format is not None and get_format(to_format).is_folder)
    if not holds_all and goes_to_folder(inputs, output, to_format):
        if to_format is None:
            raise CoindexError(
                "the format of the files in an output folder is unknown; set it with --to",
                code="unknown-output-format",
                path=output,
            )
        ctx.exit(run_plan(plan_folder(inputs, output, ways, overwrite=True), None, ways, workers))
    joint = open_inputs(inputs, ways)
    to = to_format or format_for_output(output, joint.format).name
    write(with_progress(joint.read(ways), f"converting {inputs[0]}"), output, to, **ways.write_options)
    ctx.exit(finish_joint(joint.files))
