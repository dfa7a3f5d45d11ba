"""One module per schema version, in numerical order. Published versions are never changed."""
