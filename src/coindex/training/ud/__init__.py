"""Training of resolvers over the columns of Universal Dependencies."""
