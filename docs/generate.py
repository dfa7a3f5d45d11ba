"""Make the pages in docs/reference from the code: `python docs/generate.py`. A test fails when one is stale.

What the code does not say of a format stands in docs/notes/NAME.md and is put into its section.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import coindex
from coindex.api import Evaluation, Report
from coindex.cli.main import EPILOG, VERBS, cli
from coindex.document import Multiword, Tokens, edit_log, edits, heads, spans, undo, validation
from coindex.formats.losses import FEATURES
from coindex.formats.registry import Format, Option, all_formats
from coindex.resolvers import Chain, Resolver, all_resolvers
from coindex.resolvers.registry import MODULES
from coindex.resolvers.scores import scores_of, telling_score
from coindex.scoring import (
    comparison,
    counts,
    lenient,
    lookup,
    macro,
    markables,
    onetoone,
    overlap,
    result,
    russian,
    significance,
    singletons,
    units,
    upos,
)
from coindex.scoring.matching import RULES
from coindex.scoring.profiles import PROFILES
from coindex.scoring.registry import METRICS, get_metric

HERE = Path(__file__).parent
DISPLAYS = ("resolved", "csv", "html", "markdown", "terminal")
MADE = "<!-- Made by docs/generate.py from the code: change the code, not this page. -->\n\n"


# --- formats


def formats_page() -> str:
    """A table of what each format carries, and a section for each."""
    parts = [
        "# Formats\n\n",
        "Input is a file, a folder or `-` (standard input), plain or `.gz`. The format of an input is found by its ",
        "content (see [how detection works](../explanation/detection.md)); the format of an output by its name, or ",
        "by `--to`. `coindex formats` prints the list, `coindex formats NAME` all about one.\n\n",
        "| name | read | written | file names | what it is |\n|---|---|---|---|---|\n",
        *(_format_row(format) for format in all_formats()),
        "\n## What each format carries\n\n",
        "What a format does not carry is left out when a document is written, and a warning counts it ",
        "(see [what is lost in conversion](../explanation/losses.md)).\n\n",
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
        f"| {_names(format)} | {_cell(format.summary)} |\n"
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
        f"\n## {format.name}\n\n{_sentence(format.summary)}\n\n",
        f"{ways.capitalize()}{place}. File names: {_names(format)}.\n",
    ]
    if format.write:
        parts.append(f"Does not carry: {', '.join(lost)}.\n")
    parts += _options(format.read_options, "-r", "reader") + _options(format.write_options, "-w", "writer")
    parts += ["\n", _markdown(module), "\n"]
    note = HERE / "notes" / f"{format.name}.md"
    if note.exists():
        parts += ["\n", note.read_text(encoding="utf-8")]
    return "".join(parts)


def _options(options: Iterable[Option], flag: str, whose: str) -> list[str]:
    rows = []
    for option in options:
        values = ", ".join(f"`{choice}`" for choice in option.choices) or "free"
        rows.append(f"| `{flag} {option.name}=…` | {values} | {_cell(option.help)} |\n")
    return [f"\n| option of the {whose} | values, the default first | |\n|---|---|---|\n", *rows] if rows else []


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _cell(text: str) -> str:
    """Text for a cell of a table."""
    return text.replace("|", "&#124;").replace("<", "&lt;")


def _code(text: str) -> str:
    """Code for a cell: backticks would show an escaped bar with its backslash."""
    return f"<code>{_cell(text.replace('&', '&amp;'))}</code>" if set("|<&") & set(text) else f"`{text}`"


# --- the command line


def cli_page() -> str:
    """The usage of each verb, from the definitions that `--help` shows."""
    codes = EPILOG.removeprefix("Exit codes: ").rstrip(".").split("; ")
    parts = [
        "# Command line\n\n",
        "`coindex VERB --help` prints what stands here. `python -m coindex` is the same command. ",
        "Results go to standard output; warnings, errors and progress bars to standard error. ",
        "A bar appears on a terminal after a second of work, and never in a pipe.\n\n",
        "| verb | what it does |\n|---|---|\n",
        *(f"| [{verb}](#coindex-{verb}) | {what} |\n" for verb, what in VERBS.items()),
        "\n| exit code | meaning |\n|---|---|\n",
        *(f"| {code} | {meaning} |\n" for code, _, meaning in (text.partition(" ") for text in codes)),
        "\nColours are left out where `NO_COLOR` is set or the output is no terminal.\n",
    ]
    return "".join([*parts, *(_verb(verb) for verb in VERBS)])


def _verb(verb: str) -> str:
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    options = [param for param in command.params if isinstance(param, click.Option)]
    usage = " ".join(["coindex", verb, "[OPTIONS]", *map(_argument, arguments)])
    parts = [f"\n## coindex {verb}\n\n```text\n{usage}\n```\n\n", _help_text(command.help or "")]
    parts += [
        "\n| option | what it does |\n|---|---|\n",
        *map(_option, options),
        "| `-h`, `--help` | Show the help. |\n",
    ]
    return "".join(parts)


def _argument(argument: click.Argument) -> str:
    name = argument.name or ""
    shown = "|".join(argument.type.choices) if isinstance(argument.type, click.Choice) else name.upper()
    shown += "..." if argument.nargs == -1 else ""
    return shown if argument.required else f"[{shown}]"


def _option(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    value = ""
    if isinstance(option.type, click.Choice):
        value = f" {' or '.join(f'`{choice}`' for choice in option.type.choices)}"
    elif not option.is_flag:
        value = f" {option.type.name.upper()}"
    return f"| {names}{value} | {_cell(option.help or '')} |\n"


def _help_text(text: str) -> str:
    """Paragraphs as they are; those after click's \\b, which keep their lines, as code."""
    parts = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            parts.append("```text\n" + paragraph.removeprefix("\b").strip("\n") + "\n```\n")
        else:
            parts.append(paragraph + "\n")
    return "\n".join(parts)


