"""Says on stderr when new work is held back, and when that ends: a command that only waits looks like one that hangs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.cli.toolkit.output import clean, note

if TYPE_CHECKING:
    from ...facade.library import Library
    from ...ingestion.events import EngineEvent
    from ...ingestion.throttle import ThrottleReason


def tell_holds(library: Library) -> None:
    """Say of each hold of a library that it began and that it ended, from now on."""
    told = {hold.cause for hold in library.engine.throttles()}
    for hold in library.engine.throttles():
        _say(hold, library, advice="")

    def listen(event: EngineEvent) -> None:
        from ...ingestion.events import Paused, Resumed
        from ...ingestion.throttle import ThrottleReason

        if isinstance(event, Paused) and event.cause not in told:
            told.add(event.cause)
            hold = ThrottleReason(cause=event.cause, value=event.value, resumes_at=event.resumes_at, seconds=0.0)
            _say(hold, library, advice=event.advice)
        elif isinstance(event, Resumed) and event.cause in told:
            told.discard(event.cause)
            note(f"octavo: no longer held back by the {event.cause.value}, after {event.seconds:.0f} s")

    library.engine.events.subscribe(listen)


def _say(hold: ThrottleReason, library: Library, *, advice: str) -> None:
    longest = library.context.runtime.settings.engine.care.give_up
    end = f"; gives up in {max(0.0, longest - hold.seconds):.0f} s" if hold.cause == "disk" else ""
    note(f"octavo: held back: {hold}{end}")
    if advice:
        note(f"  {clean(advice)}")
