"""The conformance suite over the plugin pypdf."""

from octavo_conformance import ConverterConformance


class TestPypdf(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "pypdf"
    level = 1  # `tox -e conformance` runs every level
