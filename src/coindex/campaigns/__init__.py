"""Shared tasks: tracks, phases, blind input, the check of submissions, leaderboards, aliases.

No HTTP and no database here: everything is a pure function of documents, results and the time that it is told;
files are read by `coindex.api.campaigns`, and a server can call the same functions.
"""
