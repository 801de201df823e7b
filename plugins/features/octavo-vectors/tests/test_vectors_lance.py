"""Vectors in LanceDB: the nearest of those that may be given, in any process, and gone when they are removed."""

from __future__ import annotations

import math
import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from octavo_contracts import StorageError, ToolUnavailable, UsageError, VectorIndex
from octavo_vectors import LanceVectorIndex
from octavo_vectors import lance as module
from octavo_vectors.filtering import condition
from octavo_vectors.lance import index_from, table_name

needs_lance = pytest.mark.skipif(
    not all(find_spec(name) for name in ("lancedb", "numpy", "pyarrow")), reason="the extra `lancedb` is not installed"
)

SIZE = 32
COUNT = 600


def unit(seed: int) -> list[float]:
    rng = random.Random(seed)
    values = [rng.gauss(0, 1) for _ in range(SIZE)]
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


VECTORS = {f"{seed}": unit(seed) for seed in range(COUNT)}


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def nearest(asked: list[float], ids: list[str], count: int) -> list[str]:
    return sorted(ids, key=lambda item: -cosine(asked, VECTORS[item]))[:count]


def ids(hits) -> list[str]:
    return [hit.embedding_id for hit in hits]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "vectors").mkdir()
    return tmp_path / "vectors"


@pytest.fixture
def index(folder: Path) -> Iterator[LanceVectorIndex]:
    made = LanceVectorIndex(folder, model="m/1")
    for start in range(0, COUNT, 30):
        made.add({item: VECTORS[item] for item in list(VECTORS)[start : start + 30]})
    return made


@needs_lance
def test_the_nearest_come_first_with_their_cosine(index: LanceVectorIndex) -> None:
    asked = unit(10_000)

    hits = index.search(asked, limit=7)

    assert isinstance(index, VectorIndex)
    assert ids(hits) == nearest(asked, list(VECTORS), 7)
    assert [hit.score for hit in hits] == pytest.approx([cosine(asked, VECTORS[item]) for item in ids(hits)], abs=1e-5)


@needs_lance
@pytest.mark.parametrize(
    "among",
    [
        [str(seed) for seed in range(0, COUNT, 7)],
        [str(seed) for seed in range(100, 160)],
        [str(seed) for seed in range(COUNT) if seed % 5],
        [str(seed) for seed in range(COUNT) if seed % 200 > 3],
        list(VECTORS),
        ["3", "no such id"],
    ],
    ids=["every seventh", "a run", "most", "runs", "all", "unknown"],
)
def test_only_those_that_may_be_given_are_looked_at(index: LanceVectorIndex, among: list[str]) -> None:
    """What is far is found, if it is the nearest of the few: the restriction is in force before the search."""
    for seed in (20_000, 20_001):
        asked = unit(seed)
        expected = nearest(asked, [item for item in among if item in VECTORS], 5)
        assert ids(index.search(asked, limit=5, among=among)) == expected


@needs_lance
def test_nothing_allowed_gives_nothing(index: LanceVectorIndex) -> None:
    assert index.search(unit(1), among=[]) == []
    assert index.search(unit(1), among=["no such id"]) == []


@needs_lance
def test_an_id_that_is_added_again_is_replaced(index: LanceVectorIndex) -> None:
    index.add({"3": VECTORS["5"], "new": VECTORS["5"]})

    hits = index.search(VECTORS["5"], limit=4)

    assert set(ids(hits[:3])) == {"3", "5", "new"}
    assert len({round(hit.score, 3) for hit in hits[:3]}) == 1
    assert ids(index.search(VECTORS["3"], among=["3"])) == ["3"]


