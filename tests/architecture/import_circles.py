"""Finds circles among the imports of a distribution: of files, and of the folders that hold them.

    python tests/architecture/import_circles.py         every distribution of this repository; exit code 1 where there is a circle

Every import statement counts, also those inside functions and those for type checkers alone: a reader follows them all.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

Graph = Mapping[str, set[str]]


def distributions() -> list[Path]:
    """The folders `src` of the distributions."""
    return sorted(path for path in ROOT.glob("**/src") if (path.parent / "pyproject.toml").is_file())


def file_imports(source: Path) -> dict[str, set[str]]:
    """Module → the modules of the same distribution that it imports.

    Args:
        source: the distribution's folder `src`.
    """
    modules = {_name(path, source): path for path in sorted(source.rglob("*.py"))}
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        # A package's own file only passes names on: an import from it counts as one of the module that has the name.
        graph[name] = set() if path.name == "__init__.py" else set(_targets(name, path, modules)) - {name}
    return graph


def folder_imports(files: Graph, source: Path) -> dict[str, set[str]]:
    """Folder → the folders whose modules its own modules import. A module of the top folder stands for itself.

    A folder and the one that it lies in are parts of one package: what they import of each other is left out.
    """
    graph: dict[str, set[str]] = {}
    for name, targets in files.items():
        folder = _folder(name, source)
        others = {_folder(target, source) for target in targets}
        graph.setdefault(folder, set()).update(other for other in others if not _is_nested(folder, other))
    return graph


def circles(graph: Graph) -> list[list[str]]:
    """The strongly connected components of more than one node, each sorted (Tarjan, 1972)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in number:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], number[target])
        if low[node] == number[node]:
            at = stack.index(node)
            component = stack[at:]
            del stack[at:]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def _name(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _folder(name: str, source: Path) -> str:
    path = source.joinpath(*name.split("."))
    folder = name if path.is_dir() else name.rpartition(".")[0]
    return folder if "." in folder else name


def _is_nested(one: str, other: str) -> bool:
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _targets(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    for module, imported, _ in _imported(name, path):
        if imported and f"{module}.{imported}" in modules:
            yield f"{module}.{imported}"
        elif module in modules:
            yield _home(module, imported, modules)


def _home(module: str, imported: str, modules: Mapping[str, Path]) -> str:
    """The module that has a name which a package passes on."""
    if modules[module].name == "__init__.py":
        for source, original, passed_on in _imported(module, modules[module]):
            if passed_on == imported and source in modules:
                return _home(source, original, modules)
    return module


@cache
def _imported(name: str, path: Path) -> tuple[tuple[str, str, str], ...]:
    """(module, name in it or "", name here) for each name that a file imports."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found: list[tuple[str, str, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.extend((alias.name, "", alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            found.extend((module, alias.name, alias.asname or alias.name) for alias in node.names)
    return tuple(found)


def main() -> int:
    """Print every circle; 1 where there is one."""
    count = 0
    for source in distributions():
        files = file_imports(source)
        for kind, graph in (("files", files), ("folders", folder_imports(files, source))):
            for circle in circles(graph):
                count += 1
                print(f"{source.parent.relative_to(ROOT)}: {kind} import each other: {', '.join(circle)}")  # noqa: T201 - what it is for
    return bool(count)


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    raise SystemExit(main())
