"""Training of learned resolvers: data, model, loop. torch is imported only in these modules."""
