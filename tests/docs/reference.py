"""The reference pages, made from the code they describe.

    python tests/docs/reference.py            write every page into docs/reference
    python tests/docs/reference.py --check    write nothing; end with 1 and name the pages that differ

A test compares the committed pages with what this module makes, so that no page can fall behind the code. It needs the
core, its features and the conformance suite; engines are read from their manifests in this repository and need not be installed.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import conformance_pages
import octavo
import octavo_contracts
import octavo_library
import requirements_page
import services_page
import tools_page
from octavo import hookspecs
from octavo.builtins.classification.thresholds import ClassificationThresholds
from octavo.builtins.quality.thresholds import QualityThresholds
from octavo.formats import FORMATS
from octavo.plugins import PluginSelection
from octavo.profiles.profile import DEFAULT_PROFILE, SHIPPED_PROFILES, load_profile
from octavo.profiles.sampling import SamplingPlan
from octavo.runtime import Runtime
from octavo.settings.attachments import AttachmentSettings
from octavo.settings.audio import SpeechSettings
from octavo.settings.engine import CareSettings
from octavo.settings.furniture import FurnitureSettings
from octavo.settings.layout import LayoutSettings
from octavo.settings.ocr import OcrSettings
from octavo.settings.repair import RepairSettings
from octavo.settings.settings import LogSettings, WatchSettings
from octavo.settings.sources.keys import parts
from octavo_cli.installation.reference import EXIT_CODES, InstalledCommand, render
from octavo_cli.toolkit.running import LABELS
from octavo_contracts import (
    CONTRACT_VERSION,
    MANIFEST_NAME,
    PRECEDENCE,
    REASONS,
    Capability,
    DegradedFlag,
    Model,
    PluginManifest,
    RoutingType,
)
from octavo_contracts.schema import SCHEMA_MODELS
from octavo_library.facade.document_annotations import Annotations
from octavo_library.facade.document_links import Links
from octavo_library.facade.document_original import Original
from octavo_library.facade.document_versions import DocumentVersion
from octavo_library.facade.namespaces import namespaces_of
from octavo_library.facade.results import Progress
from octavo_library.facade.versions import Versions
from octavo_library.ingestion import events, use_events
from octavo_library.observability import METRICS, AuditAction
from octavo_library.observability.event_log import LEFT_OUT, event_name
from octavo_library.storage.index import ownership
from octavo_library.telemetry import GAUGES
from octavo_library.tool_names import SPECIFIED, TOOL_NAMES
from octavo_sandbox import SandboxLimits
from octavo_sandbox.preflight import PreflightLimits
from octavo_text.chunking import ChunkingConfig
from octavo_text.document_pages import DocumentPage
from pydantic import BaseModel
from reference_markdown import (
    attribute_docs,
    attribute_notes,
    code_block,
    field_default,
    first_sentence,
    markdown,
    model_table,
    signature_text,
    table,
    value_text,
)

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reference"
NOTICE = "<!-- Made by tests/docs/reference.py from the code. Change the code, then run it. -->"

FUNCTIONS = {
    "octavo_digest": ("digest_document", "adigest_document", "verify_in_library"),
    "octavo_contracts": ("verify_digest",),
    "octavo_brief": ("brief",),
    "octavo_fields": ("extract",),
    "octavo_retrieval": ("tools", "rosters", "posture_marker"),
    "octavo_mcp": ("make_server", "make_app"),
    "octavo_dashboard": ("make_app",),
}
"""The functions that work on a library and its documents from outside: module → names."""

HOOK_NAMES = ("classify", "convert", "ocr", "extract_entities", "score_quality")
"""In the order in which a document meets them."""

TITLES = {"model": "Common parts", "ocr": "Text recognition", "refs": "References"}
"""Headings of the schemas whose module's name is no heading."""

