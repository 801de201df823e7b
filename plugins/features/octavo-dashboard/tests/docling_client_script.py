"""Converts files with Docling's own client library; runs in the interpreter that has it. Prints one JSON object.

Usage: docling_client_script.py URL FILE…
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main(url: str, files: list[str]) -> None:
    from docling.datamodel.base_models import OutputFormat  # type: ignore[import-not-found,unused-ignore]
    from docling.datamodel.service.targets import InBodyTarget  # type: ignore[import-not-found,unused-ignore]
    from docling.service_client import DoclingServiceClient  # type: ignore[import-not-found,unused-ignore]

    found: dict[str, Any] = {}
    with DoclingServiceClient(url=url) as client:
        client.health()
        for file in files:
            result = client.convert(file, raises_on_error=False)
            found[Path(file).name] = {
                "status": result.status.value,
                "markdown": result.document.export_to_markdown(),
                "tables": [len(table.data.grid) for table in result.document.tables],
                "errors": [one.error_message for one in result.errors],
            }
        job = client.submit(files[0], output_formats=[OutputFormat.MARKDOWN], target=InBodyTarget())
        found["submitted"] = job.result().status.value
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
