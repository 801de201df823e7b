"""Calls hooks outside the sandbox, in processes with other surroundings: hash seed, locale, clock, machine, user, home folder."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from octavo_contracts import ContractViolation, ConversionTimeout, OctavoError

from .call_client import call_server
from .evidence import Facts, Observed

CLOCK = 400 * 86_400 + 7 * 3_600
"""Seconds by which the clock is ahead: another year, month, day of the month, day of the week and hour."""
HASH_SEED = 4711


class Outside:
    """Processes outside the sandbox that share a home folder, a folder of temporary files and a current folder.

    All workers of the sandbox have the same surroundings, share nothing, and are prevented from what they must not do.
    Only outside the sandbox can the suite see whether the plugin depends on its surroundings, and what it would leave
    behind. It may write below one folder of the suite alone: never to the author's files.

    Args:
        folder: folder below which the processes may write.
        import_paths: folders from which they import, besides Python's own.
        readable: further paths that the plugin may read.
        starts_programs: whether the plugin may start programs.
    """

    def __init__(
        self, folder: Path, *, import_paths: Sequence[Path], readable: Sequence[Path], starts_programs: bool
    ) -> None:
        self._folder = folder
        self._root = folder / secrets.token_hex(4)
        self._import_paths = import_paths
        self._readable = readable
        self._starts_programs = starts_programs
        self.left_programs: list[str] = []
        """Command lines of processes that the calls so far left running; they were ended."""
        for name in ("home", "tmp", "here", "work"):
            (self._root / name).mkdir(parents=True)

    def call(self, task: dict[str, Any], *, seconds: float) -> Observed:
        """Call a hook.

        Args:
            task: input of `octavo_conformance.elsewhere`.
            seconds: timeout after which the process is killed.

        Returns:
            The answer, or the error; of the facts those on sockets, and on processes that were still alive afterwards.
        """
        told, left = self._run(task, seconds=seconds)
        if isinstance(told, OctavoError):
            return Observed.failed(told)
        sockets = [f"{told['sockets']} network sockets"] if told["sockets"] else []
        facts = Facts(network=sockets, native_sockets=told["native_sockets"], programs=left)
        return Observed(answer=told["answer"], error=None, facts=facts, seconds=0.0, peak_rss_mb=0.0)

    def call_at_once(self, task: dict[str, Any], *, count: int, seconds: float) -> list[Observed]:
        """Call a hook in several processes at the same time.

        Args:
            task: input of `octavo_conformance.elsewhere`.
            count: number of processes.
            seconds: timeout after which all are killed.

        Returns:
            The answers or errors, without facts.
        """
        told, _ = self._run(task | {"at_once": count}, seconds=seconds)
        return _answers(told, plugin=task["plugin"])

    def call_each(
        self,
        task: dict[str, Any],
        calls: Sequence[dict[str, Any]],
        *,
        seconds: float,
        hidden: bool = False,
        hash_seed: int = HASH_SEED,
    ) -> list[Observed]:
        """Call a hook with several inputs in one process.

        Args:
            task: input of `octavo_conformance.elsewhere`, without arguments and document.
            calls: {"arguments", "document"} of each call.
            seconds: timeout of all.
            hidden: the process finds neither the suite nor other tools of tests.
            hash_seed: decides the order of sets of strings.

        Returns:
            The answers or errors, without facts.
        """
        told, _ = self._run(task | {"calls": list(calls), "hidden": hidden}, seconds=seconds, hash_seed=hash_seed)
        return _answers(told, plugin=task["plugin"])

    def call_services(self, plugin: str, tasks: Sequence[dict[str, Any]], *, seconds: float) -> list[str]:
        """Call services in one process.

        Args:
            plugin: the plugin's name.
            tasks: input of `service_probe.run` for each service.
            seconds: timeout of all.

        Returns:
            The output of `service_probe.run` for each.

        Raises:
            OctavoError: the process failed.
        """
        told, _ = self._run({"plugin": plugin, "services": list(tasks)}, seconds=seconds)
        if isinstance(told, OctavoError):
            raise told
        return [one["answer"] for one in told["answers"]]

    def _run(
        self, task: dict[str, Any], *, seconds: float, hash_seed: int = HASH_SEED
    ) -> tuple[dict[str, Any] | OctavoError, list[str]]:
        """Make a call by `octavo_conformance.call_server`; return its output, or the error, and the processes that it left."""
        name = task["plugin"]
        around = {
            "clock": CLOCK,
            "machine": f"host-{secrets.token_hex(3)}",
            "writable": str(self._folder),
            "work": str(self._root / "work"),
            "readable": [*map(str, self._readable), *map(str, self._import_paths)],
            "subprocess": self._starts_programs,
        }
        environment = self._environment(hash_seed)
        told = call_server(environment | {"PYTHONPATH": os.pathsep.join(_python_path())}).call(
            {
                "task": task | {"surroundings": around},
                "files": str(self._folder),
                "environment": environment,
                "folder": str(self._root / "here"),
                "import_paths": list(map(str, self._import_paths)),
                "seconds": seconds,
            }
        )
        self.left_programs += told["left"]
        if told["code"] is None:
            message = f"the call takes more than {seconds:g} s outside the sandbox"
            return ConversionTimeout(message, plugin=name), []
        if told["code"] != 0:
            last = told["printed"].strip().splitlines()[-1:] or ["no message"]
            return _failure(last[0], plugin=name), told["left"]
        return json.loads(told["answer"]), told["left"]

    def left_files(self) -> frozenset[str]:
        """Return the files that the calls so far left outside their own work folder and the home folder."""
        return frozenset(
            self._name(path) for name in ("tmp", "here", "work") for path in (self._root / name).rglob("*")
        )

    def accumulating(self, call: Callable[[], object]) -> list[str]:
        """Return the files that one more call leaves, after others that left some.

        An engine may have a file of a fixed name among the temporary ones; that is one, however often it is called.

        Args:
            call: calls the hook outside the sandbox.
        """
        before = self.left_files()
        if before:
            call()
        return sorted(self.left_files() - before)

    def copies_of(self, *pieces: bytes) -> list[str]:
        """Return the files that have the bytes of a document, or of a part of one."""
        return sorted(
            self._name(path)
            for path in self._root.rglob("*")
            if path.is_file() and any(piece in path.read_bytes() for piece in pieces)
        )

    def files_with(self, digests: Collection[str]) -> list[str]:
        """Return the files whose SHA-256 is one of these."""
        return sorted(
            self._name(path)
            for path in self._root.rglob("*")
            if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() in digests
        )

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._root))

    def _environment(self, hash_seed: int) -> dict[str, str]:
        home = str(self._root / "home")
        return os.environ | {
            "PYTHONHASHSEED": str(hash_seed),
            "TZ": "Pacific/Kiritimati",
            "LC_ALL": "C",
            "PYTHONUTF8": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": home,
            "TMPDIR": str(self._root / "tmp"),
            "USER": "somebody",
            "LOGNAME": "somebody",
            "HOSTNAME": f"host-{secrets.token_hex(3)}",
            "PYTHONPATH": os.pathsep.join([*map(str, self._import_paths), *_python_path()]),
        }


def _answers(told: dict[str, Any] | OctavoError, *, plugin: str) -> list[Observed]:
    if isinstance(told, OctavoError):
        return [Observed.failed(told)]
    return [
        Observed(answer=one["answer"], error=None, facts=None, seconds=0.0, peak_rss_mb=0.0)
        if "answer" in one
        else Observed.failed(_failure(one["error"], plugin=plugin))
        for one in told["answers"]
    ]


def _failure(said: str, *, plugin: str) -> OctavoError:
    return ContractViolation(f"the call fails outside the sandbox: {said}", plugin=plugin)


def _python_path() -> list[str]:
    return [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