FLAG_MEANINGS: dict[DegradedFlag, str] = {
    DegradedFlag.LOW_TEXT_YIELD: "Pages hold far less text than the document has, or than such pages usually have.",
    DegradedFlag.TABLES_LOST: "A page of the source shows a table, and the conversion has none there.",
    DegradedFlag.TABLES_GARBLED: "Too many rows of a table do not have the number of cells of its header.",
    DegradedFlag.MISSING_PAGE_ANCHORS: "Page boundaries were lost, so that a quotation cannot name its page.",
    DegradedFlag.OCR_LOW_CONFIDENCE: "Text was recognised from pictures, and the engine was unsure of it.",
    DegradedFlag.OCR_NEEDED: "Pages have no text layer that can be trusted, and nothing recognised them.",
    DegradedFlag.PARTIAL_CONVERSION: "Something in the document could not be read; the rest stands.",
    DegradedFlag.HIDDEN_TEXT: "The document holds text that its reader cannot see; it was kept apart.",
    DegradedFlag.TYPE_MISMATCH: "Name or declared type disagree with the content; the content won.",
    DegradedFlag.CLASSIFICATION_FAILED: "What kind of document it is could not be told.",
    DegradedFlag.ENCODING_REPAIRED: "The text's encoding was guessed or broken characters were replaced.",
    DegradedFlag.ACTIVE_CONTENT: "The document holds scripts, macros or something external that a program would fetch; none was run or fetched; a note.",
    DegradedFlag.NO_CONTENT: "The document was read, and there is nothing in it.",
    DegradedFlag.HEADINGS_LOST: "Headings of the source are no headings in the conversion.",
    DegradedFlag.LIST_ITEMS_LOST: "List items of the source are no list items in the conversion.",
    DegradedFlag.CELLS_LOST: "The conversion has fewer filled table cells than the source.",
    DegradedFlag.LINKS_LOST: "Targets of links of the source are not in the conversion.",
    DegradedFlag.IMAGES_LOST: "Descriptions of images of the source are not in the conversion; a note.",
    DegradedFlag.EQUATIONS_LOST: "The conversion has fewer formulas than the source.",
    DegradedFlag.NOTES_LOST: "Footnotes, endnotes or speaker notes of the source are not in the conversion.",
    DegradedFlag.COMMENTS_LOST: "Comments of the source are not in the conversion.",
    DegradedFlag.CHANGES_LOST: "Tracked changes of the source are not in the conversion.",
    DegradedFlag.TEXT_BOXES_LOST: "Text boxes of the source are not in the conversion.",
    DegradedFlag.CHARTS_LOST: "Charts of the source are not in the conversion, neither as a table nor by their labels.",
    DegradedFlag.CODE_BLOCKS_LOST: "Code blocks of the source are no code blocks in the conversion.",
    DegradedFlag.QUOTES_LOST: "Quotations of the source are no quotations in the conversion.",
}
"""What each flag says to a reader; a flag without an entry stops the generator."""


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or with `--check` compare them; 1 when any differs."""
    stale = [name for name, text in pages().items() if _committed(name) != text]
    if "--check" in arguments:
        sys.stdout.write("".join(f"docs/reference/{name} differs from the code\n" for name in stale))
        return int(bool(stale))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (FOLDER / name).write_text(pages()[name], encoding="utf-8")
        sys.stdout.write(f"docs/reference/{name}\n")
    return 0


def pages() -> dict[str, str]:
    """Every generated page: file name → text."""
    makers: dict[str, Callable[[], list[str]]] = {
        "checks.md": conformance_pages.checks_page,
        "cli.md": lambda: [render(installed_commands()).rstrip()],
        "engines.md": _engines,
        "formats.md": _formats,
        "hooks.md": _hooks,
        "limits.md": _limits,
        "mutants.md": conformance_pages.mutants_page,
        "observability.md": _observability,
        "policy-contexts.md": _policy_contexts,
        "profiles.md": _profiles,
        "python.md": _python,
        "reasons.md": _reasons,
        "requirements.md": requirements_page.requirements_page,
        "schemas.md": _schemas,
        "services.md": services_page.services_page,
        "support-matrix.md": conformance_pages.support_page,
        "tools.md": tools_page.tools_page,
    }
    return {name: "\n\n".join([NOTICE, *make()]) + "\n" for name, make in makers.items()}


def _policy_contexts() -> list[str]:
    """Whose each fact is, from `octavo_library.storage.index.ownership`."""
    owners = attribute_docs(ownership.Owner)
    meaning = [[f"`{owner.value}`", owners[owner.name]] for owner in ownership.Owner]
    asks = [f"Library.{name}" for name, member in _methods(octavo_library.Library) if _answers_a_corpus(member)]
    for namespace, kind in namespaces_of(octavo_library.Library).items():
        asks += [f"library.{namespace}.{name}" for name, member in _methods(kind) if _answers_a_corpus(member)]
    sections: list[tuple[str, Mapping[str, Mapping[str, ownership.Owner]]]] = [
        ("Answers", ownership.ANSWERS),
        ("Results", {"IngestionResult": ownership.RESULT, **ownership.RESULT_PARTS}),
        ("Stored files", ownership.FILES),
        ("Tables of the index", ownership.TABLES),
    ]
    lines = [
        "# Policy contexts",
        "Who is told what, where several policy contexts have the same bytes (STO-5). Visibility and sensitivity of a corpus "
        "make its policy context; what comes in without a corpus has one of its own. Conversions follow from the bytes and "
        "are shared. What tells how a document came, and what users say of it, is told in its own context only.",
        "A document that needs a password is given to a policy context once that context has supplied one that opens it. "
        "Until then the context is told `source_encrypted` and nothing else, whoever else has opened the document; the "
        "reason does not say whether somebody tried a password. A password of the settings is supplied by every context.",
        table(["owner", "told to"], meaning),
        "Who asks as a corpus, or as a policy context: " + ", ".join(f"`{name}`" for name in asks) + ", the documents "
        "that these give, and every command with `--corpus`. Whoever names neither is the library's owner and is told "
        "everything; but an ingest, a search, `similar` and entities without a corpus leave out what is firewalled. "
        "Runs, routing reviews, comparisons, purges, checks and repairs, the list of corpora, `library.engine.events`, both log "
        "files and every metric are the owner's: give a user who may see one corpus none of them.",
        *_remaining(),
    ]
    for title, tables in sections:
        lines += [f"## {title}"]
        rows = [[f"`{name}`", *_by_owner(fields)] for name, fields in tables.items()]
        lines += [table(["of", *(owner.value for owner in ownership.Owner)], rows)]
    return lines


def _methods(kind: type) -> list[tuple[str, Callable[..., Any]]]:
    return [(name, one) for name, one in inspect.getmembers(kind, callable) if not name.startswith("_")]


def _answers_a_corpus(member: Callable[..., Any]) -> bool:
    """Whether a method asks who asks, by a parameter of its own or among the fields of its options."""
    parameters = inspect.signature(member).parameters
    annotations = {name: str(one.annotation) for name, one in parameters.items()}
    return (
        "corpus" in parameters
        or "PolicyContext" in annotations.get("policy", "")
        or "IngestFields" in annotations.get("fields", "")
    )


def _remaining() -> list[str]:
    """What still reveals that other contexts have the same bytes: said here, as nothing hides it."""
    return [
        "## What is not hidden",
        "Converted work is shared, and so some things let a patient asker guess that others have the same bytes:",
        "- **Time.** A first ingest of bytes that were converted for another context takes no time to convert. The printed "
        "duration, the `duration_ms` of attempts, which is that of the shared conversion, and the events of the run show it.\n"
        "- **Version numbers.** They are the bytes': a first version that is called `v3`, or a new version that the asker did "
        "not ask for, was made by somebody else. Reconversion, activation, recognised pages and damage are shared too.\n"
        "- **The kind of text.** Plain texts are told apart by the name's extension, as whoever came first called it, and a "
        "finding says where extension and content do not fit. Nothing else of the name reaches a plugin.\n"
        "- **Types of a profile.** A type that the profile of a corpus registers is told in the policy contexts that have a "
        "corpus with that profile; the others are told the shipped type. Which plugin converted the document may follow from it.\n"
        "- **Extensions.** Bytes that came without a path are kept under the extension that they first came with.\n"
        "- **Locked documents.** A document that needs a password, and that a context could not open, leaves that context "
        "when another context opens it: it is listed there as failed before, and not at all afterwards.\n"
        "- **Work in progress.** A document that failed shows as at work, or waiting, while another context has it tried again.\n"
        "- **Entities.** What an engine found in the bytes is shown to every corpus that has them, also to one that did not ask for entities.\n"
        "- **Cloud services.** A corpus that forbids them forbids them for the bytes.\n"
        "- **Search.** A passage's score counts how rare its words are in the whole index: scores, not hits, tell a patient "
        "asker whether passages that are hidden hold a word.\n"
        "- **Contexts of one kind.** Visibility and sensitivity make the policy context: two firewalled corpora of the same "
        "sensitivity are one context, and a document that is named by one is there for the other.\n"
        "- **Jobs and routes.** Bytes that were converted for another context have no job of the asker's; the reason of an "
        "attempt says that a caller, a corpus or a review of the owner's chose the plugin, and not which or who. A conversion "
        "that was cut short by a caller's own limit and ended with another plugin is shared as it is.\n"
        "- **Purges.** A purge is the owner's and takes the document out of every context.",
    ]


def _by_owner(fields: Mapping[str, ownership.Owner]) -> list[str]:
    """One cell an owner: the fields that it has."""
    cells = []
    for owner in ownership.Owner:
        names = sorted(name for name, whose in fields.items() if whose is owner)
        cells.append("all of it" if names == [""] else ", ".join(f"`{name}`" for name in names))
    return cells


def installed_commands() -> dict[str, InstalledCommand]:
    """The commands that this repository's distributions add, by name: what their entry points name, not what is installed."""
    found: dict[str, InstalledCommand] = {}
    for path in sorted(
        [ROOT / "conformance" / "pyproject.toml", *(ROOT / "plugins" / "features").glob("*/pyproject.toml")]
    ):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        for name, place in project.get("entry-points", {}).get("octavo.commands", {}).items():
            module, _, attribute = place.partition(":")
            found[name] = InstalledCommand(getattr(import_module(module), attribute), project["name"])
    return found


