"""The conformance suite over the plugin literal."""

from octavo_conformance import ConverterConformance


class TestLiteral(ConverterConformance):
    plugin = "literal"
