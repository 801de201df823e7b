"""Files, classes and functions that are larger than a reader takes in at once.

    python tests/architecture/sizes.py          print what is over a limit; end with 1 when anything is

Every distribution's sources are measured; the core has a limit for all of its lines and its dependencies too. The functions of commands are left out: each option of a command is a parameter.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FILE_LINES = 400
PUBLIC_METHODS = 25
PARAMETERS = 8
CORE_LINES = 22_000
CORE_DEPENDENCIES = 8


def main() -> int:
    """Print what is over a limit."""
    found = [*(line for path in sources() for line in over_limits(path)), *core_over_limits(ROOT / "core")]
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return int(bool(found))


def sources() -> list[Path]:
    """The source files of every distribution."""
    homes = [*ROOT.glob("*/src"), *ROOT.glob("plugins/*/*/src")]
    return sorted(path for home in homes for path in home.rglob("*.py"))


def core_over_limits(core: Path) -> Iterator[str]:
    """What of the core as a whole is over a limit, a line each."""
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (core / "src").rglob("*.py"))
    if lines >= CORE_LINES:
        yield f"{core.name}: {lines} lines, fewer than {CORE_LINES}"
    project = tomllib.loads((core / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if len(project["dependencies"]) > CORE_DEPENDENCIES:
        yield f"{core.name}: {len(project['dependencies'])} dependencies, at most {CORE_DEPENDENCIES}"


def over_limits(path: Path) -> Iterator[str]:
    """What a file has that is over a limit, a line each."""
    text = path.read_text(encoding="utf-8")
    where = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    lines = len(text.splitlines())
    if lines > FILE_LINES:
        yield f"{where}: {lines} lines, at most {FILE_LINES}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef) and (methods := public_methods(node)) > PUBLIC_METHODS:
            yield f"{where}:{node.lineno}: class {node.name} has {methods} public methods, at most {PUBLIC_METHODS}"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_command(node):
            count = parameters(node)
            if count > PARAMETERS:
                yield f"{where}:{node.lineno}: {node.name} takes {count} parameters, at most {PARAMETERS}"


def public_methods(node: ast.ClassDef) -> int:
    """The public methods and properties that a class defines; overloads and setters are one with what they belong to."""
    functions = (item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef))
    return len({item.name for item in functions if not item.name.startswith("_")})


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The parameters that a caller may give."""
    given = node.args
    names = [item.arg for item in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    is_method = names[:1] in (["self"], ["cls"])
    return len(names) - is_method + (given.vararg is not None) + (given.kwarg is not None)


def is_command(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether click calls the function with a command's options."""
    named = [ast.unparse(item.func if isinstance(item, ast.Call) else item) for item in node.decorator_list]
    return any(name.endswith((".option", ".argument", ".command", "octavo_command")) for name in named)


if __name__ == "__main__":
    raise SystemExit(main())
