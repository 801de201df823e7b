"""How much memory the current process has, and how much of it is in use.

An allocator keeps what was freed, in pieces, for later calls: the resident size steps up by tens of MiB when a call happens
to find no piece that is large enough, although nothing is leaked. Growth is measured without such free memory.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path


def resident_mb() -> float:
    """Return the resident size, MiB; 0 where there is no /proc."""
    try:
        text = Path("/proc/self/statm").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def kept_mb() -> float:
    """Return free memory to the system, and then the resident size, MiB; 0 where there is no /proc.

    Where the C library cannot return memory (it is no glibc), the size includes what is free.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))
    return resident_mb()
