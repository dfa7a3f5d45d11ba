"""Corpus formats: one module per format, a registry, and detection by content."""
