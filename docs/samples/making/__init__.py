"""How the samples are made, one kind of document a module. Only `make.py` imports this."""
