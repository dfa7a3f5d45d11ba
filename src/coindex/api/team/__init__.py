"""What a team does with its layers in a store: agreement, adjudication, voting, suggestions, import.

Everything here takes a store and gives documents, layers or plain data; pages are in `coindex.web`.
"""