# --- Python


def api_page() -> str:
    """The public names: signatures and docstrings."""
    parts = [
        "# Python\n\n",
        "The names in `coindex` are the public ones. The modules below them that are listed here may be used too; ",
        "names that begin with `_` may change at any time. Everything is typed (`py.typed`).\n\n",
        "## Reading and writing\n",
        *map(_function, (coindex.read, coindex.write, coindex.formats)),
        "\n## Resolving\n\nSee [resolvers and chains](../explanation/resolvers.md) and [resolvers](resolvers.md).\n",
        *map(_function, (coindex.load, coindex.resolvers)),
        *map(_class, (Chain, Resolver)),
        "\n## Using the result\n\nSee [how to use the result](../howto/use-results.md).\n",
        *map(_function, (coindex.to_frame, coindex.to_graph)),
        "\n## Scoring\n\nSee [what scores mean](../explanation/scoring.md) and [metrics and profiles](scoring.md).\n",
        *map(_function, (coindex.score, coindex.score_by_upos, coindex.score_side_by_side)),
        *map(_function, (coindex.score_datasets, coindex.compare)),
        *map(_class, (result.Result, counts.Score, counts.Counts, singletons.SideBySide, macro.MacroResult)),
        *map(_class, (comparison.Comparison, comparison.Estimate, comparison.Difference, comparison.Interval)),
        "\n## Training and evaluating\n\nSee [how to train a model](../howto/train.md).\n",
        *map(_function, (coindex.train, coindex.export, coindex.evaluate)),
        *map(_class, (Evaluation,)),
        "\n## Tables of results\n\nSee [how to print result tables](../howto/report.md).\n",
        *map(_function, (coindex.report,)),
        *map(_class, (Report,)),
        "\n## The document model\n\nSee [the document model](../explanation/model.md) for the ideas behind it.\n",
        *map(_class, (coindex.Document, coindex.Corpus, coindex.Entity, coindex.Mention)),
        *map(_class, (coindex.Bridge, coindex.SplitAntecedent)),
        *map(_class, (coindex.Sentence, coindex.Token, Tokens, Multiword)),
        *_module_section("Span conventions", spans, _own_functions(spans)),
        *_module_section("Heads", heads, [heads.find_heads, heads.reduce_to_heads]),
        _reductions(),
        *_module_section("Edits", edits, [getattr(edits, name) for name in edits.__all__]),
        *_module_section("Logs of edits", edit_log, [edit_log.Edit, edit_log.apply, edit_log.apply_all, undo.inverse]),
        *_module_section("Validation", validation, [validation.check, validation.Finding]),
        "\n## Formats as data\n\n`coindex.formats()` gives a list of these.\n",
        *map(_class, (Format, Option)),
    ]
    return "".join(parts)


