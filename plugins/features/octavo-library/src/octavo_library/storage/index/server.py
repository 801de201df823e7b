"""A PostgreSQL database as the place of an index: its URL, what is shown of it, and what stands between us and it.

A URL is a secret: passwords stand in more than one part of it, and one that is written wrongly has them anywhere. What is
shown is put together from the parts that are none.
"""

from __future__ import annotations

from typing import Any

from octavo_contracts import (
    ExitCode,
    HardFailReason,
    LibraryReadOnly,
    OctavoError,
    Retry,
    StorageError,
    StorageExhausted,
    UsageError,
)
from sqlalchemy import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

_URL_REMEDY = "Give postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ and %2F for a / in a password"
_NUMBERS = (
    "connect_timeout",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "tcp_user_timeout",
)
"""Options of libpq that are whole numbers; it looks at them only when it connects."""

_HIGHEST_PORT = 65535


class IndexUnreachable(StorageError):
    """The server of the index does not answer, lost us, or does not let us in.

    A `StorageError`, as nothing of the library can be read; its reason is that of what is missing. A refused password is
    not told apart: what fails while connecting has no code, only a sentence in the server's language.
    """

    reason = HardFailReason.TOOL_UNAVAILABLE
    exit_code = ExitCode.TOOL_UNAVAILABLE
    retry = Retry.AUTOMATIC
    default_remedy = "Start the database server, or check host, port, database, user and password in the index's URL"


def server_url(text: str) -> URL:
    """The URL of a PostgreSQL database, from what a user gives; the driver is ours to choose.

    Raises:
        UsageError: it is the URL of something else, or of nothing. It is not repeated.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # Not as its cause either: that quotes a part of the text.
        raise UsageError("the index's URL is no URL of a database", remedy=_URL_REMEDY) from None
    if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise UsageError(f"an index cannot be put on {url.drivername!r}", remedy=_URL_REMEDY)
    if any("@" in part for part in (url.host, url.database) if part):
        raise UsageError("the index's URL has an @ too many, or a / before it", remedy=_URL_REMEDY)
    return url.set(drivername="postgresql+psycopg")


def shown(url: URL) -> str:
    """Driver, user, host, port and database of a URL: what may stand in a message."""
    host = url.host or url.query.get("host")
    parts = URL.create(
        url.drivername,
        username=url.username,
        host=host if isinstance(host, str) else None,
        port=url.port,
        database=url.database,
    )
    return parts.render_as_string(hide_password=True)


def check_options(engine: Engine) -> None:
    """Check what an index's URL asks of the driver, before the driver fails at it.

    Raises:
        UsageError: there is no such option, or it has no such value.
    """
    driver: Any = engine.dialect.loaded_dbapi
    try:
        _, options = engine.dialect.create_connect_args(engine.url)
        options.pop("context", None)  # of SQLAlchemy's own
        driver.conninfo.make_conninfo(**options)
        for name in _NUMBERS:
            int(options.get(name, 0))
        ports = [int(port) for port in str(options.get("port") or "1").split(",") if port]
    except (ValueError, TypeError, driver.Error):
        raise bad_options(engine.url) from None
    if not all(0 < port <= _HIGHEST_PORT for port in ports):
        raise bad_options(engine.url)


def server_error(error: DBAPIError, *, url: URL) -> OctavoError | None:
    """The error that one of a server's database stands for; None for one that is a mistake of ours."""
    place = shown(url)
    said = _without_secrets(str(error.orig).strip().partition("\n")[0], url)
    code = getattr(error.orig, "sqlstate", None) or ""
    if code == "53100":
        return StorageExhausted(f"the disk of the index {place} is full", remedy="Make room on the database server")
    if code in ("25006", "42501"):
        return LibraryReadOnly(f"the index {place} cannot be written: {said}", remedy="Make it writable for its user")
    # No code: the connection could not be made or was lost. 08 connection, 28 login, 3D database, 53 resources, 57 shut down.
    is_lost = error.connection_invalidated or code[:2] in ("08", "28", "3D", "53", "57")
    if is_lost or (not code and isinstance(error, OperationalError)):
        return IndexUnreachable(f"the index {place} cannot be reached: {said}")
    if not code and error.statement is None:  # the driver did not get as far as to connect
        return bad_options(url)
    return None


def bad_options(url: URL) -> UsageError:
    """What a URL's port or options are refused with."""
    return UsageError(
        f"the index's URL, of {shown(url)}, has a port or an option after its ? that PostgreSQL does not know",
        remedy="Leave the options out, or give those that libpq has, each with a value it takes",
    )


def _without_secrets(said: str, url: URL) -> str:
    """What a driver or server said, without anything that stands in a part of the URL that is not shown."""
    values = [value for given in url.query.values() for value in ((given,) if isinstance(given, str) else given)]
    for secret in sorted({str(url.password or ""), *values} - {"", url.query.get("host")}, key=len, reverse=True):
        said = said.replace(str(secret), "***")
    return said
