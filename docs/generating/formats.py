"""The page of the formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module

from coindex.formats.losses import FEATURES
from coindex.formats.registry import Format, Option, all_formats

from .text import NOTES, cell, markdown, sentence

DISPLAYS = ("resolved", "csv", "html", "markdown", "terminal")


def formats_page() -> str:
    """A table of what each format carries, and a section for each."""
    parts = [
        "# Formats\n\n",
        "Input is a file, a folder or `-` (standard input), plain or `.gz`. The format of an input is found by its ",
        "content (see [how detection works](../background/format-detection.md)); the format of an output by its name, or ",
        "by `--to`. `coindex formats` prints the list, `coindex formats NAME` all about one.\n\n",
        "| name | read | written | file names | what it is |\n|---|---|---|---|---|\n",
        *(_format_row(format) for format in all_formats()),
        "\n## What each format carries\n\n",
        "What a format does not carry is left out when a document is written, and a warning counts it ",
        "(see [what is lost in conversion](../background/formats.md)).\n\n",
        *_carries([format for format in all_formats() if format.name not in DISPLAYS]),
        "\nFormats to look at, which are not read back:\n\n",
        *_carries([format for format in all_formats() if format.name in DISPLAYS]),
        "\nThe features, as warnings name them:\n\n| feature | what is counted |\n|---|---|\n",
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
    module = import_module(f"coindex.formats.{format.name}")
    ways = " and ".join(way for way, there in (("read", format.read), ("written", format.write)) if there)
    place = ", written as a folder of files" if format.is_folder else ""
    lost = [feature for feature in FEATURES if feature not in format.carries]
    parts = [
        f"\n## {format.name}\n\n{sentence(format.summary)}\n\n",
        f"{ways.capitalize()}{place}. File names: {_names(format)}.\n",
    ]
    if format.write:
        parts.append(f"Does not carry: {', '.join(lost)}.\n")
    parts += _options(format.read_options, "-r", "reader") + _options(format.write_options, "-w", "writer")
    parts += ["\n", markdown(module), "\n"]
    note = NOTES / f"{format.name}.md"
    if note.exists():
        parts += ["\n", note.read_text(encoding="utf-8")]
    return "".join(parts)


def _options(options: Iterable[Option], flag: str, whose: str) -> list[str]:
    rows = []
    for option in options:
        values = ", ".join(f"`{choice}`" for choice in option.choices) or "free"
        rows.append(f"| `{flag} {option.name}=…` | {values} | {cell(option.help)} |\n")
    return [f"\n| option of the {whose} | values, the default first | |\n|---|---|---|\n", *rows] if rows else []
