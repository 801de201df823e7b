"""For each command: minimal arguments, and for each option a value that differs from the default.

An option's value is what follows the option on the command line. `On(arguments, value)` gives an option other arguments
than the command's minimal ones, since it applies to something else; `before` are command lines that run first. An option
with a list of values needs an effect of at least one of them. Options without an entry are flags, or take each of their
choices in turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class On:
    """An option on other arguments than the command's minimal ones."""

    arguments: str
    value: str = ""
    before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Without:
    """An option whose effect cannot be seen here, and why."""

    reason: str


@dataclass(frozen=True)
class Recipe:
    """Minimal arguments of a command, values of its options, and command lines that run first."""

    arguments: str = ""
    options: dict[str, str | list[str] | On | Without] = field(default_factory=dict)
    before: tuple[str, ...] = ()


PARALLEL = Without("it changes how many documents are converted at once, and no result")
LOADS = Without("it differs only where a plugin fails to load; the tests of `octavo plugins` have such a plugin")
MEANING = Without("it differs only where an embedding model is installed: the extra `vectors`, whose tests try it")
JSON_ANYWAY = Without("the command prints JSON in any case, and takes the option that all such commands take")
SEED = Without(
    "it chooses the documents that are made for the run, and a plugin without faults passes with all of them"
)
PAID = Without("it needs a paid service; plugins/features/octavo-library/tests/runs has one on the spot")
CLOUD = Without("it needs a cloud service; the tests of `octavo ocr` have one on loopback")
MODEL_ONLY = Without("it applies to the calls of a language model; the tests of research have a double of one")
SUMMARISER = Without("no plugin of this repository that needs no model writes summaries")

CONVERSION: dict[str, str | list[str] | On | Without] = {
    "--with": "pypdf",
    "--profile": "other.toml",
    "--timeout": "0.001",
}
CORPUS: dict[str, str | list[str] | On | Without] = {
    "--profile": "other.toml",
    "--chunking": "fixed-1000-1500-200",
    "--retention": "active_only",
    "--plugin": "pypdf",
    "--limit": "max_pages=20",
    "--cost-limit": "5",
    "--entity-types": "person",
}
ENTITY: dict[str, str | list[str] | On | Without] = {
    "--label": "person",
    "--corpus": "closed",
    "--by": "ines",
    "--note": "known",
}

