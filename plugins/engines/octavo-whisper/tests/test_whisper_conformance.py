"""The conformance suite over the plugin whisper."""

from importlib.util import find_spec

import pytest
from octavo_conformance import ConverterConformance


@pytest.mark.skipif(
    not find_spec("octavo_whisper") or not find_spec("whisper"),
    reason="octavo-whisper is not installed with its engine: it brings torch",
)
class TestWhisper(ConverterConformance):
    plugin = "whisper"
