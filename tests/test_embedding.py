"""What an application may rely on when it embeds Octavo, as docs/how-to/embed.md states it."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def in_a_process_of_its_own(code: str, *arguments: object) -> list[str]:
    """Run a program in a fresh interpreter and return the lines it printed."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.splitlines()


def test_a_forked_child_converts_with_workers_of_its_own(tmp_path: Path) -> None:
    """With the default runtime and with one of the parent's, also while another thread of the parent converts."""
    printed = in_a_process_of_its_own(
        """
        import os, sys, threading
        from octavo import convert
        from octavo.runtime import Runtime
        from octavo_library import Library

        SAMPLE = "docs/samples/tide-table.csv"
        own = Runtime()
        convert(SAMPLE, runtime=own)
        convert(SAMPLE)
        at_work = threading.Thread(target=convert, args=("docs/samples/annual-report.pdf",))
        at_work.start()
        child = os.fork()
        if child == 0:
            print(convert(SAMPLE).result.ingestion_status, flush=True)
            print(convert(SAMPLE, runtime=own).result.ingestion_status, flush=True)
            with Library.open(sys.argv[1], runtime=own) as library:
                print(library.ingest(SAMPLE).result.ingestion_status, flush=True)
            own.close()
            os._exit(0)
        os.waitpid(child, 0)
        at_work.join()
        print(convert(SAMPLE, runtime=own).result.ingestion_status)
        own.close()
        """,
        tmp_path / "library",
    )

    assert printed == ["complete"] * 4


def test_processes_of_multiprocessing_convert(tmp_path: Path) -> None:
    """They are forked on Linux, and their parent has converted before."""
    printed = in_a_process_of_its_own(
        """
        import multiprocessing, octavo

        def status(path):
            return octavo.convert(path).result.ingestion_status

        SAMPLES = ["docs/samples/tide-table.csv", "docs/samples/field-notes.md"]
        status(SAMPLES[0])
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(status, SAMPLES))
        """
    )

    assert printed == ["['complete', 'complete']"]


def test_two_processes_that_take_in_the_same_document_at_once_convert_it_once(tmp_path: Path) -> None:
    code = """
        import sys
        from octavo_library import Library

        with Library.open(sys.argv[1]) as library:
            print(library.ingest("docs/samples/staff-handbook.docx").result.conversion_artifact_ref[-3:])
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "library")]

    started = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate(timeout=120)[0].strip() for process in started]

    assert outputs == ["/v1", "/v1", "/v1"]
    assert [path.name for path in tmp_path.glob("library/by_hash/*/conversions/v*")] == ["v1"]


def test_a_library_may_be_moved(tmp_path: Path) -> None:
    """Nothing in it says where it lies."""
    code = """
        import sys
        from octavo_library import Library

        with Library.open(sys.argv[1]) as library:
            done = library.ingest(b"High water is at 16:33.", name="note.txt")
            print(done.reused, library.documents()[0].canonical_text)
    """

    first = in_a_process_of_its_own(code, tmp_path / "here")
    (tmp_path / "here").rename(tmp_path / "there")
    second = in_a_process_of_its_own(code, tmp_path / "there")

    assert first == ["False High water is at 16:33."]
    assert second == ["True High water is at 16:33."]


def test_a_host_that_logs_is_told_of_documents_by_their_ids_and_of_no_steps_inside(tmp_path: Path) -> None:
    (tmp_path / "secret-merger.md").write_text("# Merger\n\nTwo harbours.\n", encoding="utf-8")
    (tmp_path / "secret-empty.md").write_bytes(b"")
    printed = in_a_process_of_its_own(
        """
        import logging, sys
        logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(name)s %(message)s")
        from octavo_library import Library

        with Library.open(sys.argv[1] + "/library") as library:
            done = list(library.ingest_many([sys.argv[1] + "/secret-merger.md", sys.argv[1] + "/secret-empty.md"], workers=1))
        print(max(done, key=lambda one: one.result.ingestion_status != "hard_failed").document_id)
        """,
        tmp_path,
    )

    *lines, document_id = printed
    assert any(line.startswith(f"octavo.conversion {document_id[:8]}: converted by plaintext") for line in lines)
    assert any("source_empty" in line for line in lines)
    assert {line.split()[0].partition(".")[0] for line in lines} == {"octavo"}
    assert "secret" not in "".join(lines)


def test_what_a_host_prints_is_short(tmp_path: Path) -> None:
    import octavo
    from octavo.runtime import Runtime

    with Runtime(octavo.Settings(workers=1)) as runtime:
        result = octavo.convert(ROOT / "docs" / "samples" / "annual-report.pdf", runtime=runtime).result

    assert len(str(result)) < 120
    assert str(result) == repr(result)
    assert repr(octavo.Settings()) == "Settings()"
    assert (
        repr(octavo.Settings(workers=1, password="harbour")) == "Settings(workers=1, password=SecretStr('**********'))"
    )
