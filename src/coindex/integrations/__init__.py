"""Integrations with other libraries: the spaCy component, pandas frames, networkx graphs."""
