"""The language-neutral vectors: what they say is what the contracts say, and a checker in JavaScript agrees."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from octavo_conformance.cli import command
from octavo_conformance.verdicts import vector_texts
from octavo_conformance.verdicts.generation import generate

NPM = ("npm", "install", "--silent", "--no-audit", "--no-fund", "ajv@8.20.0", "ajv-formats@3.0.1")


def test_the_committed_vectors_are_those_that_the_contracts_give() -> None:
    """`python -m octavo_conformance.verdicts` writes them after a change."""
    assert vector_texts() == generate()


def test_every_code_has_a_vector_that_fails_it_and_every_file_has_valid_ones() -> None:
    for name, text in vector_texts().items():
        file = json.loads(text)
        failed = {code for vector in file["vectors"] for code in vector.get("codes", ())}
        assert failed == set(file["codes"]), name
        names = [vector["name"] for vector in file["vectors"]]
        assert len(set(names)) == len(names)
        if file["codes"]:
            assert {vector["valid"] for vector in file["vectors"]} == {True, False}
            assert all(vector["valid"] is not bool(vector["codes"]) for vector in file["vectors"])


def test_the_command_writes_the_vectors_once(tmp_path: Path) -> None:
    folder = tmp_path / "vectors"
    written = CliRunner().invoke(command, ["verdicts", str(folder)])
    assert written.exit_code == 0, written.output
    assert {path.name: path.read_text(encoding="utf-8") for path in (folder / "v1").iterdir()} == vector_texts()
    assert json.loads((folder / "schema" / "ingestion_result.json").read_text(encoding="utf-8"))["title"]
    again = CliRunner().invoke(command, ["verdicts", str(folder)])
    assert again.exit_code == 2
    assert "is not an empty folder" in again.output


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which ajv is installed: the one that `OCTAVO_AJV` names, or a new one."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if given := os.environ.get("OCTAVO_AJV"):
        return Path(given)
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("ajv")
    try:
        done = subprocess.run(NPM, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.skip("npm does not answer")
    if done.returncode != 0:
        pytest.skip(f"npm cannot install ajv: {done.stderr[-200:]}")
    return folder


def checked(modules: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the checker over a folder of vectors."""
    words = ["node", str(folder / "check.mjs"), str(folder)]
    return subprocess.run(
        words, cwd=modules, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120
    )


def test_a_checker_in_javascript_gives_the_same_verdicts(modules: Path, tmp_path: Path) -> None:
    CliRunner().invoke(command, ["verdicts", str(tmp_path / "vectors")])
    done = checked(modules, tmp_path / "vectors")
    assert done.returncode == 0, done.stdout + done.stderr
    count = sum(len(json.loads(text)["vectors"]) for text in vector_texts().values())
    slices = sum("slice" in vector for vector in json.loads(vector_texts()["locators.json"])["vectors"])
    assert done.stdout == f"{count + slices} verdicts, 0 differ\n"


def test_the_checker_tells_of_a_verdict_that_differs(modules: Path, tmp_path: Path) -> None:
    folder = tmp_path / "vectors"
    CliRunner().invoke(command, ["verdicts", str(folder)])
    path = folder / "v1" / "digests.json"
    file = json.loads(path.read_text(encoding="utf-8"))
    file["vectors"][0]["document"]["evidence_snippets"][0]["text"] += "!"
    path.write_text(json.dumps(file), encoding="utf-8")
    done = checked(modules, folder)
    assert done.returncode == 1
    assert 'digests: good: expected [true,[]], got [false,["OC-DIG-003"]]' in done.stdout
