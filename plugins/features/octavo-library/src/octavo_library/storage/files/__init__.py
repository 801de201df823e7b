"""The files of a library: content-addressed, immutable, written atomically."""
