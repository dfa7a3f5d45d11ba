"""Where the files of an MMAX2 document are, and what the ones of its levels say."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import quote
from ..source import Source
from ..xml import Node, parse_xml

COMMON_PATHS = "common_paths.xml"

Key = tuple[str, str]
"""A markable: the name of its level, and its id there."""


@dataclass(frozen=True, slots=True)
class Markable:
    """One element of a level; `span` is not yet looked up."""

    level: str
    id: str
    span: str
    attributes: Mapping[str, str]
    source: Source
    line: int

    @property
    def key(self) -> Key:
        return self.level, self.id


@dataclass(slots=True)
class Project:
    """The files that a .mmax file and the common_paths.xml beside it name."""

    id: str
    words: Path
    levels: list[tuple[str, Path]]


def parse_part(source: Source, path: Path) -> tuple[Source, Node]:
    """Another file of the same document, with the source that its problems are reported to."""
    part = source.sibling(path)
    try:
        return part, parse_xml(part)
    finally:
        part.close()


def find_project(source: Source) -> Project | None:
    """What the .mmax file names; None after a problem."""
    root = parse_xml(source)
    if root.tag != "mmax_project" or source.path is None:
        found = "standard input" if source.path is None else f"the root element <{quote(root.tag)[1:-1]}>"
        source.problem(
            root.line,
            found,
            "a .mmax file (<mmax_project>) beside the files it names",
            "name the .mmax file of the document",
        )
        return None
    folder, stem = source.path.parent, source.stem
    common = _file(folder / COMMON_PATHS, folder)
    paths = parse_part(source, common)[1] if common else Node("common_paths", {}, 0)
    node = root.find("words")
    name = (node.text.strip() if node else "") or f"{stem}_words.xml"
    words = _file(_folder(folder, paths, "basedata_path", "basedata") / name, folder) or _file(folder / name, folder)
    if words is None:
        source.problem(
            node.line if node else root.line,
            f"the words file {quote(name)}, which is not there",
            "the file in the folder that basedata_path names, inside the project",
            f"restore it, or correct {COMMON_PATHS}",
        )
        return None
    markables = _folder(folder, paths, "markable_path", "markables")
    return Project(root.attributes.get("doc_id") or stem, words, _levels(source, paths, markables, stem, folder))


def _folder(folder: Path, paths: Node, tag: str, default: str) -> Path:
    node = paths.find(tag)
    named = node.text.strip() if node else default
    return folder / named


def _levels(source: Source, paths: Node, folder: Path, stem: str, project: Path) -> list[tuple[str, Path]]:
    annotations = paths.find("annotations")
    if annotations is None:  # no common_paths.xml: the levels are the files that are there
        ending = "_level.xml"
        found = sorted(folder.glob("*" + ending)) if folder.is_dir() else []
        own = [path for path in found if path.name.startswith(f"{stem}_") and _file(path, project)]
        return [(path.name[len(stem) + 1 : -len(ending)], path) for path in own]
    levels = []
    for node in annotations.elements("level"):
        path = _file(folder / node.text.strip().replace("$", stem), project)
        if path is None:
            source.count("markable levels without a file")
        else:
            levels.append((node.attributes.get("name", ""), path))
    return levels


def _file(path: Path, project: Path) -> Path | None:
    """The file, plain or packed; None where it is not there or lies outside the project, as a hostile one may say."""
    root = project.resolve()
    for candidate in (path, path.with_name(f"{path.name}.gz")) if path.name else ():
        if os.path.isfile(candidate) and root in candidate.resolve().parents:
            return candidate
    return None


def read_level(source: Source, name: str, path: Path) -> Iterator[Markable]:
    """The markables of a level in the order of the file, those without a proper id left out."""
    part, root = parse_part(source, path)
    seen: set[str] = set()
    for node in root.elements("markable"):
        id = node.attributes.get("id")
        if id is None or id in seen:
            what = "without id" if id is None else f"with the id {quote(id)}, which another has"
            part.problem(node.line, f"a markable {what}", "an id for each markable", "give it a new one")
            continue
        seen.add(id)
        yield Markable(name, id, node.attributes.get("span", ""), node.attributes, part, node.line)


class Words:
    """The words in order; a span names words by their ids, which need not be numbers in order."""

    def __init__(self, source: Source, path: Path) -> None:
        part, root = parse_part(source, path)
        self.forms: list[str] = []
        self._starts: list[int] = []  # for each word, blank ones too: how many forms come before it
        self._index: dict[str, int] = {}
        for node in root.elements("word"):
            id = node.attributes.get("id")
            if id is None or id in self._index:
                what = "without id" if id is None else f"with the id {quote(id)}, which another has"
                part.problem(node.line, f"a word {what}", "an id for each word", "give it a new one")
                continue
            self._index[id] = len(self._starts)
            self._starts.append(len(self.forms))
            if form := node.text.strip():
                self.forms.append(form)
            else:
                source.count("words of nothing but white space, left out")
        self._starts.append(len(self.forms))

    def positions(self, markable: Markable) -> tuple[int, ...]:
        """The positions of "word_3..word_5,word_8"; none after a problem."""
        positions: set[int] = set()
        for part in markable.span.split(","):
            first, dots, last = (id.strip() for id in part.partition(".."))
            start, end = self._index.get(first), self._index.get(last if dots else first)
            if start is None or end is None or end < start:
                markable.source.problem(
                    markable.line,
                    f"markable {quote(markable.id)} with the span {quote(part)}",
                    "ids of words in their order, as in word_3..word_5,word_8",
                    "correct the span",
                )
                return ()
            positions.update(range(self._starts[start], self._starts[end + 1]))
        return tuple(sorted(positions))

    def position(self, id: str) -> int | None:
        """The position of one word; None if it is not there."""
        index = self._index.get(id)
        if index is None or self._starts[index] == self._starts[index + 1]:
            return None
        return self._starts[index]
