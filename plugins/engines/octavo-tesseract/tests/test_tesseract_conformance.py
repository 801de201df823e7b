"""The conformance suite over the plugin tesseract."""

from octavo_conformance import ConverterConformance


class TestTesseract(ConverterConformance):
    plugin = "tesseract"
