"""`coindex quotes`."""

from __future__ import annotations

from typing import IO

import click

from .help import Command
from .options import from_option, inputs_argument, json_option, output_option


@click.command("quotes", cls=Command)
@inputs_argument
@from_option
@json_option
@output_option
def command(
    inputs: tuple[str, ...],
    from_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    as_json: bool,
    output: IO[str],
) -> None:
    """Find quotations and their speakers.

    INPUTS are English text or any supported format: files, folders or "-". Each line of the output has the speaker, the
    addressee if it is known, and what is said; "?" is an unknown speaker. JSON has character offsets, the kind of
    evidence and, if the input is resolved, the entities.

    \b
    Examples:
      coindex quotes story.txt
      coindex quotes story.txt --json -o quotes.json
      coindex resolve story.txt --to json | coindex quotes - --json
    """
    from ..api import documents, quotations

    rows = []
    for path in inputs:
        for doc in documents(path, from_format, dict(read_options)):
            quotes = quotations(doc)
            if as_json:
                rows.append({"document": doc.id, "quotations": [quotation.to_dict() for quotation in quotes]})
                continue
            for quotation in quotes:
                heard = f" → {quotation.addressee}" if quotation.addressee else ""
                text = " ".join(quotation.text.split())
                output.write(f"{quotation.speaker or '?'}{heard}: {text}\n")
    if as_json:
        import json

        output.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
