"""Recipes of the commands of the conformance suite."""

from __future__ import annotations

from .model import On, Recipe, Without

SEED = Without(
    "it chooses the documents that are made for the run, and a plugin without faults passes with all of them"
)

RECIPES: dict[str, Recipe] = {
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
}
