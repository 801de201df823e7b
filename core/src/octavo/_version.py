"""The version of this distribution; a test compares it with the metadata."""

__version__ = "0.1.0"
