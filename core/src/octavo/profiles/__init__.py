"""Routing profiles: rules as data, and their reader."""
