"""Work spread over processors: one function, and one module a backend."""

from .mapping import map_documents

__all__ = ["map_documents"]
