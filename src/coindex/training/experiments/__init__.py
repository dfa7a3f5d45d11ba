"""Experiments that train or run resolvers under several conditions and compare their scores.

Each condition is a cell. torch is imported only when a model is trained.
"""
