"""Generate the pages of docs/reference from the code, one module per page."""
