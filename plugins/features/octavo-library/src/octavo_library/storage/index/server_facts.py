"""The state of a database on a server, read without creating, migrating or locking anything."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import URL, Connection, column, func, inspect, select, table
from sqlalchemy.exc import DBAPIError

from . import dialect
from .schema import REVISION, documents, hosts, jobs, meta

_RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE")
_VERSION = table("alembic_version", column("version_num"))


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerFacts:
    """The state of the database of an index.

    Attributes:
        schema: revision of the schema; None: there is no index yet, or the revision cannot be read.
        lacks: rights that the user lacks, as `INSERT on jobs`.
        library_id: the library's id; None if there is no index, or it cannot be read.
        documents: number of documents; None as for `library_id`.
    """

    schema: str | None
    lacks: tuple[str, ...]
    library_id: str | None = None
    documents: int | None = None

    @property
    def finding(self) -> str:
        """A description for people."""
        if self.schema is None:
            return "can be reached; it has no index yet"
        migrates = f", which the next command migrates to {REVISION}" if self.schema < REVISION else ""
        return f"can be read and written; schema {self.schema}{migrates}; documents: {self.documents}"

    def problem(self, noted: str | None) -> tuple[str | None, str]:
        """Why the index cannot be used, and a remedy; None and an empty text if it can be.

        Args:
            noted: id of the library to which the index must belong; None: there is no library yet, or it is unknown.
        """
        if self.schema is not None and self.schema > REVISION:
            problem = f"the index has schema {self.schema}; this version of Octavo supports {REVISION}"
            return problem, "Use the newer Octavo that migrated it"
        if self.lacks:
            problem = f"the user lacks rights in the database: {', '.join(self.lacks)}"
            return problem, "Grant them, or give the URL with the user that owns the database"
        if noted is not None and self.schema is None:
            problem = "the database is empty, but the object store has a library"
            return problem, "Name the database that the library was made with, or restore it from a backup"
        if noted is not None and noted != self.library_id:
            problem = "the database is the index of a different library"
            return problem, "Name the database that the library was made with"
        return None, ""


def read_server_facts(url: URL) -> ServerFacts:
    """Read the state of a database.

    Args:
        url: as `server_url` returns it.

    Raises:
        IndexUnreachable: the server cannot be reached or rejects the login.
        UsageError: the URL has unknown options.
        ToolUnavailable: the driver of PostgreSQL is not installed.
    """
    engine = dialect.open_engine(url)
    try:
        with dialect.reading(engine).connect() as connection, connection.begin():
            return _read(connection)
    except DBAPIError as error:
        translated = dialect.storage_error(error, url=url)
        if translated is None:
            raise
        raise translated from error
    finally:
        engine.dispose()


def _read(connection: Connection) -> ServerFacts:
    tables = set(inspect(connection).get_table_names())
    if _VERSION.name not in tables:
        may_create = connection.scalar(select(func.has_schema_privilege(func.current_schema(), "CREATE")))
        return ServerFacts(schema=None, lacks=() if may_create else ("CREATE on the schema",))
    wanted = [(_VERSION.name, "SELECT")]
    wanted += [(one.name, right) for one in (documents, jobs, hosts, meta) if one.name in tables for right in _RIGHTS]
    lacks = tuple(
        f"{right} on {name}"
        for name, right in wanted
        if not connection.scalar(select(func.has_table_privilege(name, right)))
    )
    if any(one.startswith("SELECT") for one in lacks):
        return ServerFacts(schema=None, lacks=lacks)
    return ServerFacts(
        schema=connection.scalar(select(_VERSION.c.version_num)),
        lacks=lacks,
        library_id=connection.scalar(select(meta.c.value).where(meta.c.key == "library_id")),
        documents=connection.scalar(select(func.count()).select_from(documents)),
    )
