"""Mutation testing of what makes digests trustworthy; see `__main__`."""
