"""The conformance suite over the plugin liteparse."""

from octavo_conformance import ConverterConformance


class TestLiteparse(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "liteparse"
    level = 1  # `tox -e conformance` runs every level
