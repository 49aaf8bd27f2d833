"""Measurements; the figures hold for the machine and the run they were made in, so only their ratios are compared."""
