"""What several test files of this distribution need."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo_cli import main


@pytest.fixture
def fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Ingests a text and extracts the fields of properties from it, as JSON or as the table that users see."""

    def run(text: str, properties: dict[str, Any], *, as_json: bool = True) -> Any:
        library = ["--library", str(tmp_path / "library")]
        document, schema = tmp_path / "document.md", tmp_path / "schema.json"
        document.write_text(text, encoding="utf-8")
        schema.write_text(json.dumps({"type": "object", "properties": properties}), encoding="utf-8")
        assert main(["ingest", str(document), "-q", *library]) == 0
        capsys.readouterr()
        code = main(["fields", str(document), "--schema", str(schema), *library, *(["--json"] if as_json else [])])
        shown = capsys.readouterr()
        assert code == 0, shown.err
        return json.loads(shown.out)["fields"] if as_json else shown.out

    return run
