"""Annotation by several people: agreement, differences, adjudication and voting.

Functions take documents and return documents or plain data; files, web pages and databases are elsewhere.
"""
