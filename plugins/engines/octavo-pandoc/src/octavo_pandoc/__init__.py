"""Octavo engine: documents read by the Pandoc program, which is found on the PATH and called as a process of its own.

`formats` says which types there are, `program` runs Pandoc, `blocks`, `inlines` and `tables` write its syntax tree as
markdown, `package`, `word` and `jats` look at what Pandoc passes over, `convert` brings them together.
"""
