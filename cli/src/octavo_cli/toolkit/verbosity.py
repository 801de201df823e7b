"""`-q` and `-v`: how much a command says on stderr."""

from __future__ import annotations

import click

_QUIET, _NORMAL, _VERBOSE = -1, 0, 1
_level = _NORMAL


def is_quiet() -> bool:
    """Whether only errors are told."""
    return _level == _QUIET


def is_verbose() -> bool:
    """Whether everything is told."""
    return _level == _VERBOSE


def more_remarks(count: int) -> str:
    """Return what is said of remarks that are not told, for example `3 more remarks, shown by -v`."""
    return f"{count} more remark{'' if count == 1 else 's'}, shown by -v"


def _set(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    # Called for both options of every command, so a command that is run after another one begins afresh.
    global _level
    given: set[str] = ctx.meta.setdefault("octavo.verbosity", set())
    if value and param.name is not None:
        given.add(param.name)
    if len(given) > 1:
        raise click.UsageError("give --quiet or --verbose, not both", ctx=ctx)
    _level = _QUIET if "quiet" in given else _VERBOSE if "verbose" in given else _NORMAL


QUIET_OPTION = click.Option(
    ["-q", "--quiet"], is_flag=True, is_eager=True, expose_value=False, callback=_set, help="Say only what failed."
)
VERBOSE_OPTION = click.Option(
    ["-v", "--verbose"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_set,
    help="Say everything that there is to say, and what Octavo logs.",
)
