"""The conformance suite over the plugin pdf-inspector."""

from octavo_conformance import ConverterConformance


class TestPdfInspector(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "pdf-inspector"
    level = 1  # `tox -e conformance` runs every level
