"""The conformance suite over the plugin libreoffice."""

from octavo_conformance import ConverterConformance


class TestLibreOffice(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "libreoffice"
    level = 1  # `tox -e conformance` runs every level
