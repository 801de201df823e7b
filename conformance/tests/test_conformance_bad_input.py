"""Bad input to `octavo conformance`: one clear line, the exit code that says whose fault it is, never a traceback."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from octavo_cli import main
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import PluginText, install, reference_text

GOOD = reference_text("sheaf")
LOOSE = '[[expected]]\ncheck = {check}\nreason = "it is known to be so"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Plugins, good and unusable, and files that no command can read."""
    place = tmp_path_factory.mktemp("bad")
    site = place / "site"
    install(site, "good", GOOD)
    install(site, "torn", PluginText(code="import octavo_not_there\n", manifest=GOOD.manifest))
    install(site, "stray", PluginText(code=GOOD.code, manifest=GOOD.manifest.replace("hooks = ", "hocks = ")))
    install(site, "newer", PluginText(code=GOOD.code, manifest=GOOD.manifest.replace("1.0", "1.9")))
    bare = GOOD.manifest.replace('module = "wave"', 'module = "octavo_no_engine"')
    install(site, "bare", PluginText(code=GOOD.code, manifest=bare))
    texts = {
        "wrong-id.toml": 'plugin = "good"\n' + LOOSE.format(check='"OC-NO-001"'),
        "not-toml.toml": "plugin = ",
        "not-json.json": "Dear Anna,",
        "no-result.json": '{"a": 1}',
        "no-report.json": '{"plugin": "good"}',
        "cut.json": '{"ingestion_status": "comp',
        "empty.json": " \n",
        "deep.json": '{"a":' + "[" * 200_000 + "]" * 200_000 + "}",
        "torn.json": '{"ingestion_status": "\\ud800"}',
        "long.json": '{"a":' + "9" * 10_000 + "}",
        "lines.jsonl": '{"ingestion_status": "complete"}\n{"ingestion_status": ',
    }
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    (place / "bytes.json").write_bytes(b"\xff\xfe\x00")
    (place / "empty").mkdir()
    return place


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    stdout: str
    stderr: str


Octavo = Callable[..., Ended]


@pytest.fixture
def octavo(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Octavo]:
    """Runs `octavo conformance` in this process, in the folder: starting one takes longer than most commands."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setattr("sys.excepthook", sys.excepthook)  # a command puts its own in place: it is put back

    def run(*arguments: str) -> Ended:
        capfd.readouterr()
        code = main(["conformance", *arguments])
        return Ended(code, *capfd.readouterr())

    with importable(folder / "site"):
        yield run


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("run nobody", "no plugin named 'nobody'"),
        ("run good --expectations wrong-id.toml", "no check 'OC-NO-001'"),
        ("run good --expectations not-toml.toml", "not-toml.toml cannot be read"),
        ("run good --expectations none.toml", "none.toml cannot be read"),
        ("run good --check OC-NO-001", "no check OC-NO-001"),
        ("run good --vectors papyrus", "no vectors of papyrus"),
        ("run good --vectors pdf/none.pdf", "no vector pdf/none.pdf"),
        ("run good --level 7", "7 is not in the range"),
        ("explain OC-NO-001", "no check 'OC-NO-001'"),
        ("init Not-A-Name", "is not a plugin name"),
        ("validate none.json", "none.json cannot be read"),
        ("validate not-json.json", "is not JSON"),
        ("validate cut.json", "is not JSON"),
        ("validate bytes.json", "cannot be read"),
        ("validate no-result.json", "is neither an ingestion result nor a digest"),
        ("validate empty.json", "is not JSON: the file is empty"),
        ("validate deep.json", "is not JSON: the value is nested too deeply"),
        ("validate torn.json", "contains half a surrogate pair"),
        ("validate long.json", "is not JSON"),
        ("validate empty", "cannot be read"),
        ("validate -", "stdin is not JSON: the file is empty"),
        ("vectors .", ". is not empty"),
        ("vectors not-toml.toml/there", "cannot be written"),
        ("run good --seed -1", "-1 is not in the range"),
        ("matrix no-report.json", "is not a report of the conformance suite"),
        ("matrix none.json", "cannot be read"),
        ("matrix empty", "has no report.json"),
        ("nothing", "no such command 'nothing'"),
    ],
)
def test_what_is_unknown_or_no_json_is_code_2(octavo: Octavo, arguments: str, words: str) -> None:
    _is_one_clear_line(octavo(*arguments.split()), code=2, words=words)


def test_a_process_of_its_own_ends_in_the_same_way(folder: Path) -> None:
    program = "import sys; from octavo_cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "conformance", "validate", "cut.json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    _is_one_clear_line(Ended(done.returncode, done.stdout, done.stderr), code=2, words="is not JSON")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("torn", "cannot be imported: ModuleNotFoundError"),
        ("stray", "a plugin must declare at least one hook"),
        ("newer", "needs contract 1.9"),
        ("bare", "the Python module 'octavo_no_engine' is not installed"),
    ],
)
def test_a_plugin_that_is_installed_and_not_usable_is_code_6(octavo: Octavo, name: str, words: str) -> None:
    _is_one_clear_line(octavo("run", name), code=6, words=words)
    _is_one_clear_line(octavo("run", name, "--json"), code=6, words=words)


def _is_one_clear_line(ended: Ended, *, code: int, words: str) -> None:
    """One line that says what is wrong, and at most one more that says what to do."""
    assert ended.code == code, ended.stderr
    assert ended.stdout == ""
    first, *rest = ended.stderr.splitlines()
    assert first.startswith("octavo: ")
    assert words in first
    assert len(rest) <= 1
    assert all(line.startswith("  ") for line in rest)
