"""The commands of a library say the same of a document in the same words."""

from __future__ import annotations

import re

BODY = """
    from octavo_contracts import ConversionWarning

    warnings = tuple(ConversionWarning(code=f"left_out_{n}", message=f"Part {n} was left out.") for n in range(9))
    return Conversion(
        pages=(Page(number=1, kind="whole", markdown="High water at noon, low water at six."),), paginated=False,
        warnings=warnings,
    )
"""


def test_a_document_has_one_status_in_every_command(octavo, documents):
    (documents / "tides.md").write_text("High water at noon, low water at six.\n")
    shown = octavo("ingest", "papers/tides.md", "--library", "library").out
    assert re.search(r"papers/tides.md +complete ", shown)
    assert "Status       complete\n" in octavo("show", "tides.md", "--library", "library").out
    assert octavo("show", "tides.md", "--quality", "--library", "library").out.startswith("Status       complete\n")


def test_what_is_left_out_is_named_with_a_command_that_shows_it(octavo, documents, install):
    install("noisy", body=BODY, keys="priority = 99")
    (documents / "tides.md").write_text("High water at noon, low water at six.\n")
    shown = octavo("ingest", "papers/tides.md", "--with", "noisy", "--library", "library").out
    (command,) = re.findall(r"For example octavo (show \w{8} --quality)(?: --library library)? explains them", shown)
    assert "Part 3 was left out." in octavo(*command.split(), "--library", "library").out
    header = octavo("show", "tides.md", "--library", "library").out
    assert re.search(r"\d more findings, listed by --quality\n", header)
