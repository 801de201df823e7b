"""The options of the executor: as `octavo ingest` has them, and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

AUTO = "auto"
"""The running cluster to which this machine belongs."""

LOCAL = "local"
"""A cluster of this machine alone, which ends with the run."""

CLIENT = "ray://"
"""Addresses of Ray Client, through which a program outside of the cluster uses it."""


@dataclass(frozen=True, kw_only=True)
class RayOptions:
    """How a run uses a Ray cluster.

    Attributes:
        address: `auto`, `local`, or HOST:PORT of the head node.
        nodes: maximum number of nodes with a supervisor; None: all that have the resources.
        resources: name → amount of what each supervisor holds; only nodes that have it get one.
    """

    address: str = AUTO
    nodes: int | None = None
    resources: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> RayOptions:
        """The options with the values of the command line."""
        return cls(
            address=values["ray_address"], nodes=values["ray_nodes"], resources=dict(values["ray_resource"] or ())
        )


def _address(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if value.startswith(CLIENT):
        raise click.BadParameter(
            "addresses of Ray Client are not supported; run the command on a machine of the cluster",
            ctx=ctx,
            param=param,
        )
    host, separator, port = value.rpartition(":")
    if value not in (AUTO, LOCAL) and not (host and separator and port.isdecimal() and 0 < int(port) < 65536):
        raise click.BadParameter(f"{value!r} is not auto, local or HOST:PORT", ctx=ctx, param=param)
    return value


def _resources(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> tuple[tuple[str, float], ...]:
    found: dict[str, float] = {}
    for value in values:
        name, _, amount = value.partition("=")
        try:
            found[name] = float(amount)
        except ValueError:
            found[name] = 0.0
        if not name or not 0.0 < found[name] < float("inf"):
            raise click.BadParameter(f"{value!r} is not NAME=AMOUNT with a positive amount", ctx=ctx, param=param)
    return tuple(found.items())


def options() -> tuple[click.Option, ...]:
    """The options that `octavo ingest` has with this executor."""
    return (
        click.Option(
            ["--ray-address"],
            metavar="ADDRESS",
            default=AUTO,
            show_default=True,
            callback=_address,
            help="With --executor ray: auto, the running cluster of this machine; local, one that ends with the run; or "
            "HOST:PORT of the head node.",
        ),
        click.Option(
            ["--ray-nodes"],
            metavar="N",
            type=click.IntRange(min=1),
            help="With --executor ray: use at most N nodes; by default all that have the resources.",
        ),
        click.Option(
            ["--ray-resource"],
            metavar="NAME=AMOUNT",
            multiple=True,
            callback=_resources,
            help="With --executor ray: use only nodes that have this resource, and hold it there, for example ocr=1 or "
            "CPU=4. May be repeated.",
        ),
    )