def hook_heading(name: str) -> str:
    """A hook's heading: its signature as an implementation writes it."""
    return f"## `{name}({', '.join(inspect.signature(getattr(hookspecs, name)).parameters)})`"


def _committed(name: str) -> str | None:
    path = FOLDER / name
    return path.read_text(encoding="utf-8") if path.is_file() else None


def manifests() -> list[PluginManifest]:
    """The manifests of this repository's engines, best priority first."""
    found = sorted((ROOT / "plugins" / "engines").glob(f"*/src/*/{MANIFEST_NAME}"))
    read = [PluginManifest.from_toml(path.read_text(encoding="utf-8")) for path in found]
    return sorted(read, key=lambda manifest: (-manifest.priority, manifest.name))


# -- pages ------------------------------------------------------------------------------------------------------


def _hooks() -> list[str]:
    parts = [
        "# Hooks",
        "There are five, and there are no other document hooks. "
        "[Write a converter](../how-to/write-a-converter.md) shows an implementation from an empty folder.",
        markdown(inspect.cleandoc(hookspecs.__doc__ or "").partition("\n\n")[2]),
    ]
    for name in HOOK_NAMES:
        function = getattr(hookspecs, name)
        parts += [hook_heading(name), code_block(signature_text(name, function)), markdown(inspect.getdoc(function))]
    return parts


