"""Arguments and result of a sandboxed call: limits, worker group, document and reply."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from octavo_contracts import ConverterCrashed, Model, UsageError

M = TypeVar("M", bound=Model)

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, kw_only=True)
class SandboxLimits:
    """The limits of one call. Exceeding one kills the worker or fails the call inside it, never the host.

    | limit | what enforces it | error |
    |---|---|---|
    | `wall_seconds` | the host kills the process group | `ConversionTimeout` |
    | `memory_mb` | RLIMIT_DATA in the worker, resident size watched by the host | `MemoryExceeded` |
    | `result_bytes` | the worker before it sends, the host while it reads | `ContentTooLarge` |
    | `temp_bytes`, `temp_files` | RLIMIT_FSIZE for each file, the host's monitor for all of them | `ContentTooLarge` |
    | `output_bytes` | the host while it drains stdout and stderr | `ConverterCrashed` |
    | `processes` | the host's monitor, in worker groups that may start programs | `ConverterCrashed` |
    | `threads` | the host's monitor | `ConverterCrashed` |
    | `open_files` | RLIMIT_NOFILE in the worker | the tool's own error |

    Attributes:
        wall_seconds: wall time from dispatch, seconds (ENG-11).
        memory_mb: MiB above the worker's memory at the start of the call, so that a heavy import is not counted.
        result_bytes: size of the returned payload, bytes.
        temp_bytes: disk blocks below the worker's temp root, and bytes of files that are open but unlinked.
        temp_files: files and folders below the worker's temp root, not counting its own two.
        output_bytes: bytes that the tool may print.
        processes: processes alive at once, the worker included.
        threads: threads alive at once, in all of these processes together.
        open_files: file descriptors that the worker may hold.
    """

    wall_seconds: float = 300.0
    memory_mb: int = 2048
    result_bytes: int = 256 * MIB
    temp_bytes: int = 2 * GIB
    temp_files: int = 256
    output_bytes: int = 64 * MIB
    processes: int = 64
    threads: int = 256
    open_files: int = 512

    def __post_init__(self) -> None:
        """Refuse a limit that no call could meet."""
        for name, value in vars(self).items():
            if not value > 0 or math.isinf(value):
                raise UsageError(f"sandbox limit {name} must be positive and finite, got {value}")

    @property
    def cpu_seconds(self) -> int:
        """Processor time of one call, seconds: all cores for the whole wall time.

        While the host lives, the deadline always comes first; this limit ends a worker whose host has died.
        """
        return math.ceil(self.wall_seconds * (os.cpu_count() or 1)) + 5

    def to_wire(self) -> dict[str, int]:
        """Return the limits that the worker sets on itself."""
        return {
            "memory": self.memory_mb * MIB,
            "file_size": self.temp_bytes,
            "open_files": self.open_files,
            "cpu_seconds": self.cpu_seconds,
            "result": self.result_bytes,
        }


@dataclass(frozen=True, kw_only=True)
class WorkerGroup:
    """A kind of worker. A worker serves one group only and never moves to another.

    Attributes:
        name: "shared" for the host's own tasks, else one group for each plugin: code in a process can change all
            other code in it.
        subprocess: whether programs may be started. If not, seccomp refuses fork and exec where it is available.
        readable: folders and files that the worker may read besides those of the system and Python, such as models.
        package: top-level package of the group's plugin, whose string constants may appear in messages; empty for the
            host's tasks.
    """

    name: str = "shared"
    subprocess: bool = False
    readable: tuple[Path, ...] = ()
    package: str = ""


@dataclass(frozen=True, kw_only=True)
class SourceHandle:
    """A document opened by the host. The worker gets the descriptor, never a path (CNV-17).

    Attributes:
        fd: opened O_RDONLY by the host, which owns and closes it. Its offset is neither used nor moved.
        name: file name for messages and for engines that look at the extension.
        media_type: media type detected from the content.
        size: bytes.
        sha256: hex digest of the bytes.
        display: name of the document in errors, if it differs from `name`; None: `name`.
    """

    fd: int
    name: str
    media_type: str
    size: int
    sha256: str
    display: str | None = None


@dataclass(frozen=True, kw_only=True)
class WorkerReply:
    """Result of a call.

    Attributes:
        payload: the bytes that the function returned.
        duration_ms: wall time in the worker, milliseconds, without dispatch.
        peak_rss_mb: largest resident size during the call, MiB, the imported engine included.
        cold: whether the call had to wait for a worker to start.
    """

    payload: bytes
    duration_ms: float
    peak_rss_mb: float
    cold: bool

    def read(self, model: type[M]) -> M:
        """Parse the payload as the model that the function returns.

        Raises:
            ConverterCrashed: the payload is not that model. Only this document fails for what it did to the worker.
        """
        try:
            return model.read(self.payload)
        except ValueError:  # not chained: the message quotes the answer
            raise ConverterCrashed(f"the worker's answer is not a valid {model.__name__}") from None
