"""The pages of docs/reference, one module a page, made from the code."""
