"""Subtitles (CNV-9)."""

from __future__ import annotations

import pytest
from octavo_contracts import SourceCorrupt

VTT = """WEBVTT - a talk

NOTE made for this test

STYLE
::cue { color: red }

intro
00:01.000 --> 00:03.500 align:start
<v.loud Ada>Hello <b>there</b>,
all of you.

00:03.600 --> 00:05.000
<v Ada>How are you?</v>

00:05.200 --> 00:06.000
<v Grace>Fine &amp; well.</v>

00:01:10.000 --> 00:01:12.000
Nobody said # this.
"""


def test_captions_become_blocks_of_a_minute(convert):
    conversion = convert(VTT, "text/vtt")
    assert conversion.paginated
    assert [(page.kind, page.label) for page in conversion.pages] == [
        ("time_block", "00:00:01"),
        ("time_block", "00:01:10"),
    ]


def test_turns_of_a_speaker_run_on_and_keep_the_name(convert):
    first, second = convert(VTT, "text/vtt").pages
    assert first.markdown == "[00:00:01] Ada: Hello there, all of you. How are you?\n\n[00:00:05] Grace: Fine & well."
    assert first.text == "Ada: Hello there, all of you. How are you?\n\nGrace: Fine & well."
    assert second.markdown == "[00:01:10] Nobody said # this."


def test_duration_and_speakers_are_metadata_and_notes_are_hidden(convert):
    conversion = convert(VTT, "text/vtt")
    assert conversion.metadata.fields == {"duration_seconds": 72.0, "captions": 4, "speakers": ["Ada", "Grace"]}
    assert [(hidden.text, hidden.why) for hidden in conversion.pages[0].hidden_text] == [
        ("made for this test", "comment")
    ]


def test_subrip_is_read(convert):
    text = "1\n00:00:01,000 --> 00:00:02,000\n<i>- One</i>\n\n2\n01:00:00,500 --> 01:00:02,000\n{\\an8}Two\n\n3\n01:00:09,0 --> 01:00:10,0\nThree\n"
    conversion = convert(text, "application/x-subrip")
    assert [page.label for page in conversion.pages] == ["00:00:01", "01:00:00"]
    assert conversion.pages[1].markdown == "[01:00:00] Two\n\n[01:00:09] Three"


def test_two_voices_in_one_caption_are_two_turns(convert):
    text = "WEBVTT\n\n00:00.000 --> 00:02.000\n<v A>Yes?<v B>No.\n"
    assert convert(text, "text/vtt").pages[0].markdown == "[00:00:00] A: Yes?\n\n[00:00:00] B: No."


@pytest.mark.parametrize("text", ["WEBVTT\n", "just text\n", "WEBVTT\n\n00:00.000 --> 00:02.000\n\n"])
def test_a_file_without_captions_is_corrupt(convert, text):
    with pytest.raises(SourceCorrupt, match="no caption"):
        convert(text, "text/vtt")
