"""Other libraries: the spaCy component, pandas frames, networkx graphs."""
