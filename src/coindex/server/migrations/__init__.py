"""The schemas that there have been, and how to get from each to the next; Alembic runs them."""
