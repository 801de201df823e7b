"""How often results are committed (ENG-14)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class CommitPolicy:
    """When the writer commits what nobody is waiting for.

    Attributes:
        size: endings in a group; 1 commits each as it comes.
        seconds: the longest that the oldest of a group waits.
    """

    size: int = 1
    seconds: float = 0.0

    def __str__(self) -> str:
        return "each document by itself" if self.size == 1 else f"{self.size} documents or {self.seconds:g} s"


EACH = CommitPolicy()


@dataclass(frozen=True, kw_only=True)
class CommitSteps:
    """Which policy a run of a given length has: the longer the run, the larger the groups.

    Attributes:
        medium_from: documents from which the medium policy holds.
        medium: its policy.
        large_above: documents above which the large one holds.
        large: its policy.
    """

    medium_from: int = 100
    medium: CommitPolicy = CommitPolicy(size=50, seconds=5.0)
    large_above: int = 1000
    large: CommitPolicy = CommitPolicy(size=100, seconds=10.0)

    def of(self, documents: int) -> CommitPolicy:
        """The policy of a run of so many documents, or of one that has reached as many."""
        if documents > self.large_above:
            return self.large
        return self.medium if documents >= self.medium_from else EACH
