"""The conformance suite over the plugin census."""

from octavo_conformance import ConverterConformance


class TestCensus(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "census"
    level = 1  # `tox -e conformance` runs every level
