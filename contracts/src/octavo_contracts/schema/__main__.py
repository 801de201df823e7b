"""`python -m octavo_contracts.schema FOLDER` writes every schema into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from . import SCHEMA_MODELS, render_schema

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "v1"
folder.mkdir(parents=True, exist_ok=True)
for path in folder.glob("*.json"):
    # Only schemas are overwritten: a user's folder may have a file of the same name.
    if path.stem in SCHEMA_MODELS and b'"$schema"' not in path.read_bytes():
        sys.exit(f"{path} exists and is not a schema: name another folder")
for schema_name in SCHEMA_MODELS:
    (folder / f"{schema_name}.json").write_text(render_schema(schema_name), encoding="utf-8")
    print(folder / f"{schema_name}.json")
