"""The conformance suite over the plugin rapidocr."""

import pytest
from octavo_conformance import ConverterConformance

pytestmark = pytest.mark.slow


class TestRapidocr(ConverterConformance):
    plugin = "rapidocr"
