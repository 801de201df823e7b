"""How often results are committed (ENG-14)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class CommitPolicy:
    """When the writer commits results that no caller waits for.

    Attributes:
        size: results per commit; 1 commits each immediately.
        seconds: maximum time that a result waits for its commit.
    """

    size: int = 1
    seconds: float = 0.0

    def __str__(self) -> str:
        return "each document separately" if self.size == 1 else f"{self.size} documents or {self.seconds:g} s"


EACH = CommitPolicy()


@dataclass(frozen=True, kw_only=True)
class CommitSteps:
    """Commit policies by length of the run: longer runs commit larger groups.

    Attributes:
        medium_from: number of documents from which the medium policy applies.
        medium: its policy.
        large_above: number of documents above which the large policy applies.
        large: its policy.
    """

    medium_from: int = 100
    medium: CommitPolicy = CommitPolicy(size=50, seconds=5.0)
    large_above: int = 1000
    large: CommitPolicy = CommitPolicy(size=100, seconds=10.0)

    def of(self, documents: int) -> CommitPolicy:
        """Return the policy for a run of this many documents, expected or reached so far."""
        if documents > self.large_above:
            return self.large
        return self.medium if documents >= self.medium_from else EACH
