"""The conformance suite over the plugin pandoc."""

from octavo_conformance import ConverterConformance


class TestPandoc(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "pandoc"
    level = 1  # `tox -e conformance` runs every level
