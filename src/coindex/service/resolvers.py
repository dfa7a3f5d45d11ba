"""The resolvers that requests can name, loaded on first use.

A request never contains a path or a chain: it names an entry of a table that the operator controls.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from ..errors import CoindexError, UnknownNameError
from ..resolvers.chain import Chain, load_chain, parse_chain
from ..resolvers.defaults import default_for
from ..resolvers.registry import all_resolvers, get_resolver, resolver_names
from ..resolvers.resolver import SCHEME, Resolver
from ..text.language_names import language_code
from .requests import ChainOptions

_NAMED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)=(?P<spec>.+)", re.DOTALL)
VARIANTS = 16
"""Combinations of options that are kept for a resolver; they share its weights."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A resolver that requests can name; `spec` is what `coindex.load` takes."""

    name: str
    spec: str | Path

    @classmethod
    def parse(cls, text: str) -> Entry:
        """Parse a resolver, a chain or the path of a model folder, with an optional "NAME=" before it."""
        match = _NAMED.fullmatch(text)
        spec = match["spec"] if match else text
        folder = Path(spec)
        if spec in resolver_names() or not folder.is_dir():
            return cls(match["name"] if match else spec, spec)
        return cls(match["name"] if match else folder.resolve().name, folder)

    def steps(self) -> list[Resolver]:
        """Return the descriptions of the steps."""
        if isinstance(self.spec, Path):
            return [get_resolver(str(self.spec.resolve()))]
        return [get_resolver(name) for name, _ in parse_chain(self.spec)]

    def describe(self) -> dict[str, Any]:
        """Return the description for `GET /v1/resolvers`."""
        steps = self.steps()
        finder = next((step for step in steps if step.kind in ("rules", "learned")), steps[-1])
        options = [option for step in steps for option in step.options]
        schemes = [choice for option in options if option.name == SCHEME for choice in option.choices]
        return {
            "name": self.name,
            "kind": finder.kind,
            "summary": finder.summary,
            "languages": list(next((step.languages for step in steps if step.languages), ())),
            "schemes": list(dict.fromkeys(schemes)),
            "has_min_link": any(option.name == "min_link" for option in options),
            "licence": "; ".join(dict.fromkeys(step.licence for step in steps)),
        }


def shipped_entries() -> list[Entry]:
    """Return the installed resolvers that resolve raw texts one by one."""
    return [
        Entry(resolver.name, resolver.name)
        for resolver in all_resolvers()
        if resolver.kind in ("rules", "learned")
        and not (resolver.needs or resolver.collects or resolver.install)
        and "detected" in resolver.mentions
    ]


class Resolvers:
    """The resolvers of the service, of which at most `most` are loaded at the same time.

    `preload` are loaded now; the first is the default. `allow` are loaded when a request names them; by default these
    are all installed resolvers that work on raw text.
    """

    def __init__(self, *, preload: Sequence[str] = (), allow: Sequence[str] = (), most: int = 2) -> None:
        first = [Entry.parse(text) for text in preload]
        others = [Entry.parse(text) for text in allow] if allow else shipped_entries()
        self._entries: dict[str, Entry] = {}
        for entry in (*first, *others):
            known = self._entries.setdefault(entry.name, entry)
            if known.spec != entry.spec:
                raise CoindexError(
                    f"two resolvers are named {entry.name}; write one as OTHER={entry.spec}", code="duplicate-input"
                )
        if len(first) > most:
            raise CoindexError(
                f"{len(first)} resolvers are to be loaded at the start, but at most {most} can be loaded at once; "
                "raise --max-loaded",
                code="invalid-option",
            )
        self.most = most
        self.default = next(iter(self._entries)) if preload or allow else None
        self._loaded: OrderedDict[str, OrderedDict[ChainOptions, Chain]] = OrderedDict()
        self._lock = Lock()
        for entry in self._entries.values():
            entry.steps()  # reports a wrong name now
        for name in [entry.name for entry in first] or [self.default or default_for(None)]:
            self.load(ChainOptions(resolver=name))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that requests can use."""
        return tuple(self._entries)

    @property
    def loaded(self) -> tuple[str, ...]:
        """The names of the resolvers that are loaded, the least recently used first."""
        return tuple(self._loaded)

    def choose(self, options: ChainOptions) -> ChainOptions:
        """Return the options with the name of an allowed resolver and the code of the language."""
        language = language_code(options.language)
        name = options.resolver or self.default or default_for(language)
        if name not in self._entries:
            raise UnknownNameError("resolver", name, self._entries)
        return replace(options, resolver=name, language=language)

    def load(self, options: ChainOptions) -> Chain:
        """Return the chain for the options of a request; it is loaded if necessary."""
        options = self.choose(options)
        assert options.resolver is not None, "choose() names it"
        with self._lock:
            variants = self._loaded.get(options.resolver, OrderedDict())
            chain = variants.get(options)
            if chain is None:
                chain = variants[options] = self._make(options)
            self._loaded[options.resolver] = variants
            self._loaded.move_to_end(options.resolver)
            variants.move_to_end(options)
            while len(variants) > VARIANTS:
                variants.popitem(last=False)
            while len(self._loaded) > self.most:
                self._loaded.popitem(last=False)
        return chain

    def _make(self, options: ChainOptions) -> Chain:
        entry = self._entries[options.resolver or ""]
        chain = load_chain(
            entry.spec,
            language=options.language,
            min_link=options.min_link,
            singletons=options.singletons,
            scheme=options.scheme,
        )
        if chain.collects:
            raise CoindexError(
                f"{entry.name} resolves several documents together, so it cannot be served; use 'coindex resolve "
                "--cross'",
                code="several-documents",
            )
        return chain

    def describe(self) -> list[dict[str, Any]]:
        """Return the descriptions of all resolvers for `GET /v1/resolvers`."""
        default = self.default or default_for(None)
        return [
            {**entry.describe(), "is_default": name == default, "is_loaded": name in self._loaded}
            for name, entry in self._entries.items()
        ]


def scheme_of(chain: Chain) -> str | None:
    """Return the annotation scheme that a chain follows, None if it has no choice of schemes."""
    for part in chain.parts:
        choices = next((option.choices for option in part.resolver.options if option.name == SCHEME), ())
        if len(choices) > 1:
            return part.options.get(SCHEME, choices[0])
    return None
