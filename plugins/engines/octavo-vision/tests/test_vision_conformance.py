"""The conformance suite over the plugin vision."""

from octavo_conformance import ConverterConformance


class TestVision(ConverterConformance):
    plugin = "vision"
