"""The conformance suite over the plugin spacy."""

from octavo_conformance import ConverterConformance


class TestSpacy(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "spacy"
    level = 1  # `tox -e conformance` runs every level