def _python() -> list[str]:
    parts = [
        "# Python",
        "What `octavo` and `octavo_library` give, and what their objects give. Nothing of it imports an engine into your process. "
        "[Embed it in an application](../how-to/embed.md) shows it at work; [stability](stability.md) says what holds "
        "between releases.",
    ]
    signature = signature_text("convert", octavo.convert)
    parts += ["## `octavo.convert`", code_block(signature), markdown(inspect.getdoc(octavo.convert))]
    spaces = namespaces_of(octavo_library.Library)
    names = {kind: f"library.{name}" for name, kind in spaces.items()}
    names |= {Annotations: "document.annotations", Links: "document.links"}
    names |= {Versions: "document.versions", Original: "document.original"}
    classes = [
        octavo.ConvertedDocument,
        octavo_library.Library,
        *spaces.values(),
        octavo_library.IngestOptions,
        octavo_library.IngestOutcome,
    ]
    classes += [
        Progress,
        octavo_library.Document,
        Annotations,
        Links,
        DocumentPage,
        DocumentVersion,
        Runtime,
        octavo.Settings,
    ]
    for cls in classes:
        homes = [package.__name__ for package in (octavo, octavo_library) if cls.__name__ in package.__all__]
        home = homes[0] if homes else cls.__module__
        parts += [f"## `{names.get(cls, f'{home}.{cls.__name__}')}`", markdown(inspect.getdoc(cls))]
        # The methods that a class takes from a base within Octavo are its own to a reader.
        own = [base for base in cls.__mro__ if base.__module__.partition(".")[0] in ("octavo", "octavo_library")]
        members = {name: member for base in reversed(own) for name, member in vars(base).items()}
        for name, member in members.items():
            parts += _member(name, member)
    for module, function_names in FUNCTIONS.items():
        for name in function_names:
            function = getattr(import_module(module), name)
            parts += [
                f"## `{module}.{name}`",
                code_block(signature_text(name, function)),
                markdown(inspect.getdoc(function)),
            ]
    return parts