def _module_section(title: str, module: ModuleType, members: Iterable[Any]) -> Iterator[str]:
    yield f"\n## {title}\n\n`{module.__name__}`. {_markdown(module)}\n"
    for member in members:
        yield _class(member) if inspect.isclass(member) else _function(member)


def _own_functions(module: ModuleType) -> list[Callable[..., Any]]:
    functions = inspect.getmembers(module, inspect.isfunction)
    own = [function for _, function in functions if function.__module__ == module.__name__]
    return sorted(own, key=lambda function: function.__code__.co_firstlineno)


def _reductions() -> str:
    rows = "".join(f"| `{name}` | {what} |\n" for name, what in heads.REDUCTIONS.items())
    return f"\nThe ways to reduce spans to heads:\n\n| | |\n|---|---|\n{rows}"


def _function(function: Callable[..., Any]) -> str:
    return f"\n### {function.__name__}\n\n{_signature(function)}\n{_markdown(function)}\n"


def _signature(function: Callable[..., Any], *, indent: bool = True) -> str:
    """The signature with annotations as they are written, a long one with a parameter a line."""
    parameters = []
    signature = inspect.signature(function)
    starred = False
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parameters.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        parameters.append(_parameter(parameter))
    ending = "" if signature.return_annotation is signature.empty else f" -> {signature.return_annotation}"
    line = f"{function.__name__}({', '.join(parameters)}){ending}"
    if indent and len(line) > 88:
        listed = "".join(f"    {parameter},\n" for parameter in parameters)
        line = f"{function.__name__}(\n{listed}){ending}"
    return f"```py\n{line}\n```\n" if indent else line


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.annotation is not parameter.empty:
        text += f": {parameter.annotation}"
    if parameter.default is not parameter.empty:
        default = parameter.default
        text += " = " + ("..." if default is ... else getattr(default, "__name__", None) or repr(default))
    return text


def _class(cls: type) -> str:
    parts = [f"\n### {cls.__name__}\n\n{_markdown(cls)}\n"]
    fields = _fields(cls)
    if fields:
        parts.append("\n| field | type | default |\n|---|---|---|\n")
        parts += (f"| `{name}` | {_code(type)} | {default} |\n" for name, type, default in fields)
    members = list(_members(cls, {name for name, _, _ in fields}))
    if members:
        parts.append("\n| | |\n|---|---|\n")
        parts += (f"| {_code(member)} | {_cell(what)} |\n" for member, what in members)
    return "".join(parts)


def _fields(cls: type) -> list[tuple[str, str, str]]:
    """Names, types and defaults of the fields of a dataclass or named tuple."""
    if dataclasses.is_dataclass(cls):
        return [(field.name, str(field.type), _default(field)) for field in dataclasses.fields(cls)]
    defaults = getattr(cls, "_field_defaults", {})
    names: tuple[str, ...] = getattr(cls, "_fields", ())
    types = (
        {name: getattr(type, "__forward_arg__", type) for name, type in cls.__annotations__.items()} if names else {}
    )
    return [(name, types[name], f"`{defaults[name]!r}`" if name in defaults else "") for name in names]


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return f"`{field.default!r}`"
    if field.default_factory is not dataclasses.MISSING:
        return f"`{field.default_factory.__name__}()`"
    return ""


