"""`python -m octavo_conformance.vectors [FOLDER]` writes every golden vector and `truth.json`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .golden import make_golden
from .stored import TRUTH, VERSION

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / VERSION
if len(sys.argv) > 1 and folder.is_dir() and any(folder.iterdir()):
    sys.exit(f"{folder} is not empty: name a new folder")
entries = []
for vector in sorted(make_golden(), key=lambda one: one.path):
    target = folder / vector.path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(vector.data)
    entries.append(vector.model_dump(mode="json"))
text = json.dumps({"version": VERSION, "vectors": entries}, indent=1, ensure_ascii=False) + "\n"
(folder / TRUTH).write_text(text, encoding="utf-8")
print(f"{len(entries)} vectors in {folder}")
