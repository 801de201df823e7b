"""Reports pauses and resumptions of work on stderr: otherwise a waiting command would look like a hanging one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_cli.toolkit.output import clean, note

if TYPE_CHECKING:
    from ...facade.library import Library
    from ...ingestion.events import EngineEvent
    from ...ingestion.throttle import ThrottleReason


def tell_holds(library: Library) -> None:
    """Report the current pauses of a library, and from now on the start and end of each."""
    reported = {hold.cause for hold in library.engine.throttles()}
    for hold in library.engine.throttles():
        _say(hold, library, advice="")

    def listen(event: EngineEvent) -> None:
        from ...ingestion.events import Paused, Resumed
        from ...ingestion.throttle import ThrottleReason

        if isinstance(event, Paused) and event.cause not in reported:
            reported.add(event.cause)
            hold = ThrottleReason(cause=event.cause, value=event.value, resumes_at=event.resumes_at, seconds=0.0)
            _say(hold, library, advice=event.advice)
        elif isinstance(event, Resumed) and event.cause in reported:
            reported.discard(event.cause)
            note(f"octavo: resumed after {event.seconds:.0f} s ({event.cause.value})")

    library.engine.events.subscribe(listen)


def _say(hold: ThrottleReason, library: Library, *, advice: str) -> None:
    longest = library.context.runtime.settings.engine.care.give_up
    end = f"; gives up in {max(0.0, longest - hold.seconds):.0f} s" if hold.cause == "disk" else ""
    note(f"octavo: paused: {hold}{end}")
    if advice:
        note(f"  {clean(advice)}")
