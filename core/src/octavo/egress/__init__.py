"""The one way out. Off: until a policy can allow a request, every one is refused (CNV-15)."""

from __future__ import annotations

from .refusing import RefusingFetcher

__all__ = ["RefusingFetcher"]
