"""Resolvers that nobody has to train."""
