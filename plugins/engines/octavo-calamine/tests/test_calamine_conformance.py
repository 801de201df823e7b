"""The conformance suite over the plugin calamine."""

from octavo_conformance import ConverterConformance


class TestCalamine(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "calamine"
    level = 1  # `tox -e conformance` runs every level
