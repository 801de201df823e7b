"""How many parts of made documents reach the markdown: by construct and format, beside other converters in one run.

`documents` makes the documents, `converters` reads them, `counting` looks for the parts, `run.py` is the command.
"""
