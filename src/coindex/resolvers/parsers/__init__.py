"""Parsers of other packages, run over our tokens: they fill the UD columns and names of a document."""
