"""Benchmark mechanisms: model, source, parameters, checks and a picture of each."""
