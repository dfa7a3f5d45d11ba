"""Resolvers: text in, entities out. Each is `Document -> Document`; they know neither files nor scores."""

from .chain import Chain, load_chain
from .registry import Resolver, all_resolvers, get_resolver

__all__ = ["Chain", "Resolver", "all_resolvers", "get_resolver", "load_chain"]
