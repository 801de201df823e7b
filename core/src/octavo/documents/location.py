"""Where a document stands: a path of this machine, or a URL; and the references that are kept of it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TypeGuard

from octavo_contracts import PolicyRefused, RefScheme, file_ref, parse_ref, ref_path

from ..egress.targets import parse_target

_SCHEMES = ("http://", "https://")
_USER = re.compile(r"^([a-zA-Z]+://)[^/?]*@")
_ANY_PORT = range(1, 65_536)


def is_url(source: object) -> TypeGuard[str]:
    """Whether what a caller gives for a document is the URL of a page. A path that begins like one is given as a `Path`."""
    return isinstance(source, str) and source[:8].lower().startswith(_SCHEMES)


def place_ref(source: str | bytes | os.PathLike[str]) -> str:
    """The reference of a path or a URL. A URL's is without a fragment, in the form in which it is asked for."""
    if is_url(source):
        try:
            return f"{RefScheme.URL}:{parse_target(source, ports=_ANY_PORT).url}"
        except PolicyRefused:  # never fetched, and named in a failure
            return f"{RefScheme.URL}:{shown_url(source)}"
    return file_ref(os.fspath(source))


def shown_url(url: str) -> str:
    """A URL without a user's name, password and fragment, and with nothing that a database cannot hold."""
    return _USER.sub(r"\1", url.partition("#")[0]).encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def place_of(ref: str) -> Path | str:
    """The path or URL that a reference names.

    Raises:
        ValueError: it names neither.
    """
    parsed = parse_ref(ref)
    return parsed.value if parsed.scheme is RefScheme.URL else ref_path(ref)
