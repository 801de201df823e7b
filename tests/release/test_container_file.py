"""The container file: unprivileged, on a read-only file system, with a health check that the server answers.

It is parsed here, and built only where a container engine works and `OCTAVO_TEST_CONTAINER` is set.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "Containerfile"


def instructions() -> list[tuple[str, str]]:
    """Each instruction with its arguments, lines joined."""
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    pairs = (line.strip().partition(" ") for line in joined.splitlines() if line.strip())
    return [(name, rest.strip()) for name, _, rest in pairs]


def last(name: str) -> str:
    return [rest for given, rest in instructions() if given == name][-1]


def test_every_instruction_is_one_that_engines_know() -> None:
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}

    assert {name for name, _ in instructions()} == known | {"STOPSIGNAL"}


def test_images_are_named_with_their_release() -> None:
    for base in (rest.split()[0] for name, rest in instructions() if name == "FROM"):
        assert re.search(r":\d+\.\d+-", base), base


def test_it_runs_unprivileged() -> None:
    user = last("USER")
    after = instructions()[instructions().index(("USER", user)) :]

    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)  # by number, so that engines can tell that it is not root
    assert not [rest for name, rest in after if name in ("RUN", "USER")][1:]


def test_nothing_is_left_of_package_lists_and_no_recommended_package_comes() -> None:
    for rest in (rest for name, rest in instructions() if name == "RUN" and "apt-get install" in rest):
        assert "--no-install-recommends" in rest
        assert "rm -rf /var/lib/apt/lists/*" in rest


def test_its_extras_are_those_of_the_checkout() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    (named,) = re.findall(r"'\.\[([\w,-]+)\]'", FILE.read_text(encoding="utf-8"))

    assert set(named.split(",")) <= set(extras)


def test_the_command_that_it_starts_exists_and_takes_these_options() -> None:
    from octavo_dashboard.command import command

    entry, (name, *arguments) = json.loads(last("ENTRYPOINT")), json.loads(last("CMD"))

    assert entry == ["octavo"]
    assert name == command.name == "web"
    assert isinstance(command, click.Command)
    context = command.make_context("web", list(arguments))
    assert context.params["host"] == "0.0.0.0"
    assert f"localhost:{last('EXPOSE')}" in context.params["allow_hosts"]


def test_the_health_check_asks_what_the_server_answers_without_a_token(tmp_path: Path) -> None:
    from octavo_dashboard.access import Access
    from octavo_dashboard.application import make_app
    from octavo_dashboard.options import DashboardOptions
    from octavo_library import Library
    from starlette.testclient import TestClient

    ((port, path),) = re.findall(r"urlopen\('http://127\.0\.0\.1:(\d+)(/[^']*)'", last("HEALTHCHECK"))

    assert port == last("EXPOSE")
    with Library.open(tmp_path / "library") as library:
        app = make_app(
            library, DashboardOptions(access=Access.of_tokens([("a-token-of-the-container-0123456789", None)]))
        )
        with TestClient(app, base_url="http://127.0.0.1:8321") as client:
            assert client.get(path).status_code == 200


def test_what_it_is_built_from_holds_no_library_and_no_history() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()

    assert {".git", ".venv", "octavo-library", "**/tests"} <= set(ignored)


def engine() -> str | None:
    """A container engine that works here, or None."""
    for name in ("docker", "podman"):
        if shutil.which(name) and not subprocess.run([name, "info"], capture_output=True, check=False).returncode:
            return name
    return None


@pytest.mark.slow
@pytest.mark.skipif("OCTAVO_TEST_CONTAINER" not in os.environ, reason="builds an image: set OCTAVO_TEST_CONTAINER")
def test_the_image_converts_on_a_read_only_file_system() -> None:
    name = engine()
    if name is None:
        pytest.skip("no container engine works here")
    subprocess.run([name, "build", "-q", "-f", str(FILE), "-t", "octavo-test", str(ROOT)], check=True, timeout=1800)
    run = [name, "run", "--rm", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--network", "none"]

    mounted = ["-v", f"{ROOT / 'docs' / 'samples'}:/in:ro", "octavo-test"]
    done = subprocess.run([*run, *mounted, "convert", "/in/annual-report.pdf"], capture_output=True, check=True)
    who = subprocess.run([*run, "--entrypoint", "id", "octavo-test", "-u"], capture_output=True, check=True)

    assert b"Brannoch Head Coastal Observatory" in done.stdout
    assert who.stdout.strip() == b"10001"
