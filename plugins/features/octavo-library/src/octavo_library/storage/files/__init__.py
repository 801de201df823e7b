"""The files of a library: content-addressed, immutable, written so that a crash cannot tear them."""
