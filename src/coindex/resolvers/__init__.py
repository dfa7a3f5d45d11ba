"""Resolvers: text in, entities out. Each is `Document -> Document`; they know neither files nor scores."""