def _members(cls: type, fields: set[str]) -> Iterator[tuple[str, str]]:
    """Properties, then methods, in the order of the source."""
    found = [(name, value) for name, value in vars(cls).items() if not name.startswith("_") and name not in fields]
    for name, value in found:
        if isinstance(value, property | cached_property):
            function = value.fget if isinstance(value, property) else value.func
            yield f"{name}: {inspect.signature(function).return_annotation}", _first_paragraph(value)  # type: ignore[arg-type]
    for _, value in found:
        function = getattr(value, "__func__", value)  # of a classmethod
        if inspect.isfunction(function):
            before = f"{cls.__name__}." if isinstance(value, classmethod) else ""
            yield before + _signature(function, indent=False), _first_paragraph(function)


def _first_paragraph(thing: object) -> str:
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


def _markdown(thing: object) -> str:
    """A docstring as Markdown; its examples become code."""
    text = inspect.getdoc(thing) or ""
    text = re.sub(r"  # doctest: \+\w+", "", text)
    return re.sub(r"(?m)^>>> (.*)$", r"```py\n\1\n```", text)


# --- scoring


def scoring_page() -> str:
    """Metrics, matchings and profiles from their tables, with what their modules say."""
    by_module: dict[str, list[str]] = {}
    for name, place in METRICS.items():
        by_module.setdefault(place.partition(":")[0], []).append(name)
    matchings = list(dict.fromkeys(name for rules in RULES.values() for name in rules.matchings))
    parts = [
        "# Metrics, matchings and profiles\n\n",
        "Made from the tables that the scorer works by. [What scores mean](../explanation/scoring.md) has examples; ",
        "`coindex profiles` prints the profiles.\n\n",
        "## Profiles\n\nA name without a number means the newest. A published number never moves: a profile that is ",
        "mended gets a new number, and the old one stays.\n\n",
        "| profile | rules | match | singletons | zeros | unit | metrics | source |\n",
        "|---|---|---|---|---|---|---|---|\n",
        *(
            f"| `{name}` | {profile.rules} | {profile.match} | {'in' if profile.singletons else 'out'} "
            f"| {profile.zeros} | {profile.unit} | {', '.join(profile.metrics)} | {_cell(profile.source)} |\n"
            for name, profile in PROFILES.items()
        ),
        "\n## Matchings\n\nThe rules of a profile say which matchings there are.\n\n",
        f"| rules | {' | '.join(matchings)} |\n|---|{':-:|' * len(matchings)}\n",
        *(
            f"| {name} | {' | '.join('✓' if match in rules.matchings else '' for match in matchings)} |\n"
            for name, rules in RULES.items()
        ),
        *_told("Matching of the CorefUD scorers 1.0 and 1.1", lookup),
        *_told("Matching of the CorefUD scorer 1.2", onetoone),
        *_told("Lenient matching", lenient),
        *_told("Matching by overlap", overlap),
        *_told("Primary and secondary markables", markables),
        *_told("Units", units),
        "\n## Metrics\n\n| name | title |\n|---|---|\n",
        *(f"| `{name}` | {get_metric(name).title} |\n" for name in METRICS),
    ]
    for module, names in by_module.items():
        parts += _told(", ".join(f"`{name}`" for name in names), import_module(f"coindex.scoring.{module}"))
    parts += ["\n## Groups and comparisons\n", *_told("Pronouns of Russian", russian)]
    parts += [*_told("By part of speech", upos), *_told("Macro average", macro), *_told("Significance", significance)]
    return "".join(parts)


def _told(title: str, module: ModuleType) -> list[str]:
    return [f"\n### {title}\n\n{_markdown(module)}\n"]


# --- resolvers


