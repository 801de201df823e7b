"""`octavo digest` and `octavo verify`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from octavo_cli import main
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines, show_text
from octavo_contracts import DigestPayload

SAMPLES = Path(__file__).resolve().parents[4] / "docs" / "samples"
REPORT = SAMPLES / "annual-report.pdf"


@pytest.fixture
def octavo(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Runs a command line in a folder of its own: code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCTAVO_BLOCK", "digest")
    for name in ("OCTAVO_LIBRARY", "OCTAVO_PLUGINS"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object) -> tuple[int, bytes, str]:
        capfdbinary.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capfdbinary.readouterr()
        return code, captured.out, captured.err.decode()

    return run


@pytest.fixture
def digest(octavo, tmp_path: Path) -> Path:
    """A digest of a sample whose text is in the archive `kept`."""
    code, out, _ = octavo("digest", REPORT, "--query", "the surge", "--json", "--archive-dir", "kept")
    assert code == 0
    path = tmp_path / "digest.json"
    path.write_bytes(out)
    return path


def test_a_digest_of_a_path_is_printed_as_json(octavo, digest: Path) -> None:
    printed = json.loads(digest.read_text())

    assert (printed["status"], printed["reason"], printed["cache_hit"]) == ("digested", None, False)
    assert printed["details"]["method"] == "extractive"
    assert DigestPayload.read(printed["payload"]).evidence_snippets


def test_without_json_it_is_printed_for_people(octavo) -> None:
    code, out, err = octavo("digest", REPORT, "--query", "the surge")

    assert code == 0
    assert b"[page:1:char:0-" in out
    assert re.search(rb"of 22\d\d characters", out), "of the whole report"
    assert err == ""


def test_a_book_with_a_remark_a_page_has_a_few_told_and_all_with_v(octavo, tmp_path: Path) -> None:
    pages = [
        PdfPage(
            show_lines([f"The keeper of gauge {number} wrote the figures of the day down, and sealed them."] * 9)
            + show_text("nobody reads these words above the page " * 6, 72, 1300)
        )
        for number in range(6)
    ]
    (tmp_path / "book.pdf").write_bytes(PdfFile(pages).to_bytes())

    _, out, err = octavo("digest", "book.pdf", "--query", "the figures")
    assert b"sealed" in out
    assert len(err.splitlines()) == 4
    assert err.splitlines()[-1] == "octavo: book.pdf: 3 more remarks, shown by -v"
    assert len(octavo("digest", "book.pdf", "--query", "the figures", "-v")[2].splitlines()) >= 6


def test_a_digest_is_verified_against_the_archive(octavo, digest: Path) -> None:
    code, out, _ = octavo("verify", digest, "--archive", "kept")

    assert (code, out.startswith(b"verified: ")) == (0, True)


def test_a_bare_payload_is_verified_too_also_from_standard_input(
    octavo, digest: Path, tmp_path: Path, monkeypatch
) -> None:
    import io
    import sys

    data = json.dumps(json.loads(digest.read_text())["payload"]).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    code, out, _ = octavo("verify", "-", "--archive", "kept", "--json")

    assert code == 0
    assert json.loads(out) == {"status": "verified", "snippets": json.loads(out)["snippets"], "difference": None}


def test_a_changed_quotation_fails_with_the_first_difference(octavo, digest: Path) -> None:
    changed = json.loads(digest.read_text())
    snippet = changed["payload"]["evidence_snippets"][0]
    snippet["text"] = "Q" + snippet["text"][1:]
    digest.write_text(json.dumps(changed))

    code, out, _ = octavo("verify", digest, "--archive", "kept")
    as_json = octavo("verify", digest, "--archive", "kept", "--json")

    assert code == 3
    assert out.decode().startswith(f"failed: snippet 1 at {snippet['locator']} differs after 0 characters")
    assert json.loads(as_json[1])["difference"]["what"] == "text"


def test_a_text_that_is_nowhere_is_unavailable(octavo, digest: Path) -> None:
    for arguments in (("--archive", "nowhere"), ()):
        code, out, _ = octavo("verify", digest, *arguments)
        assert (code, out.startswith(b"unavailable: ")) == (6, True)


def test_a_library_serves_for_digesting_and_verifying(octavo, tmp_path: Path) -> None:
    octavo("ingest", REPORT, "--library", "lib")
    document = json.loads(octavo("list", "--library", "lib", "--json")[1])["documents"][0]["id"]

    code, out, _ = octavo("digest", document[:12], "--query", "seals", "--library", "lib", "--json")
    path = tmp_path / "d.json"
    path.write_bytes(out)

    assert code == 0
    assert json.loads(out)["details"]["document_id"] == document
    assert octavo("verify", path, "--library", "lib")[0] == 0
    assert octavo("verify", path, "--library", "none")[0] == 2


def test_a_text_that_can_not_be_read_is_unavailable_and_has_not_failed(octavo, tmp_path: Path) -> None:
    """DIG-10: 3 says that a quotation differs; a file that is gone or unreadable says nothing of quotations."""
    octavo("ingest", REPORT, "--library", "lib")
    document = json.loads(octavo("list", "--library", "lib", "--json")[1])["documents"][0]["id"]
    path = tmp_path / "d.json"
    path.write_bytes(octavo("digest", document, "--query", "seals", "--library", "lib", "--json")[1])
    texts = sorted((Path.cwd() / "lib").glob("by_hash/*/conversions/*/canonical.txt"))

    for text in texts[1:]:
        text.unlink()
    same = octavo("verify", path, "--library", "lib")
    texts[0].unlink()
    gone = octavo("verify", path, "--library", "lib")
    for text in texts:
        text.symlink_to(text)  # a loop: it is there, and no reading of it ends well
    unreadable = octavo("verify", path, "--library", "lib")

    assert same[0] == 0, "another version has the same text"
    assert (gone[0], gone[1].startswith(b"unavailable: ")) == (6, True)
    assert (unreadable[0], unreadable[1].startswith(b"unavailable: ")) == (6, True)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("digest", "x"), 2, "--query"),
        (("digest", REPORT, "--query", "q", "--policy", "maybe"), 2, "maybe"),
        (("digest", REPORT, "--query", "q", "--scorer", "x/v1"), 2, "unknown scorer 'x/v1'"),
        (("digest", REPORT, "--query", "q", "--digestor", "mine"), 2, "no plugin named 'mine'"),
        (("digest", "no-such-document", "--query", "q", "--library", "none"), 2, "no library"),
        (("digest", "broken.pdf", "--query", "q"), 3, "[source_corrupt]"),
        (("verify", "none.json"), 3, "cannot be read"),
        (("verify", "prose.txt"), 2, "the file is no valid JSON: Expecting value"),
        (("verify", "half.json"), 2, "the file is not a digest: summary: Field required"),
        (("verify", "list.json"), 2, "the file is no JSON object"),
        (("verify", "empty.json"), 2, "the file is neither a digest nor a research report"),
        (("verify", "twice.json"), 2, "an object has the key 'version' twice"),
        (("verify", "report.json", "--archive", "."), 2, "this is no research report: the report needs `sections`"),
    ],
)
def test_mistakes_are_said(octavo, tmp_path: Path, arguments: tuple, code: int, said: str) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 no more")
    (tmp_path / "prose.txt").write_text("prose")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "empty.json").write_text("{}")
    (tmp_path / "twice.json").write_text('{"version": "1.0", "version": "1.0"}')
    (tmp_path / "report.json").write_text('{"question": "How high?"}')
    (tmp_path / "half.json").write_text(
        json.dumps({"version": "1.0", "content_type": "digest/v1", "query_hash": "0" * 8})
    )

    ended, _, err = octavo(*arguments)

    assert ended == code
    assert said in err


def test_a_document_that_is_not_digested_says_why(octavo, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("High water at noon.")

    code, out, err = octavo("digest", "note.txt", "--query", "noon")
    as_json = octavo("digest", "note.txt", "--query", "noon", "--json", "--policy", "off")

    assert (code, out) == (0, b"")
    assert "no digest: it would not be shorter than the document [no_gain]" in err
    assert json.loads(as_json[1])["reason"] == "policy_off"


@pytest.mark.parametrize("query", ["", "the of and", "潮汐", "ارتفاع المد", "surge " * 15_000])
def test_any_query_is_taken(octavo, query: str) -> None:
    code, out, _ = octavo("digest", REPORT, "--query", query, "--json")

    assert code == 0
    assert json.loads(out)["status"] == "digested"


def test_a_text_that_is_lost_or_can_not_be_read_is_unavailable(octavo, tmp_path: Path) -> None:
    """DIG-10: these ended with 2, the code of a mistake, and with 3, the code of a quotation that differs."""
    octavo("ingest", REPORT, "--library", "lib")
    path = tmp_path / "d.json"
    path.write_bytes(octavo("digest", REPORT, "--query", "seals", "--json")[1])
    assert octavo("verify", path, "--library", "lib")[0] == 0
    texts = list((tmp_path / "lib").rglob("canonical.txt"))

    for text in texts:
        text.unlink()
    gone = octavo("verify", path, "--library", "lib", "--json")
    for text in texts:
        text.symlink_to(text.name)  # a link to itself can be read by nobody, not by root either
    unreadable = octavo("verify", path, "--library", "lib", "--json")

    assert (gone[0], json.loads(gone[1])["status"]) == (6, "unavailable")
    assert (unreadable[0], json.loads(unreadable[1])["status"]) == (6, "unavailable")
    assert "[storage]" in unreadable[2]


def test_an_archived_text_that_can_not_be_read_is_unavailable(octavo, digest: Path, tmp_path: Path) -> None:
    (text,) = (tmp_path / "kept").rglob("*.txt")
    text.unlink()
    text.mkdir()

    code, out, err = octavo("verify", digest, "--archive", "kept")

    assert (code, out.startswith(b"unavailable: ")) == (6, True)
    assert "cannot be read" in err


@pytest.mark.parametrize("in_library", [False, True])
def test_a_digest_of_a_damaged_file_warns(octavo, tmp_path: Path, in_library: bool) -> None:
    (tmp_path / "damaged.pdf").write_bytes(REPORT.read_bytes().replace(b"/Pages", b"/Pogos"))
    if in_library:
        octavo("ingest", "damaged.pdf", "--library", "lib")
        (tmp_path / "damaged.pdf").rename(tmp_path / "moved.pdf")

    code, out, err = octavo("digest", "damaged.pdf", "--query", "surge", "--library", "lib", "--json")

    assert code == 0
    assert any("[source_damaged]" in warning for warning in json.loads(out)["warnings"])
    assert "[source_damaged]" in err
