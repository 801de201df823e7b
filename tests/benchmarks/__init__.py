"""Benchmarks: each prints a table with a ratio against a named peer or limit. None asserts a time."""
