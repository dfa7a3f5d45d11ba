"""The annotation app: projects, layers, assignment, review, suggestions.

A layer is an append-only log of operations with snapshots and a revision number. Modules here take a store or a session
and return documents, layers or plain data; `views` has the pages.
"""
