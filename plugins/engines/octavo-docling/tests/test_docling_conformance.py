"""The conformance suite over the plugin docling."""

from importlib.util import find_spec

import pytest
from octavo_conformance import ConverterConformance


@pytest.mark.skipif(
    not find_spec("octavo_docling") or not find_spec("docling"),
    reason="octavo-docling is not installed with its engine: half a gigabyte, in an extra of its own",
)
class TestDocling(ConverterConformance):
    """Every check is a test; known failures stand in `octavo-conformance.toml`."""

    plugin = "docling"
    level = 1  # `tox -e conformance` runs every level
