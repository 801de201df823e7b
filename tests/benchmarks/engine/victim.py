"""A host that works on a library at random until it is killed; started by `faults.py`.

Usage: python tests/benchmarks/engine/victim.py LIBRARY DOCUMENTS SEED
"""

from __future__ import annotations

import contextlib
import itertools
import random
import secrets
import sys
from email.message import EmailMessage
from pathlib import Path

from octavo.settings.settings import Settings
from octavo_contracts import OctavoError, ref_path
from octavo_library import Library
from octavo_library.facade.document import Document

WORKERS = 2
WORDS = ["tide", "harbour", "seal", "storm", "pebble", "gull"]


def work_until_killed(library: Path, documents: Path, seed: int) -> None:
    """What a victim does: mostly ingests, now and then reconverts or deletes, for ever."""
    chance = random.Random(seed)
    with Library.open(library, settings=Settings(workers=WORKERS)) as opened:
        print("open", flush=True)
        for number in itertools.count():
            known = [document for document in opened.documents() if document.status == "complete"]
            if chance.random() < 0.5 or len(known) < 8:
                for serial in range(5):
                    _write_document(documents / f"{seed:05}-{number:03}-{serial}.txt", chance)
                _write_message(documents / f"{seed:05}-{number:03}-5.eml", chance)
                for item in opened.ingest_many(sorted(documents.iterdir())):
                    if not item.reused:
                        print("ingested", flush=True)
                continue
            for document in chance.sample(known, k=2):
                _change(opened, document, chance)
                print("changed", flush=True)


def _change(library: Library, document: Document, chance: random.Random) -> None:
    """Reconvert a document, or delete it; of what came inside a message, only the first."""
    files = [path for path in document.paths if path.startswith("file:")]
    if not files:
        with contextlib.suppress(OctavoError):  # as below
            document.reconvert()
        return
    path = ref_path(files[0])
    if not path.exists():
        return
    try:
        if chance.random() < 0.6:
            document.reconvert()
        else:
            # The file goes first: what is then still in the library is what is yet to be purged.
            path.unlink()
            library.maintenance.purge(document, confirm=document.id)
    except OctavoError:
        return  # its workers were killed twice, or it is being converted: the last host sees to it


def _write_document(path: Path, chance: random.Random) -> None:
    """Write a document at one stroke: a kill between its creation and its words would leave an honest empty file."""
    words = " ".join(chance.choices(WORDS, k=150))
    _at_one_stroke(path, f"Note {path.stem}\n\n{words}\n".encode())


def _write_message(path: Path, chance: random.Random) -> None:
    """Write a message with a message attached, which has a note of its own attached and one that many messages have."""
    own, shared = f"Own note of {path.stem}", f"Shared note {chance.randrange(5)}"
    inner, outer = _new_message(f"Inner {path.stem}"), _new_message(f"Outer {path.stem}")
    for words in (own, shared):
        inner.add_attachment(words.encode(), "text", "plain", filename="note.txt")
    outer.add_attachment(inner)
    _at_one_stroke(path, outer.as_bytes())


def _new_message(subject: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["Subject"], message["Date"] = "ada@quay.example", subject, "Mon, 3 Mar 2025 10:00:00 +0000"
    message.set_content(f"{subject}: see what is attached.")
    return message


def _at_one_stroke(path: Path, data: bytes) -> None:
    # A random name that is free: the folder may be one of the user's, who names it on the command line.
    unfinished = path.parent.with_name(f"unfinished-{secrets.token_hex(8)}")
    with unfinished.open("xb") as stream:
        stream.write(data)
    unfinished.replace(path)


if __name__ == "__main__":
    work_until_killed(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
