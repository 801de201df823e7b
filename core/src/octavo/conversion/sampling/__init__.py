"""Routing put to the test: the first documents of a profile are converted twice, and the two are compared (CNV-4)."""

from __future__ import annotations
