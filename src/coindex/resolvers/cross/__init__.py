"""Cross-document coreference: events and entities across the documents of a collection.

Documents -> topics -> mentions -> candidate pairs -> features -> probabilities -> clusters -> documents with shared
ids. Nothing here needs training or torch; a trained pair scorer is a file that `scorer` reads.
"""
