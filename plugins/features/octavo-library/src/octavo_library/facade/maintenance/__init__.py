"""Checks, repair, retention and deletion: `library.maintenance`."""
