"""What the tests of every distribution share. pytest reads `pytest_plugins` here, and not further down."""

import compileall
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest_plugins = ["octavo_conformance.fixtures"]

SEED = 2026
"""Of fresh documents of the conformance suite; without it each run has a new one."""

if find_spec("hypothesis"):  # the environments of single plugins do without it
    from hypothesis import HealthCheck, settings

    # How long inputs take to make, and a test takes with one, says how busy the machine is. Whether they are made at all is still checked.
    settings.register_profile("octavo", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("octavo")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the sources: they may be installed as editable, and workers, which write no bytecode, would each compile them."""
    if not hasattr(config, "workerinput"):
        for sources in sorted([*Path(__file__).parent.glob("*/src"), *Path(__file__).parent.glob("plugins/*/*/src")]):
            compileall.compile_dir(sources, quiet=2)


def pytest_collection_finish() -> None:
    """Give the fresh documents of all engines' conformance tests one seed, so that the same code gives the same answer."""
    if kit := sys.modules.get("octavo_conformance.kit"):
        kit.ConverterConformance.seed = SEED


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that is marked `postgresql` if no server is given."""
    if item.get_closest_marker("postgresql"):
        _server()


@pytest.fixture(scope="session")
def server_url() -> str:
    """The URL of a PostgreSQL database that may be emptied."""
    return _server()


@pytest.fixture
def empty_server(server_url: str) -> str:
    """The URL of an empty PostgreSQL database."""
    from sqlalchemy import create_engine

    engine = create_engine(server_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()
    return server_url


def _server() -> str:
    url = os.environ.get("OCTAVO_TEST_INDEX_URL")
    if url is None:
        pytest.skip("needs a PostgreSQL server: set OCTAVO_TEST_INDEX_URL to a database that may be emptied")
    return url


@pytest.fixture(scope="session", autouse=True)
def fork_server() -> Iterator[None]:
    """One for all workers that tests start in this process: each library would start its own, which takes longer than it."""
    if not find_spec("octavo"):  # the environments of single plugins do without it
        yield
        return
    from octavo.plugins.prestart import CALL_MODULES, WORKER_MODULES
    from octavo_sandbox.worker_spawner import one_fork_server

    with one_fork_server(modules=WORKER_MODULES, idle_modules=CALL_MODULES):
        yield
