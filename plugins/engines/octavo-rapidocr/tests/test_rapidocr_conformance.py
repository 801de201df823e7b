"""The conformance suite over the plugin rapidocr."""

import pytest
from octavo_conformance import ConverterConformance

pytestmark = pytest.mark.slow


class TestRapidocr(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "rapidocr"
    level = 1  # `tox -e conformance` runs every level
