"""The location of a document, a local path or a URL, and its conversion to and from stored references."""

from __future__ import annotations

import os
import re
from pathlib import Path

from octavo_contracts import PolicyRefused, RefScheme, file_ref, parse_ref, ref_path
from octavo_sandbox.egress.targets import is_url, parse_target

_USER = re.compile(r"^([a-zA-Z]+://)[^/?]*@")
_ANY_PORT = range(1, 65_536)


def place_ref(source: str | bytes | os.PathLike[str]) -> str:
    """Return the reference of a path or a URL. A URL is normalised as for a request, without its fragment."""
    if is_url(source):
        try:
            return f"{RefScheme.URL}:{parse_target(source, ports=_ANY_PORT).url}"
        except PolicyRefused:  # invalid; it is never fetched, only named in a failure
            return f"{RefScheme.URL}:{shown_url(source)}"
    return file_ref(os.fspath(source))


def shown_url(url: str) -> str:
    """Return a URL without user name, password, fragment and characters that a database cannot store."""
    return _USER.sub(r"\1", url.partition("#")[0]).encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def place_of(ref: str) -> Path | str:
    """Return the path or URL of a reference.

    Raises:
        ValueError: the reference is neither a path nor a URL.
    """
    parsed = parse_ref(ref)
    return parsed.value if parsed.scheme is RefScheme.URL else ref_path(ref)
