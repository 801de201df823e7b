"""The conformance suite over the plugin firecrawl."""

from octavo_conformance import ConverterConformance


class TestFirecrawl(ConverterConformance):
    plugin = "firecrawl"
