"""What is decoded of a recording, and what is said of one that is damaged, cut or none."""

from __future__ import annotations

import io
import random
import sys
from contextlib import closing
from itertools import pairwise

import pytest
from octavo_contracts import ContentTooLarge, SourceCorrupt, ToolUnavailable
from octavo_contracts.authoring import recordings as sound

pytest.importorskip("av", reason="PyAV is not installed: it comes with octavo-faster-whisper")

TYPES = {".wav": "audio/wav", ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".flac": "audio/flac", ".ogg": "audio/ogg"}


def heard(data: bytes, media_type: str) -> tuple[float, list[str]]:
    """Seconds of sound, and the warnings."""
    with closing(sound.Recording(io.BytesIO(data), media_type=media_type)) as recording:
        samples = sum(len(piece.samples) for piece in recording.pieces())
        assert samples == round(recording.seconds * sound.RATE)
        return recording.seconds, [warning.message for warning in recording.warnings()]


@pytest.mark.parametrize(("suffix", "media_type"), TYPES.items())
def test_every_format_is_decoded_to_its_end(suffix, media_type, sounds):
    seconds, said = heard(sounds.encoded(suffix, sounds.tone(3, rate=48_000), rate=48_000), media_type)
    assert seconds == pytest.approx(3, abs=0.05)
    assert said == []


@pytest.mark.parametrize(("suffix", "media_type"), TYPES.items())
def test_a_cut_recording_is_told_or_refused(suffix, media_type, sounds):
    """QLT-2: a download that stopped is not passed off as the whole."""
    whole = sounds.encoded(suffix, sounds.tone(3, rate=48_000), rate=48_000)
    try:
        seconds, said = heard(whole[: len(whole) * 6 // 10], media_type)
    except SourceCorrupt:
        assert suffix == ".m4a"  # its table of contents stands at the end
    else:
        assert seconds < 2.5
        assert any("header states" in text or "marked as its last" in text for text in said)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("suffix", "media_type"), TYPES.items())
def test_a_damaged_recording_is_decoded_as_far_as_it_goes_or_refused(suffix, media_type, seed, sounds):
    """No byte in the wrong place ends in anything but a typed error."""
    data = bytearray(sounds.encoded(suffix, sounds.tone(2, rate=48_000), rate=48_000))
    dice = random.Random(seed)
    for _ in range(40):
        data[dice.randrange(12, len(data))] = dice.randrange(256)
    try:
        seconds, said = heard(bytes(data), media_type)
    except SourceCorrupt as error:
        seconds, said = 0.0, [error.message]
    assert seconds > 1.9 or said


def test_packets_that_can_not_be_decoded_are_counted(sounds):
    data = bytearray(sounds.encoded(".m4a", sounds.tone(3)))
    start = data.index(b"mdat")
    data[start + 400 : start + 900] = bytes(500)
    _, said = heard(bytes(data), "audio/mp4")
    assert any("sound is damaged" in text for text in said)


@pytest.mark.parametrize("order", ["RIFF", "RIFX"])
def test_a_wav_header_that_promises_too_much_is_told(order, sounds):
    """FFmpeg passes over it; both orders of bytes are read."""
    seconds, said = heard(sounds.wav(sounds.tone(1), promised=132_000, order=order), "audio/wav")
    assert seconds == pytest.approx(1, abs=0.01)
    assert said == ["its header states 100,000 more bytes of sound than the file contains"]


def test_a_stream_without_an_end_in_its_header_is_whole(sounds):
    """What a recorder writes that cannot know how long it will record."""
    assert heard(sounds.wav(sounds.tone(1), promised=0xFFFFFFFF), "audio/wav")[1] == []


def test_a_recording_of_no_seconds_holds_no_sound(sounds):
    for data, media_type in (
        (sounds.wav(sounds.tone(0)), "audio/wav"),
        (sounds.encoded(".flac", sounds.tone(0)), "audio/flac"),
    ):
        with pytest.raises(SourceCorrupt, match="its length is 0 seconds"):
            heard(data, media_type)


@pytest.mark.parametrize("media_type", TYPES.values())
@pytest.mark.parametrize(
    "data", [b"Just words, spoken by nobody.", b"#EXTM3U\nfile:///etc/passwd\n", b"\x00" * 4000, b"x"]
)
def test_bytes_of_another_kind_are_refused(media_type, data):
    """A text renamed to .wav, and a list of other files, which FFmpeg alone would follow."""
    with pytest.raises(SourceCorrupt, match="first bytes of the file are not those of"):
        heard(data, media_type)


@pytest.mark.parametrize("rate", [0, 2**31 - 2])
def test_a_corrupt_header_is_refused(rate, sounds):
    with pytest.raises(SourceCorrupt):
        heard(sounds.wav(sounds.tone(1), rate=rate), "audio/wav")


def test_a_file_without_a_track_of_sound_is_refused(sounds):
    """A silent film under the name of a recording."""
    with pytest.raises(SourceCorrupt, match="no sound"):
        heard(sounds.video(None), "audio/mp4")


def test_the_sound_of_a_video_is_decoded_and_its_pictures_are_told(sounds):
    seconds, said = heard(sounds.video(sounds.tone(2)), "audio/mp4")
    assert seconds == pytest.approx(2, abs=0.1)
    assert said == ["it is a video: only its sound was transcribed"]


def test_a_video_that_is_called_mp3_is_refused(sounds):
    """CLS-8: the bytes decide, not the name."""
    with pytest.raises(SourceCorrupt, match="not those of audio/mpeg"):
        heard(sounds.video(sounds.tone(1)), "audio/mpeg")


def test_a_long_recording_comes_in_pieces_cut_where_it_is_quiet(monkeypatch, sounds):
    """Memory holds one piece at a time, and no word is cut in two."""
    monkeypatch.setattr(sound, "PIECE_SECONDS", 10)
    monkeypatch.setattr(sound, "SEARCH_SECONDS", 4)
    samples = sounds.tone(25)
    for pause in (8, 16):
        samples[pause * sound.RATE : (pause + 1) * sound.RATE] = 0
    with closing(sound.Recording(io.BytesIO(sounds.wav(samples)), media_type="audio/wav")) as recording:
        pieces = list(recording.pieces())
    assert [int(piece.start) for piece in pieces] == [0, 8, 16]
    assert sum(len(piece.samples) for piece in pieces) == len(samples)
    for before, after in pairwise(pieces):
        assert after.start == pytest.approx(before.start + len(before.samples) / sound.RATE)


def test_a_recording_of_days_is_too_large(monkeypatch, sounds):
    """Silence packs so well that the size of a file says nothing."""
    monkeypatch.setattr(sound, "MAX_SECONDS", 2)
    with pytest.raises(ContentTooLarge, match="hours"):
        heard(sounds.encoded(".flac", sounds.tone(3, loudness=0)), "audio/flac")


def test_without_pyav_the_command_is_named(monkeypatch, sounds):
    data = sounds.wav(sounds.tone(1))
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(ToolUnavailable, match="pip install av"):
        heard(data, "audio/wav")
