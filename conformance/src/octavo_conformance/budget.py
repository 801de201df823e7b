"""What the suite allows a plugin, and how often it calls it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Limits that the suite allows a plugin, and the number of calls that it makes.

    Attributes:
        import_seconds: limit for importing the plugin's module, without the engine.
        convert_seconds: limit for a golden vector in a warm worker; all vectors are under 200 KB.
        at_once: number of concurrent calls.
        idle_seconds: time in which a call may do nothing.
        repeats: calls made to detect growing memory, at least.
        most_repeats: calls made of a plugin that is quick enough.
        repeat_seconds: time for these.
        rereads: calls between the first reading of a document and the last.
        growth_mb: MiB that the repeats may add to the resident size.
        wall_seconds: time after which a call is killed.
    """

    import_seconds: float = 1.0
    convert_seconds: float = 10.0
    at_once: int = 8
    idle_seconds: float = 1.0
    repeats: int = 10
    most_repeats: int = 50
    repeat_seconds: float = 1.5
    rereads: int = 30
    growth_mb: float = 16.0
    wall_seconds: float = 60.0
