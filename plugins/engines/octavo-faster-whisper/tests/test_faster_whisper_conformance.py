"""The conformance suite over the plugin faster-whisper."""

from importlib.util import find_spec

import pytest
from octavo_conformance import ConverterConformance


@pytest.mark.skipif(not find_spec("octavo_faster_whisper"), reason="octavo-faster-whisper is not installed")
class TestFasterWhisper(ConverterConformance):
    plugin = "faster-whisper"
