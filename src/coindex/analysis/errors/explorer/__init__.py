"""The error explorer: a page of its own with key and responses side by side."""