def _member(name: str, member: Any) -> list[str]:
    function = getattr(member, "__func__", getattr(member, "fget", getattr(member, "func", member)))
    if name.startswith("_") or not inspect.isfunction(function):
        return []
    text = markdown(inspect.getdoc(function))
    if function is member or isinstance(member, classmethod):
        return [f"### `{name}`", code_block(signature_text(name, function)), text]
    returned = inspect.get_annotations(function).get("return", "")
    return [f"### `{name}`", f"*Attribute*, `{returned}`. {text}"]


def _schemas() -> list[str]:
    parts = [
        "# Schemas",
        f"The models of contract {CONTRACT_VERSION}: what plugins return and hosts receive. Building one is strict; "
        "reading one (`Model.read`) ignores fields that a newer minor version has added. All of them are frozen. "
        "Offsets count code points, ends are exclusive, pages count from 1.",
        "A JSON Schema is published for " + ", ".join(f"`{name}`" for name in SCHEMA_MODELS) + "; "
        "`octavo schema NAME` prints one. `UnitInterval` is a number from 0 to 1, `Sha256Hex` 64 lower-case hex digits, "
        "`Extensions` a JSON object for what the contract does not name, `Flag` a name in lower case.",
    ]
    by_module: dict[str, list[type]] = {}
    for name in octavo_contracts.__all__:
        item = getattr(octavo_contracts, name)
        if isinstance(item, type) and issubclass(item, BaseModel | enum.Enum) and item is not Model:
            by_module.setdefault(item.__module__.rpartition(".")[2].lstrip("_"), []).append(item)
    for module in sorted(by_module, key=lambda name: (name == "model", name)):
        parts.append(f"## {TITLES.get(module, module.replace('_', ' ').capitalize())}")
        ordered = sorted(by_module[module], key=lambda item: inspect.getsourcelines(item)[1])
        for item in ordered:
            parts += [f"### {item.__name__}", markdown(inspect.getdoc(item)), model_table(item)]
    return parts


def _reasons() -> list[str]:
    rows = [
        (f"`{reason}`", first_sentence(row.error), row.error.default_remedy, str(int(row.exit_code)), str(row.retry))
        for reason, row in REASONS.items()
    ]
    codes = [(str(code.value), EXIT_CODES[code]) for code in sorted(EXIT_CODES)]
    return [
        "# Reasons, flags and exit codes",
        "## Why a document failed",
        "A closed list: `failure_receipts[].reason_code` of a `hard_failed` result, and of attempts that failed on the way "
        "to a good one. *Again* says whether a new job starts by itself: when the cause is gone, only when somebody "
        "asks, or never, because the bytes themselves are the cause.",
        table(("reason", "meaning", "what to do", "exit code", "again"), rows),
        "## Why a command failed",
        "In brackets at the end of a message that is not about a document, where no reason of the list above applies.",
        table(("label", "meaning"), [(f"`{label}`", meaning) for label, meaning in LABELS.items()]),
        "## Why a document is degraded",
        "An open list: readers must accept flags that are not in it. A flag stands in `quality_report.degraded_flags`, "
        "and a finding of the same name says what was seen, on which page, and what to do.",
        table(("flag", "meaning"), [(f"`{flag}`", FLAG_MEANINGS[flag]) for flag in DegradedFlag]),
        "## Exit codes",
        table(("code", "when"), codes),
        f"Where several hold, the strongest wins: {', '.join(str(code.value) for code in PRECEDENCE)}.",
    ]


