"""The conformance suite over the plugin pillow."""

from octavo_conformance import ConverterConformance


class TestPillow(ConverterConformance):
    plugin = "pillow"
