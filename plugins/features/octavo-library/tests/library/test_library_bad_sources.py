"""One bad source gives one typed failure, and its neighbours are taken in (ENG-15): whatever is given among many."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import octavo
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo_contracts import HardFailReason, OctavoError
from octavo_library import Library

PLUGIN = """\
import os
import signal

from octavo_contracts import Conversion, Page, hookimpl


@hookimpl
def convert(source, request, context):
    text = source.read_bytes().decode()
    how = text.split()[0]
    if how == "raises":
        raise RuntimeError("of its own")
    if how == "exits":
        raise SystemExit(0)
    if how == "interrupts":
        raise KeyboardInterrupt
    if how == "ends":
        os._exit(3)
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "nothing":
        return None
    if how == "nonsense":
        return {"pages": 7}
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False)
"""

TAGGER = """\
from octavo_contracts import EntityObservation, hookimpl


@hookimpl
def extract_entities(text, request, context):
    how = text.split()[0]
    if how == "raises":
        raise RuntimeError("of its own")
    if how == "exits":
        raise SystemExit(0)
    if how == "nonsense":
        return [7]
    return ()
"""


class RaisingPath:
    """A path of the caller's own class, whose way to say itself is broken."""

    def __fspath__(self) -> str:
        raise RuntimeError("no path today")


class NumberPath:
    def __fspath__(self) -> int:
        return 7


class UnhashablePath:
    __hash__ = None  # type: ignore[assignment]  # the very thing that is tried

    def __fspath__(self) -> str:
        return "/nowhere"


def odd_places(folder: Path) -> dict[str, object]:
    """Everything that is no readable regular file, by what it is."""
    os.mkfifo(folder / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "dangling").symlink_to(folder / "nowhere")
    odd: dict[str, object] = {name: folder / name for name in ("fifo", "socket", "loop", "dangling", "absent")}
    for device in ("/dev/zero", "/dev/full", "/dev/null", "/dev/tty"):
        odd[device] = device
    if os.path.exists("/proc/self/mem"):
        odd["a file whose reading fails"] = "/proc/self/mem"
    return odd


NO_PATHS: list[object] = [
    "", "\0", "a\0b", "x" * 5000, "bad\udcffname", "\ud800.txt", "~", b"bytes without a name", None, 7, 2.5, object(), ["a"],
    RaisingPath(), NumberPath(), UnhashablePath(), "file:///etc/hosts",
    "http://", "http://[::1", "https://a b/", "http://\udcff/", "http://ex\0/", "http://h:99999/", "https://%zz/", "http://[v1.x]/",
    "http://" + "a" * 300 + "/", "https://user:pw@h.invalid/",
]  # fmt: skip


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library") as opened:
        yield opened


def neighbours(folder: Path) -> tuple[Path, Path]:
    count = len(list(folder.glob("good-*")))
    paths = folder / f"good-{count}.txt", folder / f"good-{count + 1}.txt"
    for path in paths:
        path.write_text(f"{path.name} is read")
    return paths


def failures(library: Library, sources: list[object], **options: object) -> list[HardFailReason]:
    """The reason of each failed source; there must be an answer to every source."""
    answers = list(library.ingest_many(sources, **options))  # type: ignore[arg-type]  # what a caller should not give
    assert len(answers) == len(sources)
    results = [answer.result for answer in answers]
    return [
        receipt.reason_code
        for result in results
        if result.ingestion_status == "hard_failed"
        for receipt in result.failure_receipts
    ]


@pytest.mark.parametrize("reingest", [False, True], ids=["ingest", "reingest"])
def test_what_is_no_readable_file_is_one_failure(library: Library, tmp_path: Path, reingest: bool) -> None:
    for what, place in odd_places(tmp_path).items():
        first, last = neighbours(tmp_path)
        assert failures(library, [first, place, last], reingest=reingest) == ["source_missing"], what
        assert library.ingest(place).result.failure_receipts[0].reason_code == "source_missing"  # type: ignore[arg-type]  # as above
        converted = octavo.convert(place, runtime=library.context.runtime).result  # type: ignore[arg-type]  # as above
        assert converted.failure_receipts[0].reason_code == "source_missing"


