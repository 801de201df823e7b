"""An index in a PostgreSQL database: its URL, the part of it that may be shown, and connection errors.

A URL is a secret: several parts of it may contain passwords, and a malformed URL may contain them anywhere. Messages
are therefore composed from the harmless parts.
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
from sqlalchemy import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from .refusals import CANCELLED, refusal

_URL_REMEDY = "Give postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ and %2F for a / in a password"
_NUMBERS = (
    "connect_timeout",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "tcp_user_timeout",
)
"""Integer options of libpq; libpq validates them only when it connects."""

_HIGHEST_PORT = 65535

CONFLICTS = ("40001", "40P01")
"""SQLSTATEs of a transaction that conflicts with a concurrent one: serialization and deadlock."""

_LOCK_TIMEOUT = "55P03"
_NOT_PREPARED = ("42P05", "26000")
"""SQLSTATEs of a prepared statement that the session has already, or has not."""

_MISTAKES = "42"
"""SQLSTATE class of statements that are wrong in themselves."""


class IndexUnreachable(StorageError):
    """The server of the index does not answer, closed the connection, or rejected the login.

    A `StorageError`, because nothing of the library can be read; its reason code is that of an unavailable tool. A
    wrong password is not distinguished: a failure to connect has no code, only a message in the server's language.
    """

    reason = HardFailReason.TOOL_UNAVAILABLE
    exit_code = ExitCode.TOOL_UNAVAILABLE
    retry = Retry.AUTOMATIC
    default_remedy = (
        "Check host, port, database, user and password in the index's URL, and that the database server runs"
    )


def server_url(text: str) -> URL:
    """Parse a user's URL of a PostgreSQL database; the driver is set here.

    Raises:
        UsageError: the text is not such a URL. The message does not repeat it.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # Not as the cause either: the original error quotes a part of the text.
        raise UsageError("the index URL is not a database URL", remedy=_URL_REMEDY) from None
    if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise UsageError(f"{url.drivername!r} databases are not supported for the index", remedy=_URL_REMEDY)
    if any("@" in part for part in (url.host, url.database) if part):
        raise UsageError("the index URL contains an unescaped @ or /", remedy=_URL_REMEDY)
    return url.set(drivername="postgresql+psycopg")


def shown(url: URL) -> str:
    """The parts of a URL that a message may contain: driver, user, host, port and database."""
    host = url.host or url.query.get("host")
    parts = URL.create(
        url.get_backend_name(),  # as the user gives it, without the driver
        username=url.username,
        host=host if isinstance(host, str) else None,
        port=url.port,
        database=url.database,
    )
    return parts.render_as_string(hide_password=True)


def check_options(engine: Engine) -> None:
    """Check the connection options in an index URL before the driver fails on them.

    Raises:
        UsageError: an option is unknown or has an invalid value.
    """
    driver: Any = engine.dialect.loaded_dbapi
    try:
        _, options = engine.dialect.create_connect_args(engine.url)
        options.pop("context", None)  # added by SQLAlchemy
        driver.conninfo.make_conninfo(**options)
        for name in _NUMBERS:
            int(options.get(name, 0))
        ports = [int(port) for port in str(options.get("port") or "1").split(",") if port]
    except (ValueError, TypeError, driver.Error):
        raise bad_options(engine.url) from None
    if not all(0 < port <= _HIGHEST_PORT for port in ports):
        raise bad_options(engine.url)


_POOLED = "octavo_pooled"
"""Key of a connection's `info`: a connection pool such as pgbouncer is between it and the server."""

_LOCAL = (
    "SELECT set_config('jit', 'off', true), set_config('synchronous_commit', "
    "CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)"
)
"""The settings of `set_session`, for one transaction."""


