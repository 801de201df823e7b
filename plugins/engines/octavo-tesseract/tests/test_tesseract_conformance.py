"""The conformance suite over the plugin tesseract."""

from octavo_conformance import ConverterConformance


class TestTesseract(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "tesseract"
    level = 1  # `tox -e conformance` runs every level
