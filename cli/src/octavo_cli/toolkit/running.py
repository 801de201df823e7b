"""Runs commands: converts errors to one or two lines on stderr and an exit code.

A command raises `OctavoError`s and returns an `ExitCode` or None. `Command` turns both into the process's exit code, so
that the commands behave alike under `octavo`, under click's test runner and inside another click program.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import click

from .options import DEBUG_OPTION
from .output import clean, complain, drop_stdout, flush_stdout, stdout_failed
from .remedies import remedy_text
from .verbosity import QUIET_OPTION, VERBOSE_OPTION

if TYPE_CHECKING:
    from octavo_contracts import OctavoError

INTERNAL = 1
USAGE = 2
INTERRUPTED = 130
"""The codes needed before contracts is imported; a test compares them with `octavo_contracts.ExitCode`."""

_NOTHING_GIVEN = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""Raised by click 8.2 and newer for a group without a command; its message is the whole help."""

AnyCommand = TypeVar("AnyCommand", bound=click.Command)

DEBUG_ENV = "OCTAVO_DEBUG"
PROGRAM = "octavo"


@runtime_checkable
class AliasedGroup(Protocol):
    """A group whose commands may have several names, as `lazy.LazyGroup`."""

    def names_of(self, name: str) -> list[str]:
        """Return the names of the command that a name stands for."""


_OPTIONS_ELSEWHERE = {"--format": "--to", "--output-format": "--to", "--engine": "--with", "--plugin": "--with"}
"""Option of other programs → the one of Octavo that is suggested, where the command has it."""


