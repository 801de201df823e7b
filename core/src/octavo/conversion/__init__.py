"""Conversion of one document: a function of its bytes and the options. Stores nothing."""
