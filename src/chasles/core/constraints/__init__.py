"""Constraints: a file per kind, with its rows, residual, gap and traits."""
