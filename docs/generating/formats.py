"""The reference page of formats."""

from __future__ import annotations

from importlib import import_module

from coindex.formats.losses import FEATURES
from coindex.formats.registry import Format, all_formats

from .text import NOTES, cell, items, markdown, option_item


def formats_page() -> str:
    """Tables of all formats and their features, and a section for each format."""
    parts = [
        "# Formats\n\n",
        "Inputs are files, folders or `-` (standard input), plain or `.gz`. The format is ",
        "[detected from the content](../background/format-detection.md); ",
        "for output it follows from the file name or `--to`. ",
        "`coindex formats` prints this list, `coindex formats NAME` describes one format. ",
        "Set options of a reader with `-r NAME=VALUE`, of a writer with `-w`; their first value is the default.\n\n",
        "```bash\ncoindex convert examples/garden.conllu garden.jsonlines\n```\n\n",
        "| name | read | written | file names | description |\n|---|---|---|---|---|\n",
        *(_format_row(format) for format in all_formats()),
        "\n## What each format carries\n\n",
        "When you write a document, coindex drops what the format cannot represent and prints a warning with counts ",
        "([details](../analyse/convert.md#what-conversion-loses)).\n\n",
        "| feature | what is counted | formats |\n|---|---|---|\n",
        *map(_feature_row, FEATURES),
    ]
    return "".join([*parts, *(_format_section(format) for format in all_formats())])


def _format_row(format: Format) -> str:
    written = "" if format.write is None else "folder" if format.is_folder else "file"
    return (
        f"| [{format.name}](#{format.name}) | {'yes' if format.read else ''} | {written} "
        f"| {_names(format)} | {cell(format.summary)} |\n"
    )


def _names(format: Format) -> str:
    return ", ".join(f"`*{end}`" for end in format.extensions)


def _feature_row(feature: str) -> str:
    """Return what is counted and the formats that carry it, or, if they are fewer, those that do not."""
    carrying = [format.name for format in all_formats() if feature in format.carries]
    others = [format.name for format in all_formats() if feature not in format.carries]
    names = ", ".join(carrying) if len(carrying) <= len(others) else f"all except {', '.join(others)}"
    return f"| {feature} | {FEATURES[feature][0]} | {names} |\n"


def _format_section(format: Format) -> str:
    parts = [f"\n## {format.name}\n"]
    options = [option_item(option, "-r ") for option in format.read_options]
    options += [option_item(option, "-w ") for option in format.write_options]
    parts += ["\n", items(options)] if options else []
    note = NOTES / f"{format.name}.md"
    text = note.read_text(encoding="utf-8") if note.exists() else markdown(_module(format)) + "\n"
    return "".join([*parts, "\n", text])


def _module(format: Format) -> object:
    return import_module(f"coindex.formats.{format.name}")
