"""Benchmarks of what language models are given."""
