"""Recipes of the commands that need no library: they convert, and say what is installed here."""

from __future__ import annotations

from .model import PARALLEL, On, Recipe, Without

LOADS = Without("it differs only where a plugin fails to load; the tests of `octavo plugins` have such a plugin")
SUMMARISER = Without("no plugin of this repository that needs no model writes summaries")

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
    "plugin new": Recipe(
        "mine --hook convert",
        {
            "--media-type": "text/x-mine",
            "--extension": ".mine2",
            "--folder": "folder",
        },
    ),
    "brief": Recipe("report.pdf", {"--corpus": "closed", "--summariser": SUMMARISER}),
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
}
