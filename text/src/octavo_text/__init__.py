"""The two texts of a document: `converted.md` keeps its structure, all offsets count in `canonical.txt`."""
