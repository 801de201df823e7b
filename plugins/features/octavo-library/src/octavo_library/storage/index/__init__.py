"""The index of a library: tables, queries and migrations."""
