"""Training for cross-document coreference: a tagger of mentions, then a scorer of their pairs, in one model folder."""
