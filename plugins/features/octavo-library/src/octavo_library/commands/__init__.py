"""The commands of a library, as `octavo` lists them."""

from __future__ import annotations

HELP = {
    "ingest": "Convert documents and keep them in a library.",
    "watch": "Take in what is put into a folder, as it comes.",
    "runs": "List the runs of a library, or show one.",
    "retry": "Try again what a run did not convert.",
    "show": "Show a document of a library.",
    "search": "Find passages in the documents of a library.",
    "corpus": "Create, list, show and change the corpora of a library.",
    "entities": "Show what was observed in documents, and say what is confirmed.",
    "list": "List the documents of a library.",
    "reconvert": "Convert a document of a library again, as a new version.",
    "compare": "Show what two plugins make of one document, measured and side by side.",
    "routing": "Show the rules that choose plugins, and review them.",
    "ocr": "Recognise the text of scanned pages; write a searchable copy.",
    "type": "Show the type of a document, or set it by hand.",
    "activate": "Choose which version of a document is the active one.",
    "relink": "Say where the original of a document stands now.",
    "check-paths": "Note which originals vanished from their paths, and which are back.",
    "export": "Write documents to files: markdown, text, HTML, JSON, chunks, pages, or a zip with everything.",
    "remove": "Take a document out of a corpus.",
    "purge": "Remove a document, or what is past its time, for good.",
    "verify-store": "Read every file of a library and compare it with what was recorded.",
    "repair": "Put right what `octavo verify-store` finds, as far as nothing is lost by it.",
}
"""Command → its line in the list of commands, in the order in which they are listed; equal to the first sentence of its help."""
