"""The conformance suite over the plugin plaintext."""

from octavo_conformance import ConverterConformance


class TestPlaintext(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "plaintext"
    level = 1  # `tox -e conformance` runs every level
