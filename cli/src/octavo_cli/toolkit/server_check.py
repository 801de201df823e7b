"""What features tell `octavo doctor` about the servers that a library is on.

    [project.entry-points."octavo.doctor"]
    my-store = "my_feature.doctor:check"

`check` is a `CheckServers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.settings.settings import Settings

CHECKS_GROUP = "octavo.doctor"
"""Entry-point group of functions that check the servers of a library."""


@dataclass(frozen=True, kw_only=True)
class ServerCheck:
    """The state of one server.

    Attributes:
        name: what the server is for: `object store`, `index`.
        place: its address, without a password.
        finding: what was found, for people; empty with a problem.
        problem: why the server cannot be used, or None.
        remedy: what the user can do about the problem.
    """

    name: str
    place: str
    finding: str = ""
    problem: str | None = None
    remedy: str = ""


class CheckServers(Protocol):
    """Checks the servers of a library."""

    def __call__(self, library: str, settings: Settings, /) -> Sequence[ServerCheck]:
        """Check them. Nothing of the library is changed, and no error is raised for a server that does not answer.

        Args:
            library: folder or URL of the library.
            settings: the settings of the command.

        Returns:
            One for each server; empty for a library in a folder with its own index.
        """
