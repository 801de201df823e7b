"""Logging by the standard library: silent for a host that does not ask, lines on stderr for a user of the command."""

from __future__ import annotations

import logging
import subprocess
import sys

from octavo_cli.toolkit.running import octavo_command

REFUSED = """\
from octavo.runtime import Runtime
from octavo_sandbox.egress import CloudRequest, cloud_refusal, check_cloud
import logging
try:
    check_cloud(CloudRequest(), service="a service")
except Exception as error:
    print(type(error).__name__)
{more}
"""


def run(more: str = "") -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", REFUSED.replace("{more}", more)], capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr


def test_a_library_that_nobody_listens_to_prints_nothing():
    assert run() == ("PolicyRefused\n", "")


def test_a_host_that_listens_hears_it():
    heard = "logging.basicConfig()\ntry:\n    check_cloud(CloudRequest(), service='another')\nexcept Exception: pass"
    assert "WARNING:octavo.egress:egress.refused service=another" in run(heard)[1]


@octavo_command(name="uneasy")
def uneasy() -> None:
    logging.getLogger("octavo.ingestion").warning("the disk is %s", "slow")
    logging.getLogger("octavo.ingestion").info("nothing to speak of")
    logging.getLogger("octavo.egress").warning("egress.refused service=x")


def test_the_command_shows_a_warning_as_a_line_and_no_more(capsys, monkeypatch):
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])  # those of the test runner
    assert uneasy.main([], standalone_mode=False) == 0
    assert capsys.readouterr().err == "octavo: the disk is slow\n"
    assert all(isinstance(handler, logging.NullHandler) for handler in logging.getLogger("octavo").handlers)
