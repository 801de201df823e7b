"""Counts the structural parts of a document before its conversion, with readers independent of every converter."""
