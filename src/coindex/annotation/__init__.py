"""Several people annotate one text: how far they agree, where they differ, and one annotation made of theirs.

Everything here takes documents and gives documents or plain data; files, web pages and databases are elsewhere.
"""
