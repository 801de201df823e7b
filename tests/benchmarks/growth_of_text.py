"""How the time of everything that reads text grows with the text: the same thing repeated, ten to a million characters.

Each case is an entry (something of Octavo's that is given a text) and a shape (what the text repeats). A case runs in a
process of its own, size after size, until its time is up, so that the benchmark ends whatever a case does. Entries that
begin with a colon-separated format (`convert:md`) go through plugins and workers, whose deadline counts; the others compute in
the process itself. Where a case has a time for two sizes that is long enough to be told from noise, the exponent is fitted
through them: 1 is linear, 2 quadratic. A case is flagged above `MAX_EXPONENT`, above `MAX_MICROSECONDS` a character, or where it
did not end.

Usage: python -m tests.benchmarks.growth_of_text [--quick] [--entry NAME] [--shape NAME] [--seconds 20] [--all] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection

from .repeated_texts import SHAPES, Shape
from .text_entries import ENTRIES, Entry

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
QUICK_SIZES = (10_000, 30_000, 100_000)
SECONDS, QUICK_SECONDS = 20.0, 5.0
"""Of a case, all sizes together."""
MAX_EXPONENT = 1.2
MAX_MICROSECONDS = 10.0
"""A character, at the largest size."""
TOLD_FROM_NOISE = 0.05
"""Seconds: of shorter times no exponent is fitted; a text that is not in the processor's cache is read more slowly."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """What a case took.

    Attributes:
        entry: name of what was called.
        shape: name of what the text repeats.
        times: characters → seconds, as far as the time of the case went.
        sizes: the sizes that were asked for.
        error: what was raised, or empty.
    """

    entry: str
    shape: str
    times: dict[int, float]
    sizes: tuple[int, ...]
    error: str = ""

    @property
    def exponent(self) -> float | None:
        """The slope of the last two times in logarithms; None where there are no two long enough."""
        long = [(size, seconds) for size, seconds in self.times.items() if seconds >= TOLD_FROM_NOISE]
        if len(long) < 2:
            return None
        (small, short), (large, longer) = long[-2:]
        return math.log(longer / short) / math.log(large / small)

    @property
    def microseconds(self) -> float | None:
        """Microseconds a character at the largest size that ended."""
        return 1e6 * self.times[size] / size if (size := max(self.times, default=0)) else None

    def flags(self, *, overhead: float) -> list[str]:
        """What is wrong with it.

        Args:
            overhead: seconds that a call of the entry takes whatever the text.
        """
        found = []
        if self.error:
            found.append(self.error)
        elif len(self.times) < len(self.sizes):
            found.append(f"did not end at {self.sizes[len(self.times)]:,}")
        if (exponent := self.exponent) is not None and exponent > MAX_EXPONENT:
            found.append(f"exponent {exponent:.2f}")
        if self.times and 1e6 * (self.times[max(self.times)] - overhead) / max(self.times) > MAX_MICROSECONDS:
            found.append(f"{self.microseconds:.1f} µs a character")
        return found


def measure(entry: Entry, shape: Shape, *, name: tuple[str, str], sizes: Sequence[int], seconds: float) -> Case:
    """Run a case in a process of its own, at most so many seconds in all."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(theirs, entry, shape, tuple(sizes)))
    process.start()
    theirs.close()
    times: dict[int, float] = {}
    error = ""
    deadline = time.monotonic() + seconds
    try:
        while ours.poll(max(0.0, deadline - time.monotonic())):
            told = ours.recv()
            if isinstance(told, str):
                error = told
            else:
                times[told[0]] = told[1]
    except EOFError:
        pass
    finally:
        process.kill()
        process.join()
        ours.close()
    return Case(entry=name[0], shape=name[1], times=times, sizes=tuple(sizes), error=error)


def _run(answers: Connection, entry: Entry, shape: Shape, sizes: Sequence[int]) -> None:
    # What computes in this process is timed by its processor: a busy machine does not slow it.
    clock = time.perf_counter if entry.is_slow else time.process_time
    with entry.ready() as call:
        if entry.is_slow:
            call(_plain(1))  # the first worker, and what it imports
        for size in sizes:
            text = shape(size)
            begun = clock()
            try:
                call(text)
            except BaseException as error:  # noqa: BLE001 - whatever a case raises is its finding
                answers.send(f"{type(error).__name__}: {str(error)[:80]}")
                break
            answers.send((size, clock() - begun))
    answers.close()


def cases(
    entries: Iterable[str], shapes: Iterable[str], *, sizes: Sequence[int], seconds: float
) -> Iterator[tuple[Case, float]]:
    """Each case, with the overhead of its entry."""
    for entry in entries:
        if not ENTRIES[entry].is_slow:
            with ENTRIES[entry].ready() as call:  # what it imports is then there in the process of each case
                call(_plain(1))
        plain = measure(ENTRIES[entry], _plain, name=(entry, ""), sizes=(1, 2), seconds=60)
        overhead = min(plain.times.values(), default=0.0)
        for shape in shapes:
            yield (
                measure(
                    ENTRIES[entry], SHAPES[shape], name=(entry, shape), sizes=sizes, seconds=seconds + 2 * overhead
                ),
                overhead,
            )


def _plain(_: int) -> str:
    return "tide"


def _row(case: Case, flags: Sequence[str]) -> str:
    times = "".join(f"{case.times[size]:>9.3f}" if size in case.times else f"{'—':>9}" for size in case.sizes)
    slope = f"{case.exponent:>6.2f}" if case.exponent is not None else f"{'':>6}"
    return f"{case.entry:<22}{case.shape:<30}{times}{slope}  {'; '.join(flags)}"


def main() -> int:
    """Print a row a case; 1 where one is flagged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes and less time, computing entries alone")
    parser.add_argument("--entry", action="append", choices=list(ENTRIES), help="only this entry; may be repeated")
    parser.add_argument("--shape", action="append", choices=list(SHAPES), help="only this shape; may be repeated")
    parser.add_argument("--seconds", type=float, help="of a case, all sizes together")
    parser.add_argument("--all", action="store_true", help="print the cases that are not flagged too")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    sizes = QUICK_SIZES if arguments.quick else SIZES
    seconds = arguments.seconds or (QUICK_SECONDS if arguments.quick else SECONDS)
    entries = arguments.entry or [name for name, entry in ENTRIES.items() if not (arguments.quick and entry.is_slow)]
    write: Callable[[str], object] = partial(print, flush=True)
    if not arguments.json:
        write(f"{'entry':<22}{'what is repeated':<30}{''.join(f'{size:>9,}' for size in sizes)}  slope")
    flagged = total = 0
    for case, overhead in cases(entries, arguments.shape or SHAPES, sizes=sizes, seconds=seconds):
        total += 1
        flags = case.flags(overhead=overhead)
        flagged += bool(flags)
        if arguments.json:
            write(json.dumps({"entry": case.entry, "shape": case.shape, "seconds": case.times, "flags": flags}))
        elif flags or arguments.all:
            write(_row(case, flags))
    print(f"{flagged} of {total} cases are flagged", file=sys.stderr)
    return 1 if flagged else 0


if __name__ == "__main__":
    sys.exit(main())
