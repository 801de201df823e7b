"""Run mypy over every distribution's sources, one at a time, so that each is checked as it is installed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Exit 0 when every distribution is clean."""
    sources = sorted(path for path in ROOT.glob("**/src") if (path.parent / "pyproject.toml").is_file())
    failed = []
    for source in sources:
        if subprocess.run([sys.executable, "-m", "mypy", str(source)], cwd=ROOT, check=False).returncode:
            failed.append(str(source.relative_to(ROOT)))
    print(f"{len(sources)} distributions checked, {len(failed)} with errors: {', '.join(failed) or 'none'}")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
