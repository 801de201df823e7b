"""`octavo watch`: ingests what is put into a folder."""
