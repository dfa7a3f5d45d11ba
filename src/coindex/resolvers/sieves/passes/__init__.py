"""The sieves, one per file."""
