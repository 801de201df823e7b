"""Help lines of the library commands, for the command list of `octavo`."""

from __future__ import annotations

HELP = {
    "ingest": "Convert documents and store them in a library.",
    "watch": "Ingest new and changed files of a folder as they appear.",
    "submit": "Queue documents for workers, without converting them.",
    "worker": "Convert queued documents of a library, with any number of workers on any number of machines.",
    "queue": "Show the queue of a library: its documents, and the processes that have the library open.",
    "runs": "List the runs of a library, or show one.",
    "retry": "Retry the documents that a run did not convert.",
    "show": "Show a document of a library.",
    "search": "Find passages in the documents of a library.",
    "corpus": "Create, list, show and change the corpora of a library.",
    "entities": "Show the entities observed in documents, and confirm them.",
    "graph": "Show a document as a node with its corpora, entities and links.",
    "list": "List the documents of a library.",
    "reconvert": "Convert a document of a library again, as a new version.",
    "compare": "Compare the conversions of a document by two plugins, measured and side by side.",
    "routing": "Show the rules that choose plugins, and review them.",
    "ocr": "Recognise the text of scanned pages; write a searchable copy.",
    "mark": "Mark pages of a document as needing recognition, or as visually important.",
    "type": "Show the type of a document, or set it by hand.",
    "metadata": "Show or set the metadata that was declared of a document.",
    "accept": "Accept a document with its flags, or remove that mark.",
    "activate": "Choose which version of a document is the active one.",
    "relink": "Record the new path of a document's original.",
    "check-paths": "Record which originals vanished from their paths, and which returned.",
    "export": "Write documents to files: markdown, text, HTML, JSON, chunks, pages, or a zip with everything.",
    "remove": "Remove a document from a corpus.",
    "purge": "Permanently remove a document, or expired versions.",
    "verify-store": "Verify every file of a library against its recorded hash.",
    "repair": "Repair what `octavo verify-store` finds, without losing data.",
}
"""Command → its line in the command list, in the order of that list; equal to the first sentence of its help."""
