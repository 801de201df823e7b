"""Consensus of several engines on a document: the best reading of each page and of each table."""
