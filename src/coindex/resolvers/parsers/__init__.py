"""Parsers of other packages, which add UD columns and named entities to the tokens of a document."""
