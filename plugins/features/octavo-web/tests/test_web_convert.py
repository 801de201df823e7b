"""Pages of the web converted without a library: as the settings allow, through the one way out."""

from __future__ import annotations

import octavo
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo.settings.web import WebSettings
from octavo_conformance.loopback import Asked, Reply, serving

PAGE = b"<html><head><title>Tides</title></head><body><article><p>High water at noon, all week.</p></article></body></html>"


def test_a_page_is_fetched_and_converted() -> None:
    def answer(asked: Asked) -> Reply:
        if asked.path == "/tides":
            return Reply(status=200, body=PAGE, headers={"Content-Type": "text/html"})
        return Reply(status=404, body=b"no")

    with serving(answer) as port:
        web = WebSettings(enabled=True, private=(f"127.0.0.1:{port}",), delay_seconds=0.0)
        with Runtime(Settings(web=web)) as runtime:
            converted = octavo.convert(f"http://127.0.0.1:{port}/tides", runtime=runtime)
            missing = octavo.convert(f"http://127.0.0.1:{port}/ebb", runtime=runtime)

    assert converted.result.ingestion_status == "complete"
    assert "High water at noon" in converted.markdown
    assert [receipt.reason_code for receipt in missing.result.failure_receipts] == ["source_missing"]


def test_nothing_is_fetched_until_the_settings_say_so() -> None:
    asked: list[str] = []

    def answer(request: Asked) -> Reply:
        asked.append(request.path)
        return Reply(status=200, body=PAGE)

    with serving(answer) as port, Runtime(Settings()) as runtime:
        converted = octavo.convert(f"http://127.0.0.1:{port}/tides", runtime=runtime)

    assert [receipt.reason_code for receipt in converted.result.failure_receipts] == ["policy_refused"]
    assert asked == []
