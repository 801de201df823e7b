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


def test_a_forked_child_is_refused_its_parents_workers_and_may_have_its_own(tmp_path: Path) -> None:
    printed = in_a_process_of_its_own(
        """
        import os, sys
        from octavo_library import Library
        from octavo import convert
        from octavo.runtime import Runtime
        from octavo_contracts import UsageError

        SAMPLE = "docs/samples/tide-table.csv"
        convert(SAMPLE)
        child = os.fork()
        if child == 0:
            try:
                convert(SAMPLE)
            except UsageError as error:
                print(error, flush=True)
            with Runtime() as runtime, Library.open(sys.argv[1], runtime=runtime) as library:
                print(library.ingest(SAMPLE).result.ingestion_status, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(convert(SAMPLE).result.ingestion_status)
        """,
        tmp_path / "library",
    )

    assert printed == [
        "the worker pool was made in another process. Make a new one after a fork",
        "complete",
        "complete",
    ]


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
