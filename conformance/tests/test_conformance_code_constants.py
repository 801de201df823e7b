"""What a plugin's own code names is read from its source files, and stands in the documents that are made of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from octavo_conformance.cli import command
from octavo_conformance.code_constants import CodeConstants, read_constants
from octavo_conformance.kit import run_plugin
from octavo_conformance.runner import Selection
from octavo_conformance.vectors.sought import make_sought
from octavo_conformance.vectors.sought_text import make_sought_text

SEED = 2026
CODE = '''
"""A docstring that nobody looks for."""
import re
SERIAL = re.compile(r"\\bQZ-[0-9]{5,}\\b")
TITLES = {"Sexton", "Beadle"}

def is_long(text):
    """Another docstring."""
    return len(text) > 37 or b"lamplight" in text or f"ballast {len(text)}" in text or text == "two\\nlines"
'''
READER = """
from octavo_contracts import hookimpl
from octavo_plaintext import plugin as engine

@hookimpl
def convert(source, request, context):
    conversion = engine.convert(source, request, context)
    pages = [
        page.model_copy(update={field: changed(getattr(page, field)) for field in ("text", "markdown")})
        for page in conversion.pages
    ]
    return conversion.model_copy(update={"pages": tuple(pages)})

def changed(text):
    return CHANGED
"""


@pytest.fixture
def constants(tmp_path: Path) -> CodeConstants:
    """The constants of a package of two modules, one of which Python cannot read."""
    package = tmp_path / "octavo_lamp"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "plugin.py").write_text(CODE, encoding="utf-8")
    (package / "broken.py").write_text('KEPT = "never read', encoding="utf-8")
    return read_constants("octavo_lamp.plugin", seed=SEED, import_paths=(tmp_path,))


def test_texts_patterns_and_numbers_of_the_code_are_found(constants: CodeConstants) -> None:
    assert {"Sexton", "Beadle", "lamplight", "ballast"} <= set(constants.texts)
    assert [text for text in constants.texts if re.fullmatch(r"QZ-[0-9]{5,8}", text)]
    assert not [text for text in constants.texts if "docstring" in text or "\n" in text or "never" in text]
    assert constants.numbers == (37,)


def test_the_same_seed_finds_the_same(constants: CodeConstants, tmp_path: Path) -> None:
    assert read_constants("octavo_lamp.plugin", seed=SEED, import_paths=(tmp_path,)) == constants
    assert read_constants("octavo_lamp.plugin", seed=SEED + 1, import_paths=(tmp_path,)) != constants
    assert read_constants("octavo_no_such_package.plugin", seed=SEED) == CodeConstants((), ())


@pytest.mark.parametrize(
    "media_type",
    ["text/plain", "text/markdown", "text/html", "text/csv", "message/rfc822", "application/rtf", "application/pdf"],
)
def test_documents_have_what_the_code_names(constants: CodeConstants, media_type: str) -> None:
    (made,) = make_sought(SEED, constants, [media_type])
    told = " ".join(made.expected.pages)
    for text in constants.texts:
        assert told.count(text) >= 2, text
    assert {37, 38} <= {len(word) for word in told.split() if word.isalpha()}
    assert re.search(r"\b37\b", told)
    assert re.search(r"\b38\b", told)


def test_the_documents_of_a_plugin_are_written(make_plugin: Callable[..., Any], tmp_path: Path) -> None:
    make_plugin(
        "lamplighter", READER.replace("CHANGED", "text + 'Beadle'"), media_types=["text/plain"], extensions=[".txt"]
    )
    folder = tmp_path / "vectors"
    done = CliRunner().invoke(command, ["vectors", str(folder), "--plugin", "lamplighter"])
    assert done.exit_code == 0, done.output
    assert "Beadle" in (folder / "txt/sought.txt").read_text(encoding="utf-8")
    assert "Beadle" in (folder / "txt/sought.txt.words").read_text(encoding="utf-8")


def test_a_list_and_a_table_have_one_part_more_than_a_number_says(constants: CodeConstants) -> None:
    (made,) = make_sought(SEED, constants, ["text/html"])
    lists = re.findall(r"<ul>.*?</ul>", made.data.decode())
    assert 38 in {one.count("<li>") for one in lists}
    assert 39 in {len(table) for table in made.expected.tables}  # with its header


def test_people_stand_beside_what_the_code_names() -> None:
    told = make_sought_text(SEED, ["Sexton", "Beadle"], length=4_000)
    assert len(told.names) == len(set(told.names)) == 6
    assert min(len(told.text), len(told.plain)) > 4_000
    for word, names in told.beside.items():
        assert all(f"{word} {name}" in told.text and told.plain.count(name) == 1 for name in names)
        assert word not in told.plain


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ("text", None),
        ('"\\n".join(line for line in text.split("\\n") if "quarantine" not in line)', "words of page 1 differ"),
        ('__import__("re").sub(r"\\bQZ([0-9]{4})", r"QZ0000", text)', "words of page 1 differ"),
        ('text.replace("\\u20b1", "$")', "signs are lost or changed"),
    ],
)
def test_a_reader_that_treats_what_it_names_otherwise_fails(
    make_plugin: Callable[..., Any], changed: str, shown: str | None
) -> None:
    make_plugin("lamplighter", READER.replace("CHANGED", changed), media_types=["text/plain"], extensions=[".txt"])
    report = run_plugin("lamplighter", selection=Selection(level=3, checks=frozenset({"OC-GOLD-035"}), seed=SEED))
    (outcome,) = [one for one in report.outcomes if one.check == "OC-GOLD-035"]
    assert (outcome.status, outcome.reason) == (
        ("passed", "") if shown is None else ("failed", f"txt/sought.txt: {shown}")
    )
