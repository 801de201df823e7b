"""The conformance suite over the plugin rapidocr."""

from octavo_conformance import ConverterConformance


class TestRapidocr(ConverterConformance):
    plugin = "rapidocr"
