"""The group of all commands. Importing it imports click and nothing heavier."""

from __future__ import annotations

import click

from .._version import __version__
from .toolkit.lazy import Entry, LazyGroup
from .toolkit.options import DEBUG_OPTION

COMMANDS: dict[str, Entry] = {
    "ingest": Entry("ingest.ingest", "Convert documents and keep them in a library."),
    "watch": Entry("watch.watch", "Take in what is put into a folder, as it comes."),
    "runs": Entry("maintenance.runs", "List the runs of a library, or show one."),
    "retry": Entry("ingest.retry", "Try again what a run did not convert."),
    "convert": Entry("documents.convert", "Convert one document to markdown; nothing is kept."),
    "show": Entry("documents.show", "Show a document of a library."),
    "search": Entry("documents.search", "Find passages in the documents of a library."),
    "digest": Entry("documents.digest", "Compress a document for a query, with quotations that can be verified."),
    "verify": Entry("documents.verify", "Check every quotation of a digest against the archived text."),
    "corpus": Entry("maintenance.corpus", "Create, list, show and change the corpora of a library."),
    "entities": Entry("documents.entities", "Show what was observed in documents, and say what is confirmed."),
    "extract": Entry(
        "documents.extract", "Extract literal values from a document, each with the place where it stands."
    ),
    "list": Entry("documents.listing", "List the documents of a library."),
    "reconvert": Entry("documents.reconvert", "Convert a document of a library again, as a new version."),
    "compare": Entry("documents.compare", "Show what two plugins make of one document, measured and side by side."),
    "routing": Entry("maintenance.routing", "Show the rules that choose plugins, and review them."),
    "ocr": Entry("documents.ocr", "Recognise the text of scanned pages; write a searchable copy."),
    "type": Entry("documents.document_type", "Show the type of a document, or set it by hand."),
    "activate": Entry("documents.activate", "Choose which version of a document is the active one."),
    "brief": Entry("documents.brief", "Show what to know of a document before reading it."),
    "relink": Entry("documents.relink", "Say where the original of a document stands now."),
    "check-paths": Entry(
        "maintenance.check_paths", "Note which originals vanished from their paths, and which are back."
    ),
    "export": Entry(
        "documents.export", "Write a document as a zip with its texts, metadata, quality report and annotations."
    ),
    "remove": Entry("documents.remove", "Take a document out of a corpus."),
    "purge": Entry("maintenance.purge", "Remove a document, or what is past its time, for good."),
    "verify-store": Entry(
        "maintenance.verify_store", "Read every file of a library and compare it with what was recorded."
    ),
    "repair": Entry(
        "maintenance.repair", "Put right what `octavo verify-store` finds, as far as nothing is lost by it."
    ),
    "settings": Entry("installation.settings", "Show every setting, and where its value comes from."),
    "plugins": Entry(
        "installation.plugins", "List the installed plugins and features, and what is wrong with those that fail."
    ),
    "doctor": Entry("installation.doctor", "Check the installation and say what is missing."),
    "schema": Entry("installation.schema", "Print the JSON Schema of what Octavo returns."),
    "completion": Entry("installation.completion", "Print the script that completes octavo commands in a shell."),
}
"""Every command: name → module and one line of help."""


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)
@click.version_option(__version__, prog_name="octavo", message="%(prog)s %(version)s")
def cli() -> None:
    """Turn documents into text that can be trusted."""


cli.params.append(DEBUG_OPTION)
