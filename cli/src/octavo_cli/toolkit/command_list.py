"""What a list of commands is made of: groups of rows, each a command with its relatives."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class CommandRow:
    """One line of the list.

    Attributes:
        name: the command, or an alias of one.
        also: other names of it, and commands that belong to it and have no line of their own.
    """

    name: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class CommandGroup:
    """Commands under one heading.

    Attributes:
        title: the heading.
        rows: its commands, in order.
    """

    title: str
    rows: tuple[CommandRow, ...]


def grouped(
    groups: Sequence[CommandGroup], lines: Mapping[str, str], aliases: Mapping[str, str]
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Heading and lines of each group that has any: a command and what it is for, its relatives in brackets.

    Args:
        groups: the groups.
        lines: installed command → what it is for.
        aliases: alias → command.
    """
    for group in groups:
        rows = []
        for row in group.rows:
            line = lines.get(row.name) or lines.get(aliases.get(row.name, ""))
            if line is not None:
                also = [name for name in row.also if name in lines or aliases.get(name) in lines]
                rows.append((row.name, f"{line}  [{', '.join(also)}]" if also else line))
        if rows:
            yield group.title, rows


def named_in(groups: Sequence[CommandGroup], aliases: Mapping[str, str]) -> Collection[str]:
    """The commands that the groups name, by any of their names."""
    names = {name for group in groups for row in group.rows for name in (row.name, *row.also)}
    return names | {aliases[name] for name in names if name in aliases}
