"""Executors: what converts the documents of `octavo ingest`. Entry points of the group `octavo.executors`.

`local` converts on this machine. Another distribution may add one: an object with the attributes of `Executor`, whose
options `octavo ingest` then has. An executor is imported only when `--executor` names it, or for the help.
"""

from __future__ import annotations

import difflib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Protocol

import click
from octavo_cli.toolkit.running import Command

if TYPE_CHECKING:
    from ..facade.ingest_options import IngestOptions
    from ..facade.library import Library
    from ..facade.results import IngestOutcome

EXECUTORS_GROUP = "octavo.executors"

LOCAL = "local"

OWN_EXECUTORS: Mapping[str, str] = {"ray": "octavo-ray[ray]"}
"""Executors of Octavo that are distributions of their own → what installs them."""

_CHOSEN = "octavo.executors.chosen"
"""Key of `click.Context.meta` with the name in `--executor`; missing where the help is asked for."""


@dataclass(frozen=True, kw_only=True)
class ExecutorRequest:
    """What an executor is asked to do.

    Attributes:
        paths: the sources as the user named them.
        options: options of the ingestion.
        workers: documents converted in parallel, on each machine; None: one per core.
        cancel: set if the user interrupts the run.
        total: number of sources; None if they were not counted.
    """

    paths: tuple[str, ...]
    options: IngestOptions
    workers: int | None
    cancel: threading.Event
    total: int | None = None


class ExecutorSession(Protocol):
    """An executor that is ready to work."""

    def ingest(self, library: Library, sources: Iterable[str], request: ExecutorRequest, /) -> Iterator[IngestOutcome]:
        """Ingest documents as one run; yield each outcome once it is durable.

        Raises:
            OctavoError: the run cannot begin, or an error that was not a document's ended it.
        """


class Executor(Protocol):
    """What converts the documents of `octavo ingest`."""

    @property
    def options(self) -> Sequence[click.Option]:
        """The options that `octavo ingest` has with it; each name begins with that of the executor."""

    def open(self, library: str, values: Mapping[str, Any], /) -> AbstractContextManager[ExecutorSession]:
        """Get ready, before the library is opened.

        Args:
            library: folder or URL of the library.
            values: the values of its options, by parameter name.

        Raises:
            OctavoError: what it works with is not installed or cannot be reached, or an option is wrong.
        """


class ExecutorCommand(Command):
    """A command with `--executor NAME` and the options of the executor that it names."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments with the options of the chosen executor alone.

        Raises:
            click.UsageError: an option is unknown, or is that of an executor that was not chosen.
        """
        chosen = _chosen_in(args)
        if not set(args) & set(ctx.help_option_names):
            ctx.meta[_CHOSEN] = chosen
            # The options of an executor that cannot be loaded are not known: the command reports the executor.
            ctx.ignore_unknown_options = _options_of(chosen) is None
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            for name in _points():
                if name != chosen and error.option_name.startswith(f"--{name}-"):
                    raise click.UsageError(f"{error.option_name} needs --executor {name}", ctx=ctx) from error
            raise

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters: with the options of the chosen executor, or of all executors in the help."""
        params = super().get_params(ctx)
        names = [ctx.meta[_CHOSEN]] if _CHOSEN in ctx.meta else sorted(_points())
        own = [option for name in names for option in _options_of(name) or ()]
        place = 1 + next(number for number, one in enumerate(params) if one.name == "executor")
        return [*params[:place], *own, *params[place:]]


def load_executor(name: str) -> Executor:
    """The executor of a name.

    Raises:
        UsageError: there is none of this name.
        ToolUnavailable: it is a distribution that is not installed, or that cannot be imported.
    """
    from octavo_contracts import ToolUnavailable, UsageError

    points = _points()
    if name in points:
        first, *others = points[name]
        if others:
            rivals = " and ".join(sorted(one.dist.name for one in (first, *others) if one.dist is not None))
            raise ToolUnavailable(f"the executor {name!r} is claimed by {rivals}", remedy="Uninstall one of them")
        try:
            loaded: Executor = first.load()
        except (Exception, SystemExit) as error:
            author = first.dist.name if first.dist is not None else first.value
            raise ToolUnavailable(
                f"the executor {name!r} cannot be imported: {type(error).__name__}: {error}",
                remedy=f"Report it to the author of {author}, or uninstall it",
            ) from error
        return loaded
    if name in OWN_EXECUTORS:
        raise ToolUnavailable(
            f"the executor {name!r} is not installed", remedy=f"Run: pip install '{OWN_EXECUTORS[name]}'"
        )
    known = sorted({*points, *OWN_EXECUTORS})
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise UsageError(f"no executor named {name!r}{hint}", remedy=f"Give one of {', '.join(known)}")


def executor_values(executor: Executor, options: dict[str, Any]) -> dict[str, Any]:
    """Take the values of an executor's own options out of those of the command."""
    return {str(option.name): options.pop(str(option.name)) for option in executor.options}


def _options_of(name: str) -> Sequence[click.Option] | None:
    """The options of an executor; None if it cannot be loaded, which the command reports when it runs.

    The contracts are not imported: the help shows these options, and imports nothing heavy.
    """
    if name == LOCAL:
        return ()
    points = _points().get(name, ())
    if len(points) != 1:
        return None
    try:
        options: Sequence[click.Option] = points[0].load().options
    except (Exception, SystemExit):  # noqa: BLE001 - a loader: no import may end the command line
        return None
    return options


def _points() -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=EXECUTORS_GROUP):
        found.setdefault(point.name, []).append(point)
    return found


def _chosen_in(args: Sequence[str]) -> str:
    """The value of `--executor`; the last one counts, as for click."""
    chosen = LOCAL
    for number, one in enumerate(args):
        if one == "--":
            break
        if one == "--executor":
            chosen = "".join(args[number + 1 : number + 2])
        elif one.startswith("--executor="):
            chosen = one.partition("=")[2]
    return chosen
