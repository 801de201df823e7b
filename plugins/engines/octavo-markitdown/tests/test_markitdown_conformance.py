"""The conformance suite over the plugin markitdown."""

from octavo_conformance import ConverterConformance


class TestMarkitdown(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "markitdown"
    level = 1  # `tox -e conformance` runs every level