def _limits() -> list[str]:
    preflight = [
        (f"`{field.name}`", value_text(field.default), field.metadata["unit"], field.metadata["doc"])
        for field in dataclasses.fields(PreflightLimits)
    ]
    return [
        "# Limits and settings",
        "`octavo.Settings` holds what a host may set, and each part of it is a frozen dataclass: "
        "`Settings(workers=2, limits=SandboxLimits(wall_seconds=60))`. The command line reads them from flags, variables "
        "and files: see [operate a library](../how-to/operate.md).",
        "## Settings",
        _settings(octavo.Settings),
        "## Of one call in a worker",
        "`octavo_sandbox.SandboxLimits`. " + markdown(inspect.getdoc(SandboxLimits), attributes=False),
        _settings(SandboxLimits),
        "A plugin's manifest may ask for less time, and for memory up to 4096 MiB: see [engines](engines.md).",
        "## Of preflight",
        "Checked before any engine reads a byte. Reaching one is `content_too_large`, except where the last column says "
        "otherwise.",
        table(("limit", "default", "unit", "what is counted"), preflight),
        "## When new work is held back",
        "`octavo.settings.engine.CareSettings`, as `engine.care` of the settings of a host: "
        "`Settings(engine=EngineSettings(care=CareSettings(give_up=30)))`. A command says on stderr when a hold begins and "
        "when it ends. A single document (`Library.ingest`, `Document.reconvert`) with a `timeout` waits for the disk no "
        "longer than that.",
        _settings(CareSettings),
        "## When a page is scanned, and a PDF full of tables",
        "`octavo.builtins.classification.thresholds.ClassificationThresholds`. A dense A4 page has about 0.006 characters per "
        "square point. On the 2,026 pages of PDFs with which the threshold was calibrated, F1 of scanned pages is 1.00.",
        _settings(ClassificationThresholds),
        "## When a quality flag is raised",
        "`octavo.builtins.quality.thresholds.QualityThresholds`.",
        _settings(QualityThresholds),
        "## When a page is in doubt",
        "`octavo.settings.repair.RepairSettings`. [Choose engines](../how-to/choose-engines.md#single-pages) says what happens then.",
        _settings(RepairSettings),
        "## Of running heads and page numbers",
        "`octavo.settings.furniture.FurnitureSettings`. [Convert files](../how-to/convert.md#running-heads) shows where they go.",
        _settings(FurnitureSettings),
        "## Of recognition",
        "`octavo.settings.ocr.OcrSettings`. [Read scans and images](../how-to/scans.md) shows it at work.",
        _settings(OcrSettings),
        "## Of layout",
        "`octavo.settings.layout.LayoutSettings`. [Engines](engines.md#docling) says what the model is for.",
        _settings(LayoutSettings),
        "## Of recordings",
        "`octavo.settings.audio.SpeechSettings`. [Transcribe recordings](../how-to/recordings.md) says what they are for.",
        _settings(SpeechSettings),
        "## Of what is attached to messages",
        "`octavo.settings.attachments.AttachmentSettings`. [Embed it in an application](../how-to/embed.md#a-library) shows them.",
        _settings(AttachmentSettings),
        "## How canonical text is cut into chunks",
        "`octavo_text.chunking.ChunkingConfig`. " + markdown(inspect.getdoc(ChunkingConfig), attributes=False),
        _settings(ChunkingConfig),
        "## Which plugins may be used",
        "`octavo.plugins.PluginSelection`; the environment variables `OCTAVO_PLUGINS`, `OCTAVO_BLOCK` and "
        "`OCTAVO_STRICT_PLUGINS` set the same.",
        _settings(PluginSelection),
        "## What is written down of the work",
        "`octavo.settings.settings.LogSettings`. " + markdown(inspect.getdoc(LogSettings), attributes=False),
        _settings(LogSettings),
        "## How watched folders are read",
        "`octavo.settings.settings.WatchSettings`. " + markdown(inspect.getdoc(WatchSettings), attributes=False),
        _settings(WatchSettings),
        *(part for heading, name in _OTHER_SETTINGS.items() for part in (f"## {heading}", *_table_of(name))),
    ]


