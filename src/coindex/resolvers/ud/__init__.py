"""A trained resolver for Universal Dependencies: any language with trees, including zeros."""
