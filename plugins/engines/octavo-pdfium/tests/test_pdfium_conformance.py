"""The conformance suite over the plugin pdfium."""

from octavo_conformance import ConverterConformance


class TestPdfium(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "pdfium"
    level = 1  # `tox -e conformance` runs every level