def resolvers_page() -> str:
    """A table of the resolvers, and a section for each: what it does, needs, offers, and what it was scored at."""
    parts = [
        "# Resolvers\n\n",
        "`coindex resolvers` prints the list, `coindex resolvers NAME` all about one. Names are joined to chains with ",
        "`+`, options stand in brackets: `simple-rules + heads(merge)`. [How to resolve](../howto/resolve.md) has ",
        "examples, [resolvers and chains](../explanation/resolvers.md) the ideas. Scores are made by ",
        "`python -m benchmarks quality`.\n\n",
        "| name | kind | languages | needs | licence | scored at |\n|---|---|---|---|---|---|\n",
        *map(_resolver_row, all_resolvers()),
    ]
    return "".join([*parts, *map(_resolver_section, all_resolvers())])


def _resolver_row(resolver: Resolver) -> str:
    score = telling_score(resolver.name)
    return (
        f"| [{resolver.name}](#{resolver.name}) | {resolver.kind} | {', '.join(resolver.languages) or 'any'} "
        f"| {', '.join(resolver.needs)} | {_cell(resolver.licence)} | {_cell(str(score or ''))} |\n"
    )


def _resolver_section(resolver: Resolver) -> str:
    module = import_module(f"coindex.resolvers.{MODULES[resolver.name]}")
    facts = [f"Source: {_sentence(resolver.source)}"] if resolver.source else []
    if resolver.kind in ("rules", "learned"):
        facts.append(f"Mentions: {' or '.join(resolver.mentions)}.")
    if resolver.collects:
        facts.append("Looks at several documents together.")
    rows = [
        f"| `{option.name}` | {', '.join(f'`{choice}`' for choice in option.choices) or 'free'} "
        f"| {_cell(option.help)} |\n"
        for option in resolver.options
    ]
    parts = [f"\n## {resolver.name}\n\n{_sentence(resolver.summary)}\n\n", " ".join(facts), "\n" if facts else ""]
    parts += ["\n| option | values, the default first | |\n|---|---|---|\n", *rows] if rows else []
    parts += ["\n", _markdown(module), "\n", *_measured(resolver.name)]
    return "".join(parts)


def _measured(name: str) -> list[str]:
    rows = [
        f"| {score.chain} | {score.corpus} | {score.mentions} | {score.number:.2f} {score.measure} "
        f"| {_code(score.signature)} |\n"
        for score in scores_of(name)
    ]
    return ["\n| chain | corpus | mentions | score | signature |\n|---|---|---|---|---|\n", *rows] if rows else []


# --- errors


def errors_page() -> str:
    """The exceptions and warnings, and what a problem says."""
    from coindex import errors

    classes = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if cls.__module__ == errors.__name__]
    classes.sort(key=lambda cls: inspect.getsourcelines(cls)[1])
    kinds = {"Errors": Exception, "Warnings": Warning}
    parts = ["# Errors and exit codes\n\n", (HERE / "notes" / "errors.md").read_text(encoding="utf-8")]
    for title, base in kinds.items():
        parts.append(f"\n## {title}\n\n| class | is a | meaning |\n|---|---|---|\n")
        for cls in classes:
            if issubclass(cls, base) and (base is Warning or not issubclass(cls, Warning)):
                parts.append(f"| `{cls.__name__}` | `{cls.__bases__[0].__name__}` | {_first_paragraph(cls)} |\n")
    parts += ["\n## What a problem says\n", _class(errors.Problem)]
    return "".join(parts)


PAGES: dict[str, Callable[[], str]] = {
    "formats.md": formats_page,
    "cli.md": cli_page,
    "api.md": api_page,
    "scoring.md": scoring_page,
    "resolvers.md": resolvers_page,
    "errors.md": errors_page,
}


def main() -> None:
    """Write all pages; say which of them changed."""
    for name, make in PAGES.items():
        path = HERE / "reference" / name
        text = MADE + make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote {path}\n")


if __name__ == "__main__":
    main()
