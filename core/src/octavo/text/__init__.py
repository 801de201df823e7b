"""From pages to the two texts: `converted.md` keeps structure, `canonical.txt` is what every offset counts in."""
