"""The conformance suite of Octavo's plugin contract."""
