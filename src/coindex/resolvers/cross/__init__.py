"""Coreference over a collection: events and entities that several documents speak of.

Documents -> topics -> mentions -> candidate pairs -> features -> probabilities -> clusters -> documents with ids that
hold in the whole collection. Nothing here needs training or torch; a trained pair scorer is a file that `scorer`
reads.
"""
