"""Ids of jobs, which begin with the time (RFC 9562, UUID version 7).

Rows of new jobs, and of their transitions and versions, are then next to each other in every index by the job, however
many there are. With ids by chance, each row would change another page, most of which are not in memory in a large index.
"""

from __future__ import annotations

import secrets
import time

_VERSION = 0x7000
_VARIANT = 0x8000_0000_0000_0000


def new_job_id() -> str:
    """An id of 32 hex digits that no other job has: milliseconds since 1970, then 74 bits by chance."""
    high = (time.time_ns() // 1_000_000) << 16 | _VERSION | secrets.randbits(12)
    low = _VARIANT | secrets.randbits(62)
    return f"{high << 64 | low:032x}"
