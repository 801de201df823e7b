"""`octavo submit` and `octavo worker`: documents wait in the library's queue, with the options that they were given."""

from __future__ import annotations

import pytest
from octavo_contracts import ExitCode

PAGE = "<html><head><title>{0}</title></head><body><h1>{0}</h1><p>The gauge is read at dawn.</p></body></html>"
PROFILE = """
name = "cluster"
description = "For the tests."
[routes]
html = ["markitdown"]
"""


@pytest.mark.slow
def test_a_worker_converts_with_the_plugin_and_profile_that_were_submitted(octavo, tmp_path):
    """ENG-6: a worker is another process, which knows of a document only what is stored."""
    (tmp_path / "cluster.toml").write_text(PROFILE)
    given = {"routed": (), "plugin": ("--with", "markitdown"), "profile": ("--profile", "cluster.toml")}
    for name, options in given.items():
        (tmp_path / f"{name}.html").write_text(PAGE.format(name))
        submitted = octavo("submit", f"{name}.html", *options, "--json")
        assert (submitted.code, submitted.json) == (
            ExitCode.OK,
            {"queued": 1, "known": 0, "failed": {}, "unreadable": {}, "again": {}},
        )
    assert octavo("worker", "--until-empty", "--json").json["ended"] == len(given)
    shown = octavo("ingest", *(f"{name}.html" for name in given), "--json").json["documents"]
    assert [one["reused"] for one in shown] == [True] * len(given)
    tools = {one["source"]: one["result"]["quality_report"]["selected_tool"] for one in shown}
    assert tools == {"routed.html": "trafilatura", "plugin.html": "markitdown", "profile.html": "markitdown"}


def test_what_failed_for_good_is_not_queued_again(octavo, tmp_path):
    """A nightly submission of a folder finds nothing to do in it, and names what cannot be converted."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "note.txt").write_text("The gauge is read at dawn.")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    (folder / "disk.bin").write_bytes(bytes(range(1, 256)) * 40)
    assert octavo("submit", "papers").out == "3 queued, 0 known\n"
    assert octavo("worker", "--until-empty", "--json").json["failed"] == 2
    again = octavo("submit", "papers")
    assert again.code == ExitCode.OK
    head, told, *named = again.out.splitlines()
    assert (head, told) == ("0 queued, 1 known", "2 not queued again: they would fail as before")
    assert [line.rpartition(" ")[2] for line in sorted(named)] == ["[source_corrupt]", "[unsupported_format]"]
    first, _, named = octavo("submit", "papers/broken.pdf", "--with", "pypdf").out.splitlines()
    assert (first, named.rpartition(" ")[2]) == ("1 queued, 0 known", "[source_corrupt]")
    copy = tmp_path / "copy.pdf"
    copy.write_bytes((folder / "broken.pdf").read_bytes())
    assert octavo("submit", "copy.pdf", "--json").json["failed"].keys() == {"copy.pdf"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--with", "plaintxt"), "no plugin named 'plaintxt'; did you mean plaintext?"),
        (("--profile", "best"), "no profile named 'best'"),
    ],
)
def test_what_no_worker_could_apply_is_refused_when_it_is_submitted(octavo, documents, arguments, says):
    ended = octavo("submit", documents, *arguments)
    assert ended.code == ExitCode.USAGE
    assert says in ended.stderr
