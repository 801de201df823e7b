"""The conformance suite over the plugin azure."""

from octavo_conformance import ConverterConformance


class TestAzure(ConverterConformance):
    plugin = "azure"
