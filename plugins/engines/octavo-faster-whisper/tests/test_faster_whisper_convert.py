"""From recordings to time blocks, with the real engine and the small model that a package carries."""

from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import pytest
from octavo_contracts import (
    ContentTooLarge,
    SourceCorrupt,
    SourceEmpty,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
)

RATE = 16_000
NAME = "Please state your full name for the record."
OATH = "Do you swear to tell the truth under oath?"
DOUBTFUL = "ocr_low_confidence"
PARTIAL = "partial_conversion"


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


@pytest.mark.parametrize("suffix", [".wav", ".mp3", ".m4a", ".flac"])
def test_speech_is_written_down_in_every_format(suffix, say, sounds, write, listen):
    """CNV-9: text with its time, the language, the length."""
    said = say(OATH)
    made = listen(write(f"talk{suffix}", sounds.encoded(suffix, said)))
    (page,) = made.pages
    assert (made.paginated, page.kind, page.label) == (True, "time_block", "00:00:00")
    assert {"swear", "truth", "oath"} <= words(page.text)
    assert page.markdown == f"[00:00:00] {page.text}"
    assert made.metadata.language == "en"
    assert made.metadata.fields["duration_seconds"] == pytest.approx(len(said) / RATE, abs=0.1)
    assert 0 < made.extensions["octavo.page_confidences"]["1"] <= 1
    assert made.engine_version
    assert not [warning for warning in made.warnings if warning.code == PARTIAL]


def test_opus_in_ogg_is_written_down(say, sounds, write, listen):
    said = np.repeat(say(OATH), 3)
    made = listen(write("talk.ogg", sounds.encoded(".ogg", said, rate=48_000)))
    assert {"swear", "truth", "oath"} <= words(made.pages[0].text)


def test_blocks_of_a_minute_are_pages_and_pauses_are_paragraphs(say, sounds, write, listen):
    """CNV-9: time blocks stand for pages; what is said when stands in the text."""
    first, second = say(NAME), say(OATH)
    sound = np.zeros(80 * RATE, dtype="<i2")
    sound[: len(first)] = first
    sound[10 * RATE :][: len(second)] = second
    sound[70 * RATE :][: len(second)] = second
    one, two = listen(write("long.wav", sounds.wav(sound))).pages
    assert one.label == "00:00:00"
    assert re.fullmatch(r"00:01:(09|10)", two.label)
    assert re.findall(r"^\[(\d\d:\d\d:\d\d)\] ", one.markdown, re.MULTILINE)[0] == "00:00:00"
    assert len(one.markdown.split("\n\n")) == 2
    assert "record" in words(one.text)
    assert "oath" in words(two.text)


@pytest.mark.parametrize("kind", ["silence", "whisper of noise", "noise", "tone"])
def test_no_words_are_made_up_of_what_is_no_speech(kind, sounds, write, listen):
    """The model alone hears "You" in silence, and a sentence without end in a tone."""
    sound = {
        "silence": sounds.tone(20, loudness=0),
        "whisper of noise": sounds.noise(20, loudness=0.001),
        "noise": sounds.noise(20, loudness=0.05),
        "tone": sounds.tone(20),
    }[kind]
    made = listen(write("sound.wav", sounds.wav(sound)))
    (page,) = made.pages
    assert (page.kind, page.text, page.markdown) == ("time_block", "", "")
    assert made.metadata.language is None
    assert made.metadata.fields == {"duration_seconds": 20.0, "utterances": 0}


def test_the_same_bytes_give_the_same_transcript(say, sounds, write, listen):
    path = write("talk.wav", sounds.wav(say(NAME)))
    assert listen(path) == listen(path)