@needs_lance
def test_what_was_removed_is_gone_from_answers_and_from_the_files(index: LanceVectorIndex, folder: Path) -> None:
    """STO-12: deleting marks rows only; a purged passage's vector would still be there."""
    needle = struct.pack(f"<{SIZE}f", *VECTORS["17"])
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(needle in path.read_bytes() for path in files)

    index.remove(["17", "18", "no such id"])

    assert ids(index.search(VECTORS["17"], limit=COUNT)) == nearest(
        VECTORS["17"], [item for item in VECTORS if item not in ("17", "18")], COUNT
    )
    assert not any(needle in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@needs_lance
def test_everything_may_be_removed_and_added_again(index: LanceVectorIndex) -> None:
    index.remove(list(VECTORS))
    index.remove(["1"])
    index.add({})
    assert index.search(VECTORS["1"]) == []
    index.add({"1": VECTORS["1"]})
    assert ids(index.search(VECTORS["1"])) == ["1"]


@needs_lance
def test_another_process_sees_it_and_is_seen(index: LanceVectorIndex, folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from octavo_vectors import LanceVectorIndex\n"
        "index = LanceVectorIndex(Path(sys.argv[1]), model='m/1')\n"
        f"index.remove(['3']); index.add({{'other': {VECTORS['3']!r}}})\n"
        f"print(index.search({VECTORS['4']!r}, limit=1)[0].embedding_id)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=120, check=True
    )

    assert done.stdout == "4\n"
    assert ids(index.search(VECTORS["3"], limit=1)) == ["other"]


@needs_lance
def test_vectors_of_two_models_do_not_mix(index: LanceVectorIndex, folder: Path) -> None:
    other = LanceVectorIndex(folder, model="m-1")

    assert other.search([1.0, 0.0]) == []
    other.add({"a": [1.0, 0.0]})

    assert ids(other.search([1.0, 0.0])) == ["a"]
    assert len(index.search(VECTORS["1"], limit=COUNT)) == COUNT
    assert table_name("m/1") != table_name("m-1")


@needs_lance
def test_a_large_table_is_searched_by_its_index(index: LanceVectorIndex, folder: Path, monkeypatch) -> None:
    """Recall of IVF_FLAT, on vectors without any order: real ones are nearer to each other."""
    monkeypatch.setattr(module, "EXACT_BELOW", 500)
    monkeypatch.setattr(module, "PROBES", 0.5)
    index.remove(["0"])  # the table is written anew, with its index
    assert any("ivf" in str(item).lower() for item in index._table.list_indices())

    found = [ids(index.search(VECTORS[str(seed)], limit=10)) for seed in range(1, 41)]

    right = [nearest(VECTORS[str(seed)], [item for item in VECTORS if item != "0"], 10) for seed in range(1, 41)]
    shared = sum(len(set(one) & set(other)) for one, other in zip(found, right, strict=True))
    assert [one[0] for one in found] == [str(seed) for seed in range(1, 41)]
    assert shared / 400 > 0.6
    needle = struct.pack(f"<{SIZE}f", *VECTORS["77"])
    index.remove(["77"])
    assert not any(needle in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@needs_lance
@pytest.mark.parametrize("damage", ["cut", "scribble", "data gone", "manifests gone"])
def test_damaged_files_are_a_storage_error(index: LanceVectorIndex, folder: Path, tmp_path: Path, damage: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    for path in [path for path in copy.rglob("*") if path.is_file()]:
        if damage == "cut":
            os.truncate(path, path.stat().st_size // 2)
        elif damage == "scribble":
            path.write_bytes(random.Random(1).randbytes(path.stat().st_size))
        elif (damage == "data gone" and path.parent.name == "data") or (
            damage == "manifests gone" and path.suffix == ".manifest"
        ):
            path.unlink()

    with pytest.raises(StorageError, match="cannot be read"):
        LanceVectorIndex(copy, model="m/1").search(VECTORS["1"])


@needs_lance
def test_vectors_of_another_length_are_refused(index: LanceVectorIndex) -> None:
    with pytest.raises(UsageError, match="32 numbers, got 1"):
        index.add({"a": [1.0]})
    with pytest.raises(UsageError, match="32 numbers, got 1"):
        index.search([1.0])
    with pytest.raises(UsageError, match="equal lengths, got 1, 2"):
        index.add({"a": [1.0], "b": [1.0, 0.0]})


def test_the_settings_are_checked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="folder and model"):
        index_from({"folder": str(tmp_path), "colour": "red"})


def test_a_missing_database_is_named_with_the_command(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(ToolUnavailable) as caught:
        index_from({"folder": str(tmp_path), "model": "m"})
    assert "octavo-vectors[lancedb]" in caught.value.remedy


def test_a_condition_is_as_short_as_it_can_be() -> None:
    known = list(range(2000))
    assert condition(known, known) is None
    assert condition([1, 2, 3, 9], known) == "(number >= 1 AND number <= 3) OR (number >= 9 AND number <= 9)"
    assert condition([1, 5], known) == "number IN (1, 5)"
    assert condition([n for n in known if n != 7], known) == "NOT (number IN (7))"
    runs = [n for n in range(1000) if n % 4]
    assert condition(runs, known) == f"number IN ({', '.join(map(str, runs))})"


def test_importing_the_feature_imports_no_model_and_no_database() -> None:
    code = (
        "import sys, octavo_vectors.plugin; print([n for n in ('lancedb', 'onnxruntime', 'numpy') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
