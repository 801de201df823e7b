"""Every way out, run where each packet is seen: proxies, netrc and the environment have no say (DIG-27, CNV-15)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported by path: what they share has to be found

import enclosure
from ways import WAYS

pytestmark = pytest.mark.skipif(enclosure.lacking() is not None, reason=f"no namespace: {enclosure.lacking()}")

QUIET = {"model_elsewhere", "web_off", "recogniser_off", "research_off", "command_line", "engines"}
"""Ways that have nobody to ask, or no leave."""
FAIL = {
    "model_elsewhere": "PolicyRefused: the model server models.example.org is not on this machine",
    "model_elsewhere_allowed": "ToolUnavailable: the model server cannot be reached",
    "model_that_redirects": "ToolUnavailable: the model server cannot be reached",
    "recogniser_off": "PolicyRefused: plugin azure: the recogniser azure was not called: cloud services are disabled",
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_way_out_asks_the_server_that_it_was_told_and_nobody_else(way: str, tmp_path: Path) -> None:
    seen = enclosure.run(way, tmp_path)

    assert seen.proxy_bytes == 0
    assert f"127.0.0.1:{enclosure.PROXY}" not in seen.sent
    assert not seen.keys_written
    assert not [planted for planted in enclosure.PLANTED if planted in json.dumps(seen.answer)]
    if way in FAIL:
        assert seen.error.startswith(FAIL[way]), seen
    else:
        assert not seen.error, seen
    if way == "model_elsewhere_allowed":
        # The name is looked up, by the system's resolver: it may try its search domains, and both families.
        assert set(seen.sent) == {"127.0.0.1:53"}
    elif way == "model_that_redirects":
        assert not [place for place in seen.sent if place.startswith("198.51.100.")]
        assert {place.rpartition(":")[0] for place in seen.sent} == {"127.0.0.1"}
    else:
        ports = seen.answer["port"] if seen.answer else []
        assert seen.elsewhere(*ports) == {}, seen
        assert bool(seen.sent) == (way not in QUIET), seen
