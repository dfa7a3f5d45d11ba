"""The metrics, one per module."""
