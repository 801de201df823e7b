"""`/ready` says whether the index answers; `/health` says whether the server does."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo import Settings
from octavo_dashboard import Access, DashboardOptions
from octavo_library import Library
from sqlalchemy import Engine, create_engine, make_url
from web_clients import open_client

QUICK = Settings(sampling=False, workers=1)


@pytest.fixture
def role(server_url: str) -> Iterator[tuple[Engine, str]]:
    """A role of the server with an empty schema, and the connection of an administrator."""
    name = f"o{uuid.uuid4().hex[:20]}"
    engine = create_engine(server_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE ROLE {name} LOGIN SUPERUSER")
        connection.exec_driver_sql(f"CREATE SCHEMA {name} AUTHORIZATION {name}")
    yield engine, name
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP SCHEMA {name} CASCADE")
        connection.exec_driver_sql(f"DROP ROLE {name}")
    engine.dispose()


@pytest.mark.postgresql
def test_a_server_is_not_ready_while_its_database_is_away(
    tmp_path: Path, server_url: str, role: tuple[Engine, str]
) -> None:
    engine, name = role
    index = make_url(server_url).set(username=name, drivername="postgresql")
    url = index.update_query_dict({"options": f"-csearch_path={name}"}).render_as_string(hide_password=False)
    with Library.open(tmp_path / "library", index=url, settings=QUICK) as library, open_client(library) as client:
        assert client.get("/ready").json() == {"status": "ok"}
        with engine.connect() as connection:
            connection.exec_driver_sql(f"ALTER ROLE {name} NOLOGIN")
            connection.exec_driver_sql(
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{name}'"
            )
        for _ in range(50):
            if (answer := client.get("/ready")).status_code == 503:
                break
            time.sleep(0.1)
        assert (answer.status_code, answer.json()) == (503, {"status": "unavailable"})
        assert client.get("/health").status_code == 200
        with engine.connect() as connection:
            connection.exec_driver_sql(f"ALTER ROLE {name} LOGIN")
        assert client.get("/ready").status_code == 200


def test_a_probe_needs_no_token(tmp_path: Path) -> None:
    options = DashboardOptions(access=Access.of_tokens([("t" * 40, None)]))
    with Library.open(tmp_path / "library", settings=QUICK) as library, open_client(library, options) as client:
        assert client.get("/ready").json() == {"status": "ok"}
        assert client.get("/documents.json").status_code == 401
