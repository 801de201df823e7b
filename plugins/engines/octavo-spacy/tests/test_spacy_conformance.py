"""The conformance suite over the plugin spacy."""

from octavo_conformance import ConverterConformance


class TestSpacy(ConverterConformance):
    plugin = "spacy"
