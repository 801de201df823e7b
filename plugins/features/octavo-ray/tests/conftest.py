"""A real Ray cluster of three nodes on loopback, a real PostgreSQL server, and a real S3 server (moto's)."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.request import Request, urlopen

import psutil
import pytest
from sqlalchemy import create_engine, make_url

HOST = "127.0.0.1"
BUCKET = "library"
ROOT = Path(__file__).resolve().parents[4]
POSTGRES = ROOT / ".ci" / "postgres"
SAMPLES = ROOT / "docs" / "samples"
START_SECONDS = 180.0
COMMAND_SECONDS = 400.0
COMMAND = "import sys; from octavo_cli import main; sys.exit(main())"
CLUSTER = """
import sys
from ray.cluster_utils import Cluster
store = 80 << 20
health = dict(health_check_initial_delay_ms=1000, health_check_period_ms=500, health_check_timeout_ms=1000, health_check_failure_threshold=3)
common = dict(object_store_memory=store, include_dashboard=False)
cluster = Cluster(initialize_head=True, head_node_args=dict(num_cpus=0, node_ip_address="127.0.0.2", _system_config=health, **common))
nodes = {}
for number in (3, 4):
    extra = {"ocr": 2} if number == 4 else {}
    nodes[number] = cluster.add_node(num_cpus=1, resources=extra, node_ip_address=f"127.0.0.{number}", object_store_memory=store)
print(cluster.address, flush=True)
for line in sys.stdin:
    if line == "head\\n":
        cluster.head_node.kill_gcs_server(check_alive=False)
        cluster.head_node.kill_raylet(check_alive=False)
    else:
        cluster.remove_node(nodes.pop(int(line)), allow_graceful=False)
    print("removed", flush=True)
cluster.shutdown()
"""


@dataclass
class RayCluster:
    """A cluster whose head has no processors, with two nodes of one processor each; the second has the resource `ocr`.

    Attributes:
        process: what keeps it.
        address: that of its head.
    """

    process: subprocess.Popen[str]
    address: str

    def remove(self, number: int) -> None:
        """Kill the node at 127.0.0.NUMBER."""
        self._ask(str(number))

    def kill_head(self) -> None:
        """Kill the head: the server that knows the cluster, and what runs Ray's workers on its node."""
        self._ask("head")

    def _ask(self, line: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(line, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "removed\n"


def start_cluster(folder: Path, variables: Mapping[str, str]) -> RayCluster:
    (folder / "ray").mkdir(parents=True)
    environment = {**os.environ, **variables, "RAY_TMPDIR": str(folder), "RAY_USAGE_STATS_ENABLED": "0"}
    # A machine at work starts Ray slowly.
    environment |= {"RAY_raylet_start_wait_time_s": "180", "RAY_gcs_server_request_timeout_seconds": "120"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", CLUSTER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment,
        )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    if not address:
        process.wait(timeout=60)
        pytest.fail(f"the cluster did not start: {(folder / 'log').read_text()[-2000:]}")
    return RayCluster(process, address)


def end_cluster(cluster: RayCluster) -> None:
    """End it, and whatever it leaves behind: Ray's processes are sessions of their own."""
    family = psutil.Process(cluster.process.pid).children(recursive=True)
    assert cluster.process.stdin is not None
    assert cluster.process.stdout is not None
    cluster.process.stdin.close()
    try:
        cluster.process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        cluster.process.kill()
        cluster.process.wait()
    cluster.process.stdout.close()
    _, alive = psutil.wait_procs(family, timeout=10)
    for one in alive:
        one.kill()


@pytest.fixture
def new_cluster(s3: Mapping[str, str]) -> Iterator[Callable[[], RayCluster]]:
    """Starts a cluster that the test may damage."""
    with clusters(s3) as start:
        yield start


@pytest.fixture(scope="session")
def cluster(s3: Mapping[str, str]) -> Iterator[RayCluster]:
    """A cluster whose nodes reach the S3 server."""
    with clusters(s3) as start:
        yield start()


@contextmanager
def clusters(variables: Mapping[str, str]) -> Iterator[Callable[[], RayCluster]]:
    if find_spec("ray") is None:
        pytest.skip("needs octavo-ray[ray]: run `tox -e ray`")
    if sys.platform != "linux":
        pytest.skip("needs the addresses 127.0.0.2 to 127.0.0.4, which Linux has")
    running: list[RayCluster] = []
    # Below /tmp: the paths of Ray's sockets must be short.
    folder = Path(tempfile.mkdtemp(prefix="octavo-ray-", dir="/tmp"))

    def start() -> RayCluster:
        running.append(start_cluster(folder / str(len(running)), variables))
        return running[-1]

    try:
        yield start
    finally:
        for one in running:
            end_cluster(one)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a PostgreSQL database: the given one, or that of a server of this session."""
    if find_spec("psycopg") is None:
        pytest.skip("needs octavo-library[postgres]")
    given = os.environ.get("OCTAVO_TEST_INDEX_URL")
    if given is not None:
        yield given
        return
    folder = Path("/tmp") / f"octavo-pg-{uuid.uuid4().hex[:12]}"  # its socket's path must be short
    started = subprocess.run([POSTGRES, "start", folder], capture_output=True, text=True, timeout=180, check=False)
    if started.returncode:
        pytest.skip(f"PostgreSQL does not start here: {started.stderr.strip()[-200:]}")
    try:
        yield started.stdout.strip().splitlines()[-1]
    finally:
        subprocess.run([POSTGRES, "stop", folder], capture_output=True, timeout=60, check=False)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def index_url(postgres_url: str) -> Iterator[str]:
    """The URL of an empty index, in a schema of its own."""
    schema = f"o{uuid.uuid4().hex[:20]}"
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    place = make_url(postgres_url).update_query_dict({"options": f"-csearch_path={schema}"})
    yield place.set(drivername="postgresql").render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
    engine.dispose()


@pytest.fixture(scope="session")
def s3() -> Iterator[Mapping[str, str]]:
    """The variables with which a process reaches an S3 server that has one empty bucket."""
    if find_spec("obstore") is None or find_spec("moto") is None or find_spec("flask") is None:
        pytest.skip("needs octavo-library[object-store], and an S3 server: pip install 'moto[s3,server]'")
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        give_up = time.monotonic() + START_SECONDS
        while True:
            try:
                urlopen(Request(f"http://{HOST}:{port}/{BUCKET}", method="PUT"), timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < give_up, "the S3 server did not start"
                time.sleep(0.1)
        yield {
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://{HOST}:{port}",
        }
    finally:
        server.kill()
        server.wait()


@dataclass
class Octavo:
    """Runs `octavo` in a folder of its own.

    Attributes:
        folder: the working folder.
        variables: environment variables of every command.
    """

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, *arguments: str | Path, script: str = COMMAND) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, **self.variables},
        )
        self.running.append(process)
        return process

    def __call__(self, *arguments: str | Path, script: str = COMMAND) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, script=script)
        out, err = process.communicate(timeout=COMMAND_SECONDS)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.fixture
def octavo(tmp_path: Path) -> Iterator[Octavo]:
    made = Octavo(tmp_path)
    yield made
    for process in made.running:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
