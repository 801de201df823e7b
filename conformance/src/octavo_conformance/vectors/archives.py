"""Fresh documents with documents inside: archives, and the attachments of a mail."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from ..office_writer import zipped
from .model import AttachmentTruth, words_of
from .truths import Truth
from .words import Words

File = tuple[str, bytes]
"""Name and content."""
ZIP_TYPE = "application/zip"
_MANY = 180
"""Files in a large archive."""
TOLD = (
    "File",
    "Bytes",
    "Name",
    "Size",
    "bytes",
    "B",
    "KB",
    "KiB",
    "text",
    "csv",
    "plain",
    "json",
    "application",
    "octet",
    "stream",
)
"""What a converter may write of a file in a list."""


def make_files(words: Words) -> list[File]:
    """Generate files that a converter may take for each other: of one name in several folders, of one content, deep, long, short.

    Args:
        words: the words.
    """
    one, two, three = words.word(), words.word(), words.word()
    text = f"{words.line()}\n".encode()
    twin = bytes(reversed(text.strip())) + b"\n"
    return [
        (f"{one}.txt", text),
        (f"{two}/{one}.txt", twin),
        (f"{two}/{three}/{one}.txt", f"{words.paragraph(2)}\n".encode()),
        (f"{two}/{three}/{words.word()}/{words.word()}.txt", text),
        (f"{words.word()} {words.word()}.txt", f"{words.paragraph(40)}\n".encode()),
        (f"{three}.csv", f"{words.word()},{words.number()}\n{words.word()},{words.loss()[1:2]}\n".encode()),
        (f"{words.word()}.json", f'{{"{words.word()}": {words.dice.randint(100, 999)}}}\n'.encode()),
        (f"{words.word()}", f"{words.line(3)}\n".encode()),
        (f"{one}-2.TXT", f"{words.word()}\n".encode()),
    ]


def make_large_file(words: Words) -> File:
    """Generate a text of some hundred kilobytes, as large as the files that are sent with mails."""
    text = "\n".join(words.paragraph(40) for _ in range(words.dice.randint(60, 120)))
    return f"{words.word()}.txt", f"{text}\n".encode()


def truth_of(files: Sequence[File]) -> dict[str, tuple[object, ...]]:
    """Return what is to be found of files in a document, and the words that a converter may add for them."""
    texts = [_text_of(data) for _, data in files]
    told = [
        word
        for (name, data), text in zip(files, texts, strict=True)
        for word in (*words_of(name), *words_of(text), str(len(data)))
    ]
    return {
        "attachments": tuple(
            AttachmentTruth(name=name, sha256=hashlib.sha256(data).hexdigest(), text=text)
            for (name, data), text in zip(files, texts, strict=True)
        ),
        "allowed": (*dict.fromkeys(told), *TOLD),
    }


def _text_of(data: bytes) -> str:
    """Return the text of a file; of an archive, names, sizes and texts of the files in it."""
    if not data.startswith(b"PK"):
        return data.decode()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return "\n".join(f"{one.filename} {one.file_size}\n{archive.read(one).decode()}" for one in archive.infolist())


def attached(body: bytes, files: Sequence[File]) -> bytes:
    """Return a mail of one part as the first part of one with attachments."""
    head, _, text = body.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    own = [line for line in lines if line.startswith((b"Content-Type:", b"Content-Transfer-Encoding:"))]
    common = [line for line in lines if line not in own]
    mark = b"part-of-the-mail"
    parts = [b"\r\n".join(own) + b"\r\n\r\n" + text]
    for name, data in files:
        shown = PurePosixPath(name).name.encode()
        coded = base64.encodebytes(data).replace(b"\n", b"\r\n")
        parts.append(
            b'Content-Type: application/octet-stream; name="%s"\r\nContent-Disposition: attachment; filename="%s"\r\n'
            b"Content-Transfer-Encoding: base64\r\n\r\n%s" % (shown, shown, coded)
        )
    written = b"".join(b"--%s\r\n%s\r\n" % (mark, part) for part in parts)
    kind = b'Content-Type: multipart/mixed; boundary="%s"' % mark
    return b"\r\n".join((*common, kind, b"", written)) + b"--%s--\r\n" % mark


def _archive(files: Sequence[File], *, compress: bool = True) -> Truth:
    return zipped(dict(files), compress=compress), "whole", [""], truth_of(files)


def _zip(words: Words) -> Truth:
    # Not compressed: the twin has other letters and the same size.
    files = [(f"{number}/{words.word()}.txt", f"{words.line()}\n".encode()) for number in (1, 2, 3)]
    return _archive(files, compress=False)


def _mixed(words: Words) -> Truth:
    files = make_files(words)
    inner = {f"{words.word()}/{words.word()}.txt": f"{words.paragraph(3)}\n".encode() for _ in range(3)}
    files.append((f"{words.word()}/{words.word()}.zip", zipped(inner, compress=True)))
    words.dice.shuffle(files)
    return _archive(files)


def _large(words: Words) -> Truth:
    return _archive(
        [(f"{words.word()}/{number:03}.txt", f"{words.paragraph(28)}\n".encode()) for number in range(_MANY)]
    )


ZIP_MAKERS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "zip/mixed.zip": (ZIP_TYPE, _mixed),
    "zip/large.zip": (ZIP_TYPE, _large),
}
"""Path → media type, and the function that makes the document."""
FRESH_ZIP = (ZIP_TYPE, _zip)
"""Media type and function of the small archive, of which there is a twin."""