_OTHER_SETTINGS = {
    "Of a library in an object store": "objects",
    "Of search": "search",
    "Of ingestion": "engine",
    "When results are committed": "engine.commits",
    "Of a group of commits": "engine.commits.medium",
    "How often a document is tried": "engine.retries",
    "When waiting documents are tried again": "engine.wake",
    "Which plugins classify and score": "hooks",
    "Of entities": "entities",
    "What may be fetched from the web": "web",
    "How documents are given to language models": "context",
    "Of briefs": "briefs",
    "Of known bytes with other metadata": "duplicates",
}
"""Heading → the table of settings, as in a file."""


def _table_of(name: str) -> list[str]:
    cls = parts()[name]
    home = f"`{cls.__module__}.{cls.__name__}`, as `{name}` in a file. "
    return [home + markdown(inspect.getdoc(cls), attributes=False), _settings(cls)]


def _settings(cls: type) -> str:
    notes = attribute_notes(cls)
    rows = [
        (f"`{field.name}`", f"`{value_text(field_default(field))}`", notes[field.name])
        for field in dataclasses.fields(cls)
    ]
    return table(("setting", "default", "meaning"), rows)


def _observability() -> list[str]:
    named = {**vars(events), **vars(use_events)}.values()
    kinds = [kind for kind in named if isinstance(kind, type) and issubclass(kind, events.EngineEvent)]
    parts = [
        "# Logs and metrics",
        "What a library tells of its work. Nothing here holds what documents say, nor what they are called or where they "
        "stand. [Operate a library](../how-to/operate.md) shows where the files are and how to turn each of them off.",
        "## Metrics",
        "By OpenTelemetry's interface, with the meter `octavo`. Attributes are closed sets of words: plugins, steps, "
        "states, reasons.",
        table(
            ("metric", "kind", "unit", "what it counts", "attributes"),
            [
                (
                    f"`{one.name}`",
                    one.kind.replace("_", " "),
                    one.unit,
                    one.description,
                    ", ".join(f"`{name}`" for name in one.attributes),
                )
                for one in (*METRICS, *GAUGES)
            ],
        ),
        "Those of `octavo.library`, `octavo.corpus`, `octavo.tool`, `octavo.types` and `octavo.queue` are the state of the "
        "library, read at an interval by `octavo web` and by `octavo_library.telemetry.MetricsExport`. In the text format of Prometheus, "
        "dots are underscores, seconds and bytes are appended to the name, and counters end in `_total`.",
        "## Audit log",
        "One JSON object a line in `logs/audit.jsonl`: `at` (UTC), `action`, `user` (of the system, or null), and the "
        "keys that the action names.",
        table(
            ("action", "when, with which keys"),
            [(f"`{one.value}`", attribute_docs(AuditAction)[one.name]) for one in AuditAction],
        ),
        "## Event log",
        "One JSON object a line in `logs/events.jsonl`: `at` (UTC), `event`, `run_id` (or null), and the keys of the event. "
        f"Fields in words ({', '.join(f'`{name}`' for name in sorted(LEFT_OUT))}) are told to listeners of `library.engine.events` "
        "and left out of the file, as they may quote what a tool said. The lines of one document are in the order of `at`; "
        "those of different documents may not be, as several threads write them.",
    ]
    for kind in kinds:
        if kind is not events.EngineEvent:
            notes = [(f"`{name}`", text) for name, text in attribute_notes(kind).items() if name not in LEFT_OUT]
            parts += [f"### `{event_name(kind)}`", first_sentence(kind), table(("key", "meaning"), notes)]
    return parts


def _profiles() -> list[str]:
    parts = [
        "# Profiles",
        f"The routing rules that ship. `{DEFAULT_PROFILE}` is the default; `--profile`, `profile=` and "
        "`Settings(profile=…)` choose another, or the path of a TOML file of your own. Plugins are tried from left to "
        "right; those that are not installed, or do not read the type, are passed over. After them come all other "
        "plugins that read it, by priority. [Choose engines](../how-to/choose-engines.md) shows how to write one.",
    ]
    for name in sorted(SHIPPED_PROFILES):
        profile = load_profile(name)
        routes = [(f"`{kind}`", ", ".join(profile.routes.get(kind, ())) or "by priority") for kind in RoutingType]
        heavier = [(f"`{kind}`", ", ".join(plugins) or "none") for kind, plugins in profile.escalate.items()]
        parts += [f"## {name}", profile.description, table(("kind of document", "plugins, best first"), routes)]
        readers = [(f"`{kind}`", ", ".join(plugins)) for kind, plugins in profile.consensus.items()]
        parts.append(table(("escalation", "heavier plugins, best first"), heavier))
        parts += [table(("consensus", "readers, in the order in which they are asked"), readers)] if readers else []
        parts += _sampling(profile.sampling)
    return parts


