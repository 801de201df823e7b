"""Converts one document: the result depends on its bytes and the options only. Stores nothing."""
