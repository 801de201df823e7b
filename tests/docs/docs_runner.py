"""Runs the code blocks of a documentation page, in order, in one folder.

| block | what is done with it |
|---|---|
| `console` | each line after `$ ` is run by bash; what follows it must be its output |
| `sh` | run by bash; every line must succeed |
| `python` | run in the page's own namespace |
| `text` right after `python` | must be what that block printed |
| any with `title="PATH"` | written to that file |

A block that cannot run here has the comment `<!-- not run: REASON -->` on the line before it. Times, sizes and the
folder are made the same before outputs are compared. With `OCTAVO_UPDATE=1` in the environment, outputs that differ are
written into the page instead; read the difference before committing it.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HOME = "/home/you/octavo"
UPDATE = "OCTAVO_UPDATE"

COLUMNS = "140"
"""Width of the tables that the pages show: a user sees them in a terminal, the tests read a pipe."""

_FENCE = re.compile(
    r"(?:<!-- not run: (?P<reason>[^\n]+?) -->\n+)?^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
_TITLE = re.compile(r'title="([^"]+)"')
_SAME = (
    (re.compile(r"\b\d+\.\d s\b"), "4.2 s"),
    (re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\b"), "2026-11-22 09:30:00"),
    (re.compile(r"\bsince 20\d\d-\d\d-\d\d\b"), "since 2026-11-22"),
    (re.compile(r"\b20\d\d-\d\d-\d\d(?=:| for )"), "2026-11-22"),
    (re.compile(r"^( +)20\d\d-\d\d-\d\d$", re.MULTILINE), r"\1 2026-11-22"),  # the last line of a folded cell
    (re.compile(r"\b\d+\.\d (?:KiB|MiB|GiB)\b"), "1.0 GiB"),
    # A hint names the installer and the place that this Octavo was installed with.
    (re.compile(r"\b(?:uv )?pip install (?:\S*/)?(?=octavo-)"), "pip install "),
    (re.compile(r"\b(?:uv )?pip install '\S*?(?=\[[a-z,-]+\]')"), "pip install '."),
)


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        language: the first word after the fence, or ''.
        title: the file it is, or None.
        body: its text, with the last line end.
        skipped: why it is not run, or None.
        start: where its body begins in the page, in code points.
    """

    language: str
    title: str | None
    body: str
    skipped: str | None
    start: int


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found = []
    for match in _FENCE.finditer(page.read_text(encoding="utf-8")):
        title = _TITLE.search(match["info"])
        language = match["info"].partition(" ")[0]
        found.append(Block(language, title and title[1], match["body"], match["reason"], match.start("body")))
    return found


@dataclass
class PageRun:
    """One page's blocks at work in a folder.

    Attributes:
        page: the page.
        folder: where commands run and files are written.
        programs: the folder that comes first on PATH.
        environment: variables of the commands, beside the user's; none of the user's that begins with OCTAVO_.
        namespace: what the Python blocks see.
        changes: outputs that differ: (start of the block's body, old body, new body).
    """

    page: Path
    folder: Path
    programs: Path = field(default_factory=lambda: Path(sys.executable).parent)
    environment: dict[str, str] = field(default_factory=dict)
    namespace: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    changes: list[tuple[int, str, str]] = field(default_factory=list)

    def run(self) -> None:
        """Run every block, then compare or update the outputs.

        Raises:
            AssertionError: a command failed, an output differs, or a block is of no known kind.
        """
        printed: str | None = None
        for block in blocks_of(self.page):
            if block.skipped is None:
                printed = self._run(block, printed)
        if self.changes and os.environ.get(UPDATE, "") not in ("", "0"):
            self._update()
            return
        for _, old, new in self.changes:
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "the page", "printed", lineterm="")
            shown = "\n".join(lines)
            assert old == new, f"{self.page.name}: an output differs; {UPDATE}=1 writes what it is now\n{shown}"

    def _run(self, block: Block, printed: str | None) -> str | None:
        if block.title is not None:
            target = self.folder / block.title
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.body, encoding="utf-8")
        elif block.language == "python":
            return self._python(block)
        elif block.language == "text" and printed is not None:
            self._compare(block, printed)
        elif block.language == "sh":
            self.shell(f"set -e\n{block.body}")
        elif block.language == "console":
            self._console(block)
        else:
            raise AssertionError(f"{self.page.name}: nobody runs this {block.language or 'plain'} block:\n{block.body}")
        return None

    def _python(self, block: Block) -> str:
        line = self.page.read_text(encoding="utf-8").count("\n", 0, block.start)
        out = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(out):
            # Empty lines in front make the line numbers of a traceback those of the page.
            exec(compile("\n" * line + block.body, str(self.page), "exec"), self.namespace)
        return out.getvalue()

    def _console(self, block: Block) -> None:
        shown = ""
        for part in re.split(r"^(?=\$ )", block.body, flags=re.MULTILINE):
            command = part.partition("\n")[0].removeprefix("$ ")
            if command:
                output = self.shell(command, check=False).strip("\n")
                shown += f"$ {command}\n{output}\n\n" if output else f"$ {command}\n"
        self._compare(block, re.sub(r"\n{2,}(?=\$ )", "\n\n", shown).rstrip("\n") + "\n")

    def shell(self, command: str, *, check: bool = True) -> str:
        """Run a command with bash and return what it printed, on either stream.

        Raises:
            AssertionError: `check` is set and it failed.
        """
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OCTAVO_")}
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env={**kept, "PATH": path, "OMP_NUM_THREADS": "1", "COLUMNS": COLUMNS, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        assert not check or done.returncode == 0, f"{self.page.name}: {command}\n{done.stdout}"
        return done.stdout

    def _compare(self, block: Block, output: str) -> None:
        is_now = "\n".join(line.rstrip() for line in output.replace(str(self.folder), HOME).split("\n"))
        if _comparable(block.body) != _comparable(is_now):
            self.changes.append((block.start, block.body, is_now))

    def _update(self) -> None:
        text = self.page.read_text(encoding="utf-8")
        for start, old, new in reversed(self.changes):
            text = text[:start] + new + text[start + len(old) :]
        self.page.write_text(text, encoding="utf-8")


def _comparable(output: str) -> str:
    """An output without what differs from run to run; columns and rules are as wide as what stands in them."""
    for pattern, example in _SAME:
        output = pattern.sub(example, output)
    return re.sub(r"(─+|  +)", lambda run: run[0][0] * 2, output).strip()
