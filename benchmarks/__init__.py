"""Measurements: ratios to peers and growth curves, each made in one run; results are files in `results/`."""