def test_words_drowned_in_noise_are_flagged(say, sounds, write, listen):
    """OCR-5, for speech: whoever reads is told that the words may be wrong."""
    said = say(f"{NAME} {OATH}")
    loud = sounds.noise(len(said) / RATE, loudness=0.12)[: len(said)]
    mixed = (said[: len(loud)] * 0.4 + loud).clip(-32767, 32767).astype("<i2")
    made = listen(write("noisy.wav", sounds.wav(mixed)))
    (warning,) = [warning for warning in made.warnings if warning.code == DOUBTFUL]
    assert warning.page == 1
    assert made.extensions["octavo.page_confidences"]["1"] < 0.7
    assert "confidence of 0." in warning.message


def test_the_sound_of_a_video_is_written_down_and_the_loss_of_its_pictures_told(say, sounds, write, listen):
    made = listen(write("film.m4a", sounds.video(say(OATH))))
    assert "oath" in words(made.pages[0].text)
    assert [warning.code for warning in made.warnings if warning.code == PARTIAL] == [PARTIAL]


def test_a_cut_recording_is_partial(say, sounds, write, listen):
    data = sounds.encoded(".mp3", say(f"{NAME} {OATH}"))
    made = listen(write("cut.mp3", data[: len(data) // 2]))
    assert "name" in words(made.pages[0].text)
    assert PARTIAL in {warning.code for warning in made.warnings}


def test_a_video_renamed_to_mp3_is_refused(sounds, write, listen):
    with pytest.raises(SourceCorrupt, match="first bytes"):
        listen(write("film.mp3", sounds.video(sounds.tone(1))))


def test_a_text_renamed_to_wav_is_refused(write, listen):
    with pytest.raises(SourceCorrupt, match="first bytes"):
        listen(write("note.wav", b"Just words, spoken by nobody."))


def test_an_empty_file_and_an_empty_recording_are_told_apart(sounds, write, listen):
    with pytest.raises(SourceEmpty):
        listen(write("nothing.wav", b""))
    with pytest.raises(SourceCorrupt, match="0 seconds"):
        listen(write("silent.wav", sounds.wav(sounds.tone(0))))


def test_more_time_blocks_than_pages_allowed_are_refused_before_anything_is_heard(sounds, write, listen):
    started = time.perf_counter()
    with pytest.raises(ContentTooLarge, match="3 time blocks are above the limit of 2"):
        listen(write("long.wav", sounds.wav(sounds.tone(150, loudness=0))), max_pages=2)
    assert time.perf_counter() - started < 2


def test_a_language_that_the_model_does_not_know_is_told(say, sounds, write, listen):
    path = write("talk.wav", sounds.wav(say(OATH)))
    with pytest.raises(ToolUnavailable, match="does not know the language 'de'"):
        listen(path, options={"language": "de"})
    assert listen(path, options={"language": "en-GB", "beam_size": 1}).metadata.language == "en"


def test_another_type_and_single_pages_are_refused(sounds, write, convert_file):
    path = write("talk.wav", sounds.wav(sounds.tone(1)))
    with pytest.raises(UnsupportedFormat, match="application/pdf"):
        convert_file(path, media_type="application/pdf")
    with pytest.raises(UsageError, match="page_ranges"):
        convert_file(path, pages=(1,))


@pytest.mark.corpus
def test_real_speech_is_written_down_nearly_word_for_word(listen):
    """Fewer than one word in six is wrong, though numbers are written as figures and titles short."""
    corpus = pytest.importorskip("tests.benchmarks.corpus", reason="the workspace's benchmarks are not at hand")
    speech = pytest.importorskip("tests.benchmarks.speech", reason="the workspace's benchmarks are not at hand")
    folder = corpus.corpus_folder()
    if folder is None:
        pytest.skip("the corpus is not here: set OCTAVO_CORPUS, or lay it beside the checkout")
    paths: dict[str, Path] = {path.name: path for path in (folder / "audio").iterdir()}
    rates = []
    for clip in speech.clips(folder):
        text = " ".join(page.text or "" for page in listen(paths[clip.name]).pages)
        rates.append(speech.error_rate(clip.truth, text))
    assert len(rates) >= 5
    assert sorted(rates)[len(rates) // 2] < 1 / 6
