"""What a recipe is: minimal arguments of a command, and for each option a value that differs from the default.

An option's value is what follows the option on the command line. `On(arguments, value)` gives an option other arguments
than the command's minimal ones, since it applies to something else; `before` are command lines that run first. An option
with a list of values needs an effect of at least one of them. Options without an entry are flags, or take each of their
choices in turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class On:
    """An option on other arguments than the command's minimal ones."""

    arguments: str
    value: str = ""
    before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Without:
    """An option whose effect cannot be seen here, and why."""

    reason: str


@dataclass(frozen=True)
class Recipe:
    """Minimal arguments of a command, values of its options, and command lines that run first."""

    arguments: str = ""
    options: dict[str, str | list[str] | On | Without] = field(default_factory=dict)
    before: tuple[str, ...] = ()


PARALLEL = Without("it changes how many documents are converted at once, and no result")
