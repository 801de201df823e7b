"""The conformance suite over the plugin gliner."""

from importlib.util import find_spec

import pytest
from octavo_conformance import ConverterConformance


@pytest.mark.skipif(not find_spec("gliner"), reason="gliner is not installed: it brings torch")
class TestGliner(ConverterConformance):
    plugin = "gliner"
