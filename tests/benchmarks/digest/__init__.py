"""Benchmarks of the digest: speed and growth, evidence, summaries. Each prints a table."""
