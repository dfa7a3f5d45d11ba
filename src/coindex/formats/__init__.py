"""One module a format, one registry, detection by content."""