def test_a_folder_is_its_files_in_a_batch_and_no_document_by_itself(library: Library, tmp_path: Path) -> None:
    """An empty folder has no file: its neighbours are ingested, and nothing fails."""
    empty = tmp_path / "empty"
    empty.mkdir()
    first, last = neighbours(tmp_path)
    done = list(library.ingest_many([first, empty, last]))
    assert [one.result.failure_receipts for one in done] == [(), ()]
    assert library.ingest(empty).result.failure_receipts[0].reason_code == "source_missing"
    assert (
        octavo.convert(empty, runtime=library.context.runtime).result.failure_receipts[0].reason_code
        == "source_missing"
    )


@pytest.mark.parametrize("bad", NO_PATHS, ids=[f"{number}-{type(bad).__name__}" for number, bad in enumerate(NO_PATHS)])
def test_what_is_no_path_at_all_is_one_failure(library: Library, tmp_path: Path, bad: object) -> None:
    first, last = neighbours(tmp_path)
    assert len(failures(library, [first, bad, last])) == 1
    assert library.ingest(first).reused
    assert library.ingest(last).reused


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    bad=st.lists(
        st.one_of(st.text(), st.text().map("http://{}".format), st.binary(), st.integers(), st.none()), max_size=4
    )
)
def test_a_list_of_anything_is_answered_one_by_one(library: Library, tmp_path: Path, bad: list[object]) -> None:
    first, last = neighbours(tmp_path)
    answers = list(library.ingest_many([first, *bad, last]))  # type: ignore[list-item]  # what a caller should not give
    assert len(answers) == len(bad) + 2
    states = {answer.source: answer.result.ingestion_status for answer in answers}
    assert states[str(first)] == states[str(last)] == "complete"


def test_a_generator_that_raises_ends_the_sources_not_the_run(library: Library, tmp_path: Path) -> None:
    def sources() -> Iterator[Path]:
        yield from neighbours(tmp_path)
        raise LookupError("of the caller")

    answers = []
    with pytest.raises(LookupError, match="of the caller"):
        answers.extend(taken for taken in library.ingest_many(sources()))
    assert len(library.documents()) == 2


def test_a_file_that_goes_away_or_changes_is_one_failure(library: Library, tmp_path: Path) -> None:
    """Between the hashing of a batch and its reading."""
    paths = [tmp_path / f"{number:02}.txt" for number in range(30)]
    for path in paths:
        path.write_text(f"{path.name} is read")
    answers = library.ingest_many(paths, workers=1)
    taken = [next(answers)]
    paths[-1].unlink()
    paths[-2].write_text("quite another text")
    taken += answers
    assert len(taken) == len(paths)
    states = [one.result.ingestion_status for one in taken]
    assert states.count("complete") >= len(paths) - 2


@pytest.mark.parametrize("how", ["raises", "exits", "interrupts", "ends", "killed", "nothing", "nonsense"])
def test_a_plugin_that_misbehaves_is_one_failure(make_plugin: Callable[..., object], tmp_path: Path, how: str) -> None:
    make_plugin("odd", PLUGIN, media_types=["text/plain"])
    for name, text in (("a", "fine one"), ("b", f"{how} now"), ("c", "fine two")):
        (tmp_path / f"{name}.txt").write_text(text)
    with Library.open(tmp_path / "library") as library:
        reasons = failures(library, sorted(tmp_path.glob("*.txt")), plugin="odd")  # type: ignore[arg-type]  # paths are objects
    assert len(reasons) == 1
    assert reasons[0] in ("converter_crashed", "doc25_contract_violation")


@pytest.mark.parametrize("how", ["raises", "exits", "nonsense"])
def test_an_extractor_that_misbehaves_costs_no_document(
    make_plugin: Callable[..., object], tmp_path: Path, how: str
) -> None:
    make_plugin(
        "tagger", TAGGER, hooks=["extract_entities"], media_types=[], more='[plugin.entities]\nlabels = ["person"]'
    )
    for name, text in (("a", "fine one"), ("b", f"{how} now"), ("c", "fine two")):
        (tmp_path / f"{name}.txt").write_text(text)
    with Library.open(tmp_path / "library") as library:
        assert failures(library, sorted(tmp_path.glob("*.txt")), entities=True) == []  # type: ignore[arg-type]  # paths are objects
        failed = [document for document in library.documents() if tagging_fails(library, document.id)]
    assert len(failed) == 1


def tagging_fails(library: Library, document: str) -> bool:
    try:
        library.entities.extract(document, engine="tagger", labels=["person"])
    except OctavoError as error:
        return error.reason is not None
    return False
