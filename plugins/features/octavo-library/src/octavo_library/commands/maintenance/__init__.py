"""Commands that work on a whole library."""
