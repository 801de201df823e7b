"""The fixtures that the tests of every distribution share. pytest reads `pytest_plugins` here, and not further down."""

pytest_plugins = ["octavo_conformance.fixtures"]
