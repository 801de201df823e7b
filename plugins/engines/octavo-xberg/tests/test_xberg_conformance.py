"""The conformance suite over the plugin xberg."""

from octavo_conformance import ConverterConformance


class TestXberg(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "xberg"
    level = 1  # `tox -e conformance` runs every level
