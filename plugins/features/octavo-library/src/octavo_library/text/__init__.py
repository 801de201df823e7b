"""Parsers of dates and numbers in texts."""
