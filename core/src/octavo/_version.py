"""The version of this distribution, in step with its metadata (a test compares)."""

__version__ = "0.1.0"
