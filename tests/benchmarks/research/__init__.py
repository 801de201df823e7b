"""Benchmarks of research runs."""
