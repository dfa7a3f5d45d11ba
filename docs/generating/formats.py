"""The reference page of formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module

from coindex.formats.losses import FEATURES
from coindex.formats.registry import Format, Option, all_formats

from .text import NOTES, cell, markdown, sentence

DISPLAYS = ("resolved", "csv", "html", "markdown", "terminal")


def formats_page() -> str:
    """Tables of all formats and their features, and a section for each format."""
    parts = [
        "# Formats\n\n",
        "Inputs are files, folders or `-` (standard input), plain or `.gz`. The format is ",
        "[detected from the content](../background/format-detection.md); ",
        "for output it follows from the file name or `--to`. ",
        "`coindex formats` prints this list, `coindex formats NAME` describes one format.\n\n",
        "| name | read | written | file names | description |\n|---|---|---|---|---|\n",
        *(_format_row(format) for format in all_formats()),
        "\n## What each format carries\n\n",
        "When you write a document, coindex drops what the format cannot represent and prints a warning with counts ",
        "([details](../background/formats.md#what-conversion-loses)).\n\n",
        *_carries([format for format in all_formats() if format.name not in DISPLAYS]),
        "\nFormats for display, which cannot be read:\n\n",
        *_carries([format for format in all_formats() if format.name in DISPLAYS]),
        "\n| feature | counted |\n|---|---|\n",
        *(f"| {name} | {what} |\n" for name, (what, _) in FEATURES.items()),
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


def _carries(formats: list[Format]) -> Iterator[str]:
    yield f"| | {' | '.join(format.name for format in formats)} |\n|---|{':-:|' * len(formats)}\n"
    for feature in FEATURES:
        marks = ("✓" if feature in format.carries else "" for format in formats)
        yield f"| {feature} | {' | '.join(marks)} |\n"


def _format_section(format: Format) -> str:
    parts = [f"\n## {format.name}\n\n{sentence(format.summary)}\n"]
    parts += _options(format.read_options, "-r", "reader") + _options(format.write_options, "-w", "writer")
    note = NOTES / f"{format.name}.md"
    text = note.read_text(encoding="utf-8") if note.exists() else markdown(_module(format)) + "\n"
    return "".join([*parts, "\n", text])


def _module(format: Format) -> object:
    return import_module(f"coindex.formats.{format.name}")


def _options(options: Iterable[Option], flag: str, whose: str) -> list[str]:
    rows = []
    for option in options:
        values = ", ".join(f"`{choice}`" for choice in option.choices) or "any"
        rows.append(f"| `{flag} {option.name}=…` | {values} | {cell(option.help)} |\n")
    return [f"\n| option of the {whose} | values (default first) | |\n|---|---|---|\n", *rows] if rows else []
