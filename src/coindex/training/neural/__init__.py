"""Train the neural within-document models."""
