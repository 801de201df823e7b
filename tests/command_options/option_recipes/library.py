"""Recipes of the commands of a library: what is in it, what comes in and what goes."""

from __future__ import annotations

from .model import PARALLEL, On, Recipe, Without

MEANING = Without("it differs only where an embedding model is installed: the extra `vectors`, whose tests try it")
PAID = Without("it needs a paid service; plugins/features/octavo-library/tests/runs has one on the spot")
CLOUD = Without("it needs a cloud service; the tests of `octavo ocr` have one on loopback")
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
            "--known-metadata": On(
                "report.pdf --title Other", "replace", before=("ingest report.pdf --title Earlier",)
            ),
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
            "--corpus": On("--needed", "closed"),
            "--text": On("--needed"),
            "--pages": "2",
            "--engine": "tesseract",
            "--language": "xx",
            "--library": On("DOCUMENT", "bare"),
            "--pictures": On("picture.docx"),
            "--allow-cloud": CLOUD,
            "--confirm-cost": PAID,
            "--again": On("scan.pdf", before=("ingest scan.pdf",)),
            "--activate": On("fine.pdf --pages 1", before=("ingest fine.pdf",)),
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
}
