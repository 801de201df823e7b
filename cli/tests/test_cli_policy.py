"""The command line under policies: where a document is known already, and what a corpus may ask for."""

from __future__ import annotations

import zipfile
from pathlib import Path

from octavo_contracts import ExitCode


def test_a_known_file_under_another_name_is_answered_with_corpus_and_day(octavo, tmp_path: Path):
    (tmp_path / "a.md").write_text("# Tides\n\nHigh water at noon.\n")
    (tmp_path / "b.md").write_text("# Tides\n\nHigh water at noon.\n")
    first = octavo("ingest", "a.md", "--corpus", "shore", "--json").json["documents"][0]
    assert first["already_known"] is None
    ended = octavo("ingest", "b.md", "--corpus", "shore")
    assert "already in your system: shore, since 20" in ended.out
    again = octavo("ingest", "b.md", "--corpus", "shore", "--json").json["documents"][0]
    assert again["already_known"]["corpora"] == ["shore"]
    assert again["already_known"]["first_seen_at"].startswith("20")


def test_what_is_known_under_another_policy_is_not_told(octavo, tmp_path: Path):
    (tmp_path / "a.md").write_text("# Tides\n\nHigh water at noon.\n")
    octavo("corpus", "create", "sealed", "--visibility", "firewalled")
    octavo("ingest", "a.md", "--corpus", "sealed")
    ended = octavo("ingest", "a.md")
    assert "already in your system" not in ended.out
    assert "sealed" not in ended.out
    assert "already in your system since 20" in octavo("ingest", "a.md").out


def test_a_corpus_shows_and_exports_only_what_its_policy_sees(octavo, tmp_path: Path):
    (tmp_path / "a.md").write_text("# Tides\n\nHigh water at noon.\n")
    octavo("corpus", "create", "sealed", "--visibility", "firewalled")
    octavo("corpus", "create", "open")
    octavo("ingest", "a.md", "--corpus", "sealed")
    assert octavo("show", "a.md", "--corpus", "sealed").code == 0
    refused = octavo("show", "a.md", "--corpus", "open")
    assert (refused.code, "no document matches" in refused.stderr) == (ExitCode.USAGE, True)
    assert octavo("export", "a.md", "-o", "out.zip", "--corpus", "open").code == ExitCode.USAGE
    assert not (tmp_path / "out.zip").exists()
    assert octavo("export", "a.md", "-o", "out.zip", "--corpus", "sealed").code == 0
    assert "manifest.json" in zipfile.ZipFile(tmp_path / "out.zip").namelist()


def test_the_surface_is_recorded(octavo, tmp_path: Path):
    (tmp_path / "a.md").write_text("# Tides\n\nHigh water at noon.\n")
    octavo("ingest", "a.md", "--surface", "email_attachment")
    assert octavo("runs", "last", "--json").json["run"]["surface"] == "email_attachment"
    assert octavo("ingest", "a.md", "--surface", "pigeon").code == ExitCode.USAGE


def test_a_corpus_says_how_it_stands_with_its_documents(octavo, documents: Path):
    octavo("ingest", "papers", "--corpus", "shore")
    assert "standing        2 complete, 2 failed" in octavo("corpus", "show", "shore").out
    status = octavo("corpus", "show", "shore", "--json").json["status"]
    assert status["standing"] == {"complete": 2, "failed": 2}
    assert status["phases"] == {"registered": 4, "converted": 2, "shallow": 2, "deep": 2}


def test_switches_that_nothing_installed_acts_on_are_named(octavo, monkeypatch):
    monkeypatch.setenv("OCTAVO_PLUGINS", "plaintext")
    made = octavo("corpus", "create", "cases", "--entities", "on", "--cloud", "on", "--visibility", "cloud_allowed")
    assert made.stderr == (
        "octavo: no installed plugin extracts entities\noctavo: no installed plugin uses a cloud service\n"
    )
    assert octavo("corpus", "set", "cases", "--entities", "off", "--cloud", "off").stderr == ""
