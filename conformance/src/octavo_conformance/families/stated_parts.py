"""OC-GOLD on what fresh documents state of their parts: types and sizes of attachments, speakers of captions."""

from __future__ import annotations

from pathlib import PurePosixPath

from ..checks import check, expect_none
from ..evidence import page_texts
from ..subject import Subject
from ..vectors import GoldenVector, words_of


@check(
    "OC-GOLD-047",
    scope="fresh",
    level=3,
    spec=("STO-1", "QLT-2"),
    requires=("OC-GOLD-025",),
    hook="convert",
    vectors="attachments",
)
def attachments_keep_their_types(subject: Subject, vector: GoldenVector) -> None:
    """The media type of an attachment is the one that its container states, whatever its name ends with; its size is that of its bytes.

    The size counts where the bytes are left out too.

    Fix:
    Take the type from the part's own header; guess from the name only where the container states none.
    Hash and count the decoded bytes.
    """
    stated = {(PurePosixPath(one.name).name, one.sha256): one for one in vector.expected.attachments}
    wrong = []
    for item in subject.convert_as_host(vector).conversion().attachments:
        truth = stated.get((PurePosixPath(item.name or "").name, item.sha256))
        if truth is None:
            continue
        told = item.media_type.partition(";")[0].strip().lower()
        if truth.media_type is not None and told != truth.media_type:
            wrong.append(f"{item.name}: {item.media_type} for {truth.media_type}")
        if truth.size is not None and item.size != truth.size:
            wrong.append(f"{item.name}: {item.size} bytes for {truth.size}")
    expect_none(wrong, "attachments have another type or size", expected="those of the container")


@check(
    "OC-GOLD-048",
    scope="fresh",
    level=3,
    spec=("QLT-2", "CNV-13"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors="voices",
)
def captions_keep_their_speakers(subject: Subject, vector: GoldenVector) -> None:
    """A name stands in front of the captions of a fresh document that name it, and of no others: a caption without a speaker has none.

    Fix:
    Take the speaker from the caption itself; the one of an earlier caption does not go on.
    """
    conversion = subject.convert_as_host(vector).conversion()
    text = " ".join(words_of("\n".join(page_texts(conversion))))
    names = {name for name, _ in vector.expected.voices if name}
    at, wrong = 0, []
    for name, said in vector.expected.voices:
        start = text.find(" ".join(words_of(said)), at)
        if start < 0:
            continue
        before = text[at:start]
        told = max((one for one in names if one in before), key=before.rfind, default="")
        if told not in ("", name):
            wrong.append(f"{told}: {said}")
        at = start + len(" ".join(words_of(said)))
    listed = conversion.metadata.fields.get("speakers")
    wrong += [str(one) for one in listed if one not in names] if isinstance(listed, list) else []
    expect_none(wrong[:8], "captions have another speaker", expected="the speaker that each caption names, or none")