class Command(click.Command):
    """A command whose returned `ExitCode` ends the process, and whose `OctavoError`s are reported."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, and suggest the option that has the name in other programs.

        Raises:
            click.UsageError: the arguments are not those of the command.
        """
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            meant = _OPTIONS_ELSEWHERE.get(error.option_name)
            if meant is None or not any(meant in param.opts for param in self.params):
                raise
            # Among `possibilities` click leaves out those that are spelt otherwise.
            message = f"{error.message} Did you mean {meant!r}?"
            raise click.NoSuchOption(error.option_name, message, ctx=error.ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command.

        Raises:
            click.exceptions.Exit: always, with the exit code.
        """
        from .warning_lines import warnings_shown

        try:
            with warnings_shown():
                code = super().invoke(ctx)
            # The reader of stdout may have closed the pipe: detect it here, not in the interpreter's last flush.
            _settle_stdout()
        except BrokenPipeError:
            drop_stdout()
            code = INTERRUPTED
        except _octavo_error() as error:
            report(error)
            code = error.exit_code
        except OSError as error:
            code = _report_surroundings(error)
        ctx.exit(int(code or 0))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog, and after it the other names of the command."""
        super().format_epilog(ctx, formatter)
        group = ctx.parent.command if ctx.parent is not None else None
        names: list[str] = group.names_of(ctx.info_name or "") if isinstance(group, AliasedGroup) else []
        if len(names) > 1:
            same = " and ".join(f"`{PROGRAM} {name}`" for name in names)
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(f"{same} are the same command.")


def octavo_command(**settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command of Octavo, with `-h`, `-q`, `-v`, `--debug` and the error handling of `Command`."""
    return _decorator(Command, settings)


def command_of(cls: type[AnyCommand], **settings: Any) -> Callable[[Callable[..., Any]], AnyCommand]:
    """As `octavo_command`, for a subclass of `Command`."""
    return _decorator(cls, settings)


class CommandGroup(Command, click.Group):
    """A command that has subcommands too; it runs itself if none is given."""


def octavo_group(**settings: Any) -> Callable[[Callable[..., Any]], CommandGroup]:
    """As `octavo_command`, for a command that has subcommands too. The function does nothing if one is invoked."""
    return _decorator(CommandGroup, {"invoke_without_command": True, **settings})


def _decorator(cls: type[AnyCommand], settings: dict[str, Any]) -> Callable[[Callable[..., Any]], AnyCommand]:
    def decorate(function: Callable[..., Any]) -> AnyCommand:
        made = click.command(cls=cls, context_settings={"help_option_names": ["-h", "--help"]}, **settings)(function)
        made.params += [QUIET_OPTION, VERBOSE_OPTION, DEBUG_OPTION]
        return made

    return decorate


def run(program: click.Group, arguments: Sequence[str]) -> int:
    """Run a command line.

    Args:
        program: the group of all commands.
        arguments: the arguments after the program's name.

    Returns:
        A value of `octavo_contracts.ExitCode`.
    """
    if sys.excepthook is sys.__excepthook__ and os.environ.get(DEBUG_ENV, "") in ("", "0"):
        sys.excepthook = report_bug
    try:
        return int(program.main(list(arguments), prog_name=PROGRAM, standalone_mode=False) or 0)
    except click.UsageError as error:
        if error.ctx and isinstance(error, _NOTHING_GIVEN):
            complain(error.ctx.get_help())
            return USAGE
        where = error.ctx.command_path if error.ctx else PROGRAM
        complain(f"{PROGRAM}: {_sentence(error.format_message())} [usage]\n  Run `{where} --help`")
        return USAGE
    except click.ClickException as error:
        complain(f"{PROGRAM}: {_sentence(error.format_message())} [usage]")
        return USAGE
    except click.Abort:
        complain(f"{PROGRAM}: interrupted [interrupted]")
        return INTERRUPTED
    except SystemExit:  # raised by click if the reader of its own output, such as `--help`, closed the pipe
        drop_stdout()
        return INTERRUPTED
    except OSError as error:
        return _report_surroundings(error)


_CODES = {
    "UsageError": "usage",
    "LibraryReadOnly": "library_read_only",
    "IndexNewer": "index_newer",
    "StorageError": "storage",
}
"""Labels of errors without a reason code."""

LABELS = {
    "usage": "An option, a name or a setting is not allowed, or what it names does not exist.",
    "library_read_only": "The library, its database or its bucket may not be written.",
    "index_newer": "A newer Octavo has migrated the index of the library.",
    "storage": "A file or folder cannot be read or written, or the index does not answer as it should.",
    "interrupted": "Ctrl-C or SIGTERM ended the command.",
    "internal": "An error of Octavo itself.",
    "error": "Any other error that is not about a document.",
}
"""Label in brackets → its meaning, of messages without a reason code."""


def error_code(error: OctavoError) -> str:
    """Return the code that is shown of an error: its reason, or one of `LABELS`."""
    named = (_CODES[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _CODES)
    return error.reason.value if error.reason else next(named, "error")


def report(error: OctavoError) -> None:
    """Print an error on stderr: document, page and plugin, problem, reason code, and remedy."""
    from .near_paths import message_of

    code = error_code(error)
    where = [
        part
        for part in (error.source, error.page and f"page {error.page}", error.plugin and f"plugin {error.plugin}")
        if part
    ]
    text = remedy_text(": ".join([PROGRAM, *([", ".join(where)] if where else []), message_of(error)]))
    complain(f"{text} [{code}]" + (f"\n  {remedy_text(error.remedy)}" if error.remedy else ""))


def report_bug(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Report an unexpected error in one line, as `sys.excepthook`. Python then ends the process with code 1."""
    if issubclass(kind, KeyboardInterrupt):
        complain(f"{PROGRAM}: interrupted [interrupted]")
        return
    complain(
        f"{PROGRAM}: this is a bug: {kind.__name__}: {clean(str(error))} [internal]\n"
        f"  Report it with the output of `octavo doctor --bug-report`; {DEBUG_ENV}=1 shows where it happened"
    )


class Interrupt(threading.Event):
    """Event that ends a run. A run that ends early for another reason sets it too, which is not an interruption.

    Attributes:
        by_user: whether a signal set it.
    """

    by_user = False


@contextlib.contextmanager
def cancelled_by_interrupt(*, by_termination: bool = False) -> Iterator[Interrupt]:
    """Yield an event that Ctrl-C sets. A second Ctrl-C raises `KeyboardInterrupt` as usual.

    Args:
        by_termination: whether SIGTERM sets it too, as service managers send it; a second one ends the process as usual.
    """
    cancel = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield cancel  # only the main thread may set signal handlers
        return

    def set_it(cancel: Interrupt, number: int, frame: FrameType | None) -> None:
        cancel.by_user = True
        cancel.set()
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

    numbers = (signal.SIGINT, signal.SIGTERM) if by_termination else (signal.SIGINT,)
    before = {number: signal.signal(number, partial(set_it, cancel)) for number in numbers}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _octavo_error() -> type[OctavoError]:
    # Evaluated by the `except` clause only after an exception: importing contracts takes a tenth of a second.
    from octavo_contracts import OctavoError

    return OctavoError


def _settle_stdout() -> None:
    if sys.stdout is not None:  # otherwise the write itself has already failed
        flush_stdout()


def _is_clicks(error: OSError) -> bool:
    """Return whether click raised the error: its only system calls write its own output."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return frame is not None and str(frame.tb_frame.f_globals.get("__name__")).startswith("click.")


def _report_surroundings(error: OSError) -> int:
    """Report a system error that is not a bug; return the exit code.

    Raises:
        OSError: the same error, if it concerns neither stdout nor the working directory.
    """
    from octavo_contracts import UsageError

    if _is_clicks(error):
        failed = stdout_failed(error)
        report(failed)
        return int(failed.exit_code)
    try:
        os.getcwd()
    except FileNotFoundError:
        report(UsageError("the working directory no longer exists", remedy="Change to an existing directory"))
        return USAGE
    raise error


def _sentence(message: str) -> str:
    """Format click's message in the house style: lower case first, no full stop, one line."""
    text = " ".join(clean(message.replace("\n", " ")).split()).rstrip(".")
    return text[:1].lower() + text[1:]