def set_session(connection: Any, record: Any) -> None:
    """Set what a connection needs, whatever the server's own settings are.

    The compiler of expressions is switched off: it compiles each statement that the planner takes for a long one, without
    knowing that a page of a listing ends soon; 0.7 s for a count of 0.2 s.

    A commit is durable before it is confirmed (ENG-6). With `synchronous_commit = off` a server that crashes forgets commits
    that it has confirmed: a document would be converted again, and the version that was stored first would have no row.

    A connection pool may give each transaction another session of the server, and shares them with other programs: there,
    nothing is set for the session, and no statement is prepared in it.
    """
    connection.autocommit = True  # otherwise the settings end with the transaction
    try:
        with connection.execute("SELECT pg_backend_pid()") as found:
            ((pid,),) = found.fetchall()
        if pid != connection.info.backend_pid:  # a pool has ids of its own, by which queries are cancelled
            record.info[_POOLED] = True
            connection.prepare_threshold = None
            return
        connection.execute("SET jit = off").close()
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        ).close()
    finally:
        connection.autocommit = False


def set_transaction(connection: Connection) -> None:
    """Set for a transaction what `set_session` cannot set for the session."""
    if connection.info.get(_POOLED):
        connection.exec_driver_sql(_LOCAL).close()


class IndexPooled(StorageError):
    """A connection pool gives each transaction another session of the server, and could not be recognised as one."""

    reason = HardFailReason.TOOL_UNAVAILABLE
    exit_code = ExitCode.TOOL_UNAVAILABLE
    default_remedy = "Give the URL of the database server itself, or let the pool keep a session for each client"


class IndexBusy(StorageError):
    """Concurrent transactions kept a write from its locks, or changed what it had read. It may succeed later."""

    reason = HardFailReason.TOOL_UNAVAILABLE
    exit_code = ExitCode.TOOL_UNAVAILABLE
    retry = Retry.AUTOMATIC
    default_remedy = "Run the command again; if the error stays, look for a transaction that holds its locks for long"


class IndexNewer(StorageError):
    """The index has the schema of a newer Octavo."""

    default_remedy = "Open it with the newer Octavo that made it"


class IndexMigrated(IndexNewer):
    """A newer Octavo has migrated the index since this process opened it: what this process writes may not fit any more."""

    default_remedy = "End this process, and start it again with the newer version; its documents go to the others"


def server_error(error: DBAPIError, *, url: URL) -> OctavoError | None:
    """Translate an error of a server's database; None for an error that is a bug in Octavo: SQLSTATE class 42."""
    place = shown(url)
    said = _without_secrets(str(error.orig).strip().partition("\n")[0], url)
    code = getattr(error.orig, "sqlstate", None) or ""
    if code == "53100":
        return StorageExhausted(f"the disk of the index {place} is full", remedy="Make room on the database server")
    if code in ("25006", "42501"):
        return LibraryReadOnly(f"the index {place} cannot be written: {said}", remedy="Make it writable for its user")
    if code in CONFLICTS or code == _LOCK_TIMEOUT:
        return IndexBusy(f"the index {place} is busy: {said}")
    if code in _NOT_PREPARED:
        return IndexPooled(f"the index {place} is behind a pool that mixes the sessions of its clients: {said}")
    if code == CANCELLED:  # of class 57, whose other codes are about the server
        return refusal(place, code, said)
    # No code: connecting failed or the connection was lost. 08 connection, 28 login, 3D database, 53 resources, 57
    # shutdown.
    is_lost = error.connection_invalidated or code[:2] in ("08", "28", "3D", "53", "57")
    if is_lost or (not code and isinstance(error, OperationalError)):
        return IndexUnreachable(f"the index {place} cannot be reached: {said}")
    if not code and error.statement is None:  # the driver failed before it connected
        return bad_options(url)
    return None if code.startswith(_MISTAKES) else refusal(place, code, said)


def bad_options(url: URL) -> UsageError:
    """The error for an invalid port or option in a URL."""
    return UsageError(
        f"the index URL of {shown(url)} has an invalid port, or an invalid option after the ?",
        remedy="Omit the options, or give options of libpq with valid values",
    )


def _without_secrets(said: str, url: URL) -> str:
    """A message of the driver or server, with every value from the hidden parts of the URL masked."""
    values = [value for given in url.query.values() for value in ((given,) if isinstance(given, str) else given)]
    for secret in sorted({str(url.password or ""), *values} - {"", url.query.get("host")}, key=len, reverse=True):
        said = said.replace(str(secret), "***")
    return said
