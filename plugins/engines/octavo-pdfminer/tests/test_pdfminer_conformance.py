"""The conformance suite over the plugin pdfminer."""

from octavo_conformance import ConverterConformance


class TestPdfminer(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "pdfminer"
    level = 1  # `tox -e conformance` runs every level