def _sampling(plan: SamplingPlan) -> list[str]:
    if not plan.documents:
        return ["No document is sampled."]
    pairs = [(f"`{kind}`", ", ".join(names)) for kind, names in plan.pairs.items()]
    return [
        f"The first {plan.documents} documents of a library are converted by a second plugin as well: the first of these that "
        f"is installed and did not convert already. A difference of more than {plan.threshold:.0%} asks for a "
        f"[review](../how-to/review-routing.md); after a change of an engine's version {plan.drift:.0%} of the later documents "
        "are sampled again.",
        table(("sampling", "plugins to compare"), pairs),
    ]


def _engines() -> list[str]:
    engines = manifests()
    offered = [
        (f"`{capability}`", *("yes" if capability in engine.capabilities else "" for engine in engines))
        for capability in Capability
    ]
    parts = [
        "# Engines",
        "The engines of this repository, from their manifests. `octavo plugins` shows those that are installed, others "
        "included.",
        "## Capabilities",
        "What is declared is tested to work, and what is not is tested to be refused with a typed error.",
        table(("capability", *(engine.name for engine in engines)), offered),
        table(("capability", "meaning"), [(f"`{c}`", attribute_docs(Capability).get(c.name, "")) for c in Capability]),
        "## Names in the enumerations of tools",
        "Octavo's results name a plugin by its own name. The specification has four enumerations of tools; `octavo_library.tool_names` "
        "holds this table for programs that write them. A plugin without a value there extends the enumeration by its own "
        "name, and no plugin takes the value of another tool.",
        table(
            ("plugin", *SPECIFIED),
            [
                (plugin, *(f"`{name}`" if name else "–" for name in vars(one).values()))
                for plugin, one in TOOL_NAMES.items()
            ],
        ),
    ]
    for engine in engines:
        info, asked = engine.engine, engine.limits
        facts = [
            ("hooks", ", ".join(engine.hooks)),
            ("engine", f"{info.distribution or 'the standard library'} {info.versions}".strip()),
            ("licence of the engine", info.licence),
            ("priority", str(engine.priority)),
            ("determinism", engine.determinism),
            ("workers", engine.concurrency),
            ("programs", ", ".join(program.command for program in engine.system) or "none"),
            ("weights", f"the setting `{engine.weights.setting}` names them" if engine.weights else "none to bring"),
            ("seconds of one call", _or_host(asked.timeout_seconds)),
            ("memory above the imported engine, MiB", _or_host(asked.memory_mb)),
            ("largest source, bytes", "no limit of its own" if asked.max_bytes is None else f"{asked.max_bytes:,}"),
        ]
        types = "\n".join(f"- `{media_type}`" for media_type in engine.media_types)
        parts += [
            f"## {engine.name}",
            engine.description,
            table(("", ""), facts),
            *(("It reads:", types) if types else ()),
        ]
    return parts


def _formats() -> list[str]:
    readers = [engine for engine in manifests() if "convert" in engine.hooks or "ocr" in engine.hooks]
    rows = [
        (
            row.label,
            f"`{row.media_type}`",
            " ".join(row.extensions),
            f"`{row.routing_type}`",
            ", ".join(engine.name for engine in readers if row.media_type in engine.media_types) or "–",
        )
        for row in FORMATS
    ]
    return [
        "# Formats",
        "What Octavo can tell apart. The content decides, the extension only among text formats that look alike; where "
        "they disagree the document gets the flag `type_mismatch`. The last column names the engines of this "
        "repository that read the format, by priority; a format with none is `unsupported_format` until a plugin for "
        "it is installed. Text with an extension that is not in the table is plain text. Three real documents or more of each "
        "format of CNV-5, with what they say and how many pages and tables they have, are the table of `tests/test_formats.py`.",
        table(("format", "media type", "extensions", "kind for routing", "engines"), rows),
    ]


def _or_host(value: float | None) -> str:
    return "the host's" if value is None else f"{value:,g}"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
