"""Experiments: what scores depend on, told by resolvers that are trained or run under several conditions.

Each condition is a cell. Nothing here loads torch before a model is trained.
"""
