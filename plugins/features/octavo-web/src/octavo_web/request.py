"""Parameters of a request for a web page."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.conversion.options import ConvertOptions
from octavo_sandbox.egress.gate import Owners


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """Parameters of a request for a web page.

    Attributes:
        options: conversion options, also used to convert a doubtful page.
        owners: owners of the document, who decide about crawlers that are cloud services.
    """

    options: ConvertOptions
    owners: Owners
