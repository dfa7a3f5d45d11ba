"""One module a schema, in the order of their numbers. They are never changed once they were published."""