RECIPES: dict[str, Recipe] = {
    "convert": Recipe(
        "report.pdf",
        {
            "--with": On("report.pdf --json", "pypdf"),
            "--profile": On("report.pdf --json", "other.toml"),
            "--timeout": "0.001",
            "--output": "out.md",
            "--output-dir": "out",
            "--force": On("note.txt -d there"),
            "--jobs": PARALLEL,
            "--name": On("-", "tides.csv"),
            "--images": On("mast.html", "pictures"),
            "--limit": "max_pages=1",
            "--password": On("locked.pdf", "tide"),
        },
    ),
    "settings": Recipe(),
    "plugins": Recipe("", {"--check": LOADS}),
    "plugins trace": Recipe(
        "report.pdf", {"--with": "pypdf", "--profile": "other.toml", "--password": On("locked.pdf", "tide")}
    ),
    "doctor": Recipe(),
    "schema": Recipe("span"),
    "help": Recipe(),
    "completion": Recipe("bash"),
    "brief": Recipe("report.pdf", {"--corpus": "closed", "--summariser": SUMMARISER}),
    "conformance explain": Recipe("OC-SPAN-001"),
    "conformance init": Recipe("rows", {"--folder": On("plaintext", "folder")}),
    "conformance list": Recipe(),
    "conformance matrix": Recipe("report", before=("conformance run plaintext --check OC-SPAN-001 --report report",)),
    "conformance mutants": Recipe(
        "", {"--json": Without("one run takes minutes; the tests of the suite read both forms"), "--seed": SEED}
    ),
    "conformance run": Recipe(
        "plaintext --check OC-SPAN-001",
        {
            "--level": On("plaintext --vectors csv --level 0", "1"),
            "--vectors": "pdf",
            "--check": "OC-SPAN-002",
            "--expectations": "expectations.toml",
            "--report": "report",
            "--save": "saved.json",
            "--against": On(
                "plaintext --check OC-SPAN-001",
                "1.0.json",
                before=("conformance run plaintext --check OC-SPAN-001 --save 1.0.json",),
            ),
            "--seed": SEED,
        },
    ),
    "conformance schema": Recipe(),
    "conformance validate": Recipe(
        "digest.json",
        {
            "--archive": "kept",
            "--original": On("result.json", "note.txt", before=("convert report.pdf --json -o result.json",)),
            "--query": "Who measures the tide?",
        },
    ),
    "conformance vectors": Recipe("vectors --seed 7", {"--seed": "8", "--plugin": "plaintext"}),
    "conformance verdicts": Recipe("verdicts"),
    "plugin new": Recipe(
        "mine --hook convert",
        {
            "--media-type": "text/x-mine",
            "--extension": ".mine2",
            "--folder": "folder",
        },
    ),
    "context": Recipe(
        "report.pdf --model claude-sonnet-4-5",
        {
            "--model": "deepseek-chat",
            "--message": "What does page 2 say?",
            "--conversation": "talk",
            "--pages": "2",
            "--budget": "10",
            "--corpus": "closed",
            "--workflow": On("report.pdf report.pdf note.txt --model deepseek-chat"),
        },
    ),
    "digest": Recipe(
        "report.pdf --query surge",
        {
            "--query": "pier",
            "--scorer": "absent/v1",
            "--library": On("DOCUMENT --query surge", "bare"),
            "--index": On("DOCUMENT --query surge", "postgresql://127.0.0.1:9/none"),
            "--digestor": On("report.pdf --query surge", "absent"),
            "--archive-dir": "elsewhere",
            "--cache-dir": "elsewhere",
        },
    ),
    "verify": Recipe("digest.json", {"--archive": On("digest.json --library bare", "kept")}),
    "fields": Recipe(
        "report.pdf --schema schema.json",
        {
            "--schema": "other.json",
            "--engine": "absent",
            "--fail-on": On("report.pdf --schema other.json", "unverified"),
            "--model": On("report.pdf --schema schema.json --model-url http://127.0.0.1:1/v1", "any"),
            "--model-url": On("report.pdf --schema schema.json --model any", "http://127.0.0.1:1/v1"),
            "--model-key-env": On(
                "report.pdf --schema schema.json --model any --model-url http://127.0.0.1:1/v1", "NO_KEY"
            ),
        },
    ),
    "accept": Recipe(
        "report.pdf",
        {"--note": "read and compared", "--by": "anna", "--clear": On("report.pdf"), "--corpus": "closed"},
    ),
    "metadata": Recipe(
        "report.pdf",
        {
            "--title": "Harbour report",
            "--date": "2026-11",
            "--source": "The pier",
            "--set": "box=4",
            "--clear": On("report.pdf"),
            "--keep": On("report.pdf"),
            "--replace": On("report.pdf"),
            "--by": On("report.pdf --title Harbour", "anna"),
            "--corpus": "closed",
        },
    ),
    "mark": Recipe(
        "report.pdf --pages 1 --visually-important",
        {
            "--pages": On("report.pdf --visually-important", "2"),
            "--needs-ocr": On("report.pdf --pages 1 --later"),
            "--visually-important": On("report.pdf --pages 1"),
            "--clear": On("report.pdf --pages 1 --visually-important"),
            "--later": On("scan.pdf --pages 1 --needs-ocr"),
            "--by": "anna",
            "--corpus": "closed",
        },
    ),
    "activate": Recipe("report.pdf 1"),
    "check-paths": Recipe("", {"--read": On("")}),
    "compare": Recipe(
        "report.pdf --with pdfium --with pypdf",
        {
            "--with": "markitdown",
            "--page": "2",
            "--profile": "absent.toml",
            "--password": On("locked.pdf --with pdfium --with pypdf", "tide"),
            "--timeout": On("fresh.pdf --with pdfium --with pypdf", "0.001"),
            "--library": On("REPORT --with pdfium --with pypdf", "bare"),
        },
    ),
    "corpus create": Recipe("letters", {**CORPUS}),
    "corpus list": Recipe(),
    "corpus set": Recipe("harbour --retention 30", {**CORPUS}),
    "corpus show": Recipe("harbour"),
    "entities demote": Recipe("'Harbour Trust Ltd'", {**ENTITY}),
    "entities promote": Recipe("'Harbour Trust Ltd'", {**ENTITY}),
    "entities undo": Recipe(
        "'Harbour Trust Ltd'",
        {key: ENTITY[key] for key in ("--label", "--corpus", "--by")},
        before=("entities promote 'Harbour Trust Ltd'",),
    ),
    "entities show": Recipe("note.txt", {"--corpus": "closed", "--label": "organization"}),
    "entities tag": Recipe(
        "note.txt", {"--corpus": On("", "harbour"), "--engine": "literal", "--labels": "date", "--model": "folder"}
    ),
    "graph": Recipe(
        "note.txt",
        {
            "--corpus": "closed",
            "--sync": Without("it needs a plugin that takes graphs; the tests of the graph have the suite's own"),
        },
    ),
    "export": Recipe(
        "report.pdf -d out",
        {
            "--all": On("-d out"),
            "--output": On("report.pdf", "out.zip"),
            "--output-dir": On("report.pdf", "out"),
            "--force": On("note.txt -d there"),
            "--corpus": "closed",
        },
    ),
    "ingest": Recipe(
        "fresh.pdf",
        {
            **CONVERSION,
            "--corpus": "harbour",
            "--surface": "email_attachment",
            "--location": "pacer_docket",
            "--title": "Harbour report",
            "--date": "2026-11",
            "--source": "The pier",
            "--metadata": "box=4",
            "--known-metadata": On("report.pdf --title Other", "replace"),
            "--password": On("locked.pdf", "tide"),
            "--workers": PARALLEL,
            "--executor": "ray",
            "--entities": On("fresh.txt --with plaintext"),
            "--no-entities": On("fresh.txt --corpus tagged"),
            "--entity-types": On("fresh.txt", "date"),
            "--briefs": On("fresh.txt"),
            "--no-briefs": On("fresh.txt --corpus briefed", before=("corpus create briefed --briefs on",)),
            "--retry": On("empty.txt"),
            "--reingest": On("report.pdf"),
            "--activate": On("report.pdf --reingest --with pdfminer"),
            "--no-activate": On("report.pdf --reingest --with pdfminer"),
            "--include": On("folder", "'*.csv'"),
            "--exclude": On("folder", "'*.csv'"),
            "--fail-on": On("page.html", "degraded"),
            "--confirm-cost": PAID,
        },
    ),
    "list": Recipe(
        "",
        {
            "--corpus": "closed",
            "--status": ["complete", "failed"],
            "--type": "pdf",
            "--since": "2999-01-01",
            "--limit": "1",
            "--sort": "-name",
            "--hash": "0123456789abcdef",
        },
    ),
    "ocr": Recipe(
        "scan.pdf",
        {
            "--needed": On(""),
            "--corpus": On("--needed", "closed", before=("ingest scan.pdf --corpus harbour",)),
            "--text": On("--needed", before=("ingest scan.pdf",)),
            "--pages": "2",
            "--engine": "tesseract",
            "--language": "xx",
            "--library": On("DOCUMENT", "bare"),
            "--pictures": On("picture.docx"),
            "--allow-cloud": CLOUD,
            "--again": On("scan.pdf", before=("ingest scan.pdf",)),
            "--activate": On("scan.pdf", before=("ingest scan.pdf",)),
            "--searchable": "out.pdf",
            "--password": On("locked-scan.pdf", "tide"),
            "--timeout": "0.001",
        },
    ),
    "purge": Recipe(
        "note.txt",
        {
            "--expired": On(""),
            "--confirm": "DOCUMENT",
            "--yes": On("--expired", before=("corpus set harbour --retention active_only",)),
        },
    ),
    "reconvert": Recipe(
        "report.pdf",
        {
            "--with": "pypdf",
            "--profile": "absent.toml",
            "--by-profile": On("report.pdf"),
            "--outdated": On("report.pdf"),
            "--corpus": On("--outdated", "absent"),
            "--password": On("locked.pdf", "tide"),
            "--timeout": "0.001",
            "--activate": On("report.pdf --with pdfminer"),
            "--no-activate": On("report.pdf --with pdfminer"),
        },
    ),
    "relink": Recipe("note.txt copy.txt"),
    "remove": Recipe("note.txt --corpus harbour", {"--corpus": "closed"}),
    "repair": Recipe("", {"--yes": On(""), "--rebuild-index": On("")}),
    "retry": Recipe(
        "last",
        {"--reason": "source_corrupt", "--workers": PARALLEL, "--password": On("last", "tide"), "--timeout": "0.001"},
    ),
    "routing review": Recipe(
        "text_native_pdf --keep",
        {
            "--prefer": On("text_native_pdf", "pypdf"),
            "--keep": On("text_native_pdf"),
            "--by": "ines",
            "--note": "checked",
            "--profile": "other.toml",
        },
    ),
    "routing sample": Recipe(
        "--json",
        {"--json": On(""), "--profile": "other.toml"},
        before=("routing review text_native_pdf --prefer pypdf",),
    ),
    "routing show": Recipe("", {"--profile": "other.toml"}, before=("routing review text_native_pdf --prefer pypdf",)),
    "routing undo": Recipe(
        "text_native_pdf",
        {"--by": "ines", "--note": "checked", "--profile": "other.toml"},
        before=("routing review text_native_pdf --prefer pypdf",),
    ),
    "runs": Recipe("", {"--limit": "1"}),
    "search": Recipe(
        "tide", {"--corpus": "closed", "--limit": "1", "--wait": MEANING, "--vectors": MEANING, "--no-vectors": MEANING}
    ),
    "show": Recipe(
        "report.pdf", {"--page": "2", "--corpus": "closed", "--version": "1", "--as-of": "2000-01-01", "--at": "page:2"}
    ),
    "type": Recipe("note.txt", {"--clear": On("note.txt", before=("type note.txt contract",))}),
    "verify-store": Recipe(),
    "research cancel": Recipe("RESEARCH"),
    "research evaluate": Recipe(
        "RESEARCH",
        {
            "--against": "absent",
            "--model": On("RESEARCH --model-url http://127.0.0.1:1/v1", "any"),
            "--model-url": On("RESEARCH --model any", "http://127.0.0.1:1/v1"),
            "--model-key-env": MODEL_ONLY,
            "--max-tokens": MODEL_ONLY,
            "--max-usd": "1",
            "--input-price": MODEL_ONLY,
            "--output-price": MODEL_ONLY,
            "--max-minutes": MODEL_ONLY,
        },
    ),
    "research export": Recipe("RESEARCH -o mailed", {"--output": On("RESEARCH", "mailed")}),
    "research list": Recipe("", {"--corpus": "closed"}),
    "research replay": Recipe(
        "run.jsonl", {"--output": "mailed"}, before=("research start 'How high was the surge?' --record run.jsonl",)
    ),
    "research report": Recipe("RESEARCH"),
    "research resume": Recipe("RESEARCH"),
    "research start": Recipe(
        "'How high was the surge?'",
        {
            "--corpus": "closed",
            "--providers": "searxng",
            "--provider-url": "searxng=http://127.0.0.1:1",
            "--provider-key-env": "searxng=VARIABLE",
            "--model": "absent",
            "--model-url": "http://127.0.0.1:1/v1",
            "--model-key-env": MODEL_ONLY,
            "--compression-model": MODEL_ONLY,
            "--summarization-model": MODEL_ONLY,
            "--model-window": MODEL_ONLY,
            "--model-timeout": MODEL_ONLY,
            "--answer-tokens": MODEL_ONLY,
            "--no-supervision": MODEL_ONLY,
            "--no-tools": MODEL_ONLY,
            "--search-price": "searxng=1",
            "--max-tokens": MODEL_ONLY,
            "--max-minutes": "0.0001",
            "--record": "run.jsonl",
            "--max-usd": MODEL_ONLY,
            "--input-price": MODEL_ONLY,
            "--output-price": MODEL_ONLY,
        },
    ),
    "research status": Recipe("RESEARCH"),
    "research verify": Recipe("RESEARCH"),
    "memory add": Recipe(
        "note.txt 'The gate was closed.' --quote 'closed the gate'",
        {
            "--quote": On("note.txt 'The gate was closed.'", "'closed the gate'"),
            "--locator": On("note.txt 'Ines measures the tide.'", "char:0-40"),
            "--type": On("note.txt 'The gate was closed.' --quote 'closed the gate' --json", "date"),
            "--confidence": On("note.txt 'The gate was closed.' --quote 'closed the gate' --json", "0.4"),
            "--entity": On("note.txt 'The gate was closed.' --quote 'closed the gate' --json", "person:Ines"),
            "--link": On("note.txt 'The gate was closed.' --quote 'closed the gate' --json", "supports:MEMORY"),
            "--by": On("note.txt 'The gate was closed.' --quote 'closed the gate' --json", "ines"),
            "--corpus": "closed",
        },
    ),
    "memory cluster": Recipe("note.txt", {"--limit": "1", "--corpus": "closed"}),
    "memory entity": Recipe("person:Ines", {"--relationship": "absent", "--limit": "0", "--corpus": "closed"}),
    "memory related": Recipe("MEMORY", {"--kind": "contradicts", "--depth": "9", "--limit": "0", "--corpus": "closed"}),
    "memory remove": Recipe("MEMORY", {"--corpus": "closed"}),
    "memory search": Recipe("surge", {"--type": "date", "--limit": "1", "--corpus": "closed"}),
    "memory show": Recipe("MEMORY", {"--corpus": "closed"}),
    "memory verify": Recipe("MEMORY", {"--context-pages": "11", "--corpus": "closed"}),
    "submit": Recipe("fresh.pdf", {"--with": "pypdf", "--profile": "other.toml"}),
    "worker": Recipe(
        "--until-empty",
        {
            "--workers": PARALLEL,
            "--until-empty": Without("without it the command waits for documents; every other option is tried with it"),
        },
        before=("submit fresh.pdf",),
    ),
    "queue": Recipe(
        "", {"--withdraw": On("", "fresh.pdf"), "--limit": "1"}, before=("submit fresh.pdf", "submit other.pdf")
    ),
    "tools call": Recipe(
        'search_documents --args \'{"query": "tide"}\'', {"--args": '\'{"query": "surge"}\'', "--corpus": "closed"}
    ),
    "tools list": Recipe("", {"--corpus": "absent", "--library": "absent"}),
    "tools schema": Recipe("", {"--json": JSON_ANYWAY, "--library": "absent"}),
}
