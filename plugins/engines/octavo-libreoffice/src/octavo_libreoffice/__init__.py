"""Octavo engine: documents that LibreOffice converts to OpenDocument, read from there.

`program` runs LibreOffice, `locked` tells what is protected by a password, `package` opens its answer, `paragraphs`,
`grids`, `texts`, `slides` and `sheets` read it, `convert` brings them together.
"""
