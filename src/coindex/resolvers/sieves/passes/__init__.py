"""The sieves, one a file."""
