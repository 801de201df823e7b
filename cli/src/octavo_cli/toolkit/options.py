"""Options that several commands share, each defined once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])

LIBRARY_ENV = "OCTAVO_LIBRARY"
PASSWORD_ENV = "OCTAVO_PASSWORD"
DEFAULT_LIBRARY = "octavo-library"
PROFILES = ("measured", "fast", "thorough", "seed", "case-file", "legal", "research", "transcript")
"""As `octavo.profiles.profile.SHIPPED_PROFILES`, which is not imported for the help; a test compares."""


def _trace_bugs(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        # An unexpected exception then ends the process as Python itself ends it: traceback, exit code 1.
        sys.excepthook = sys.__excepthook__
        from .warning_lines import show_unredacted

        ctx.call_on_close(show_unredacted())


def _named(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not value:
        # An unset variable in a script gives an empty value: the user surely does not mean the working directory.
        raise click.BadParameter("the value is empty", ctx=ctx, param=param)
    return value


def named_limit(text: str) -> tuple[str, int]:
    """The name and the number of a value of `--limit`.

    Raises:
        BadParameter: it is not `NAME=NUMBER`.
    """
    name, _, number = text.partition("=")
    if not (number.isascii() and number.isdecimal()):
        raise click.BadParameter(f"{text!r} is not NAME=NUMBER", param_hint="--limit")
    return name, int(number)


class FormChoice(click.Choice[str]):
    """The forms of an output, by the name of `--to` or by another usual one, such as `markdown` for `md`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the form.

        Raises:
            BadParameter: there is no such form.
        """
        form: str = super().convert(_FORM_NAMES.get(value.lower(), value), param, ctx)
        return form


_FORM_NAMES = {"markdown": "md", "txt": "text", "plain": "text", "htm": "html"}
"""Another name of a form → the form."""

DEBUG_OPTION = click.Option(
    ["--debug"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_trace_bugs,
    help="Show Python's traceback for unexpected errors, as OCTAVO_DEBUG=1 does. Also show the unredacted messages of "
    "engines, which may quote documents; they are not stored.",
)


def _library_folder() -> str:
    """Return the folder from a settings file; called only if neither `--library` nor the variable is given."""
    from octavo.settings.sources.files import library_folder

    return library_folder() or DEFAULT_LIBRARY


INDEX_META = "octavo.index"
"""Key of `click.Context.meta` with the value of `--index`, which `configured.settings` reads."""


def _remembered(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta[INDEX_META] = _named(ctx, param, value)


_index_option = click.option(
    "--index",
    metavar="URL",
    expose_value=False,
    callback=_remembered,
    help="PostgreSQL database of the library's index, postgresql://HOST/DATABASE; by default as in the settings or "
    "OCTAVO_INDEX, which keeps a password out of the list of processes.",
)

_library_folder_option = click.option(
    "--library",
    metavar="DIR",
    type=click.Path(file_okay=False),
    envvar=LIBRARY_ENV,
    show_envvar=True,
    default=_library_folder,
    show_default=DEFAULT_LIBRARY,
    callback=_named,
    help="Folder of the library, or its URL in an object store: s3://BUCKET/PREFIX.",
)


def library_option(function: F) -> F:
    """Add `--library` and `--index`."""
    return _library_folder_option(_index_option(function))


plugin_option = click.option(
    "--with",
    "plugin",
    metavar="PLUGIN",
    help="Convert with this plugin and no other; `octavo plugins` lists them.",
)

profile_option = click.option(
    "--profile",
    metavar="PROFILE",
    help=f"Routing rules: {', '.join(PROFILES)}, or the path of a .toml file.",
)

password_option = click.option(
    "--password",
    metavar="[TEXT]",
    envvar=PASSWORD_ENV,
    show_envvar=True,
    prompt="Password",
    prompt_required=False,
    hide_input=True,
    help="Password of encrypted documents. Without TEXT, octavo prompts for it; in scripts use the variable, "
    "as other users can see a command line.",
)

timeout_option = click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    help="Longest time a plugin may take for one document; 300 by default.",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


def conversion_options(function: F) -> F:
    """Add `--with`, `--profile`, `--password` and `--timeout`."""
    for option in (timeout_option, password_option, profile_option, plugin_option):
        function = option(function)
    return function
