"""Rule-based resolvers and steps, which need no training."""
