"""The conformance suite over the plugin trafilatura."""

from octavo_conformance import ConverterConformance


class TestTrafilatura(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "trafilatura"
    level = 1  # `tox -e conformance` runs every level
