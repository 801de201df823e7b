"""`octavo watch`: ingests new and changed files of a folder."""
