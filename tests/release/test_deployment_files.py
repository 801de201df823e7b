"""The compose file and the Kubernetes manifests: what they run, set and publish is what the image and the commands accept.

They are parsed here. No test starts them: that needs a container engine or a cluster.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from octavo.settings.sources.loading import load_settings
from octavo_cli.app import cli

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
CONTAINER = (ROOT / "Containerfile").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "how-to" / "several-machines.md").read_text(encoding="utf-8")
PORT = int(re.findall(r"^EXPOSE (\d+)$", CONTAINER, re.MULTILINE)[0])
CLIENTS = {"AWS_ENDPOINT_URL", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
"""Variables that the client of the object store reads."""


@dataclass(frozen=True)
class Container:
    """One container that runs Octavo's image.

    Attributes:
        name: its name in the file.
        arguments: what follows `octavo`.
        variables: the environment that the file sets.
    """

    name: str
    arguments: list[str]
    variables: dict[str, str]


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return loaded


def manifest() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))


def ray_manifest() -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings and the job of the manifest for KubeRay."""
    config, job = yaml.safe_load_all((DEPLOY / "kuberay.yaml").read_text(encoding="utf-8"))
    assert (config["kind"], job["kind"], job["apiVersion"]) == ("ConfigMap", "RayJob", "ray.io/v1")
    return config, job


def ray_pods() -> list[dict[str, Any]]:
    """The pods of the Ray cluster: the head's, then those of the groups."""
    cluster = ray_manifest()[1]["spec"]["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    return [group["template"]["spec"] for group in groups]


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [one for one in manifest() if one["kind"] == kind]


def secret_names() -> dict[str, str]:
    """The variables of the Secret, as the comment at the head of the manifest and the page tell to make it."""
    pattern = r"^(?:#   )?((?:OCTAVO|AWS)_\w+)=(\S+)$"
    told = dict(re.findall(pattern, (DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8"), re.MULTILINE))
    assert told.keys() >= {"OCTAVO_LIBRARY", "OCTAVO_INDEX"}
    file = PAGE.partition('title="octavo.env"\n')[2].partition("```")[0]
    assert told == dict(re.findall(pattern, file, re.MULTILINE))
    return told


def check_guard(container: dict[str, Any]) -> None:
    """A container without the library or the index in the Secret does not start: the image's own library would take their place."""
    required = {each["name"]: each["valueFrom"]["secretKeyRef"] for each in container["env"]}
    assert required == {name: {"name": "octavo", "key": name} for name in ("OCTAVO_LIBRARY", "OCTAVO_INDEX")}


def containers() -> Iterator[Container]:
    """The containers with Octavo's image in both files."""
    for name, service in compose()["services"].items():
        if service["image"] == "octavo":
            variables = {
                key: re.sub(r"\$\{\w+:\?[^}]*\}", "secret00", value) for key, value in service["environment"].items()
            }
            yield Container(f"compose {name}", service["command"], variables)
    (config,) = of_kind("ConfigMap")
    for deployment in of_kind("Deployment"):
        for one in deployment["spec"]["template"]["spec"]["containers"]:
            assert one["image"] == "octavo"
            assert one["envFrom"] == [{"configMapRef": {"name": "octavo"}}, {"secretRef": {"name": "octavo"}}]
            check_guard(one)
            yield Container(f"kubernetes {one['name']}", one["args"], {**config["data"], **secret_names()})
    config, job = ray_manifest()
    _, *arguments = shlex.split(job["spec"]["entrypoint"])
    yield Container("kuberay", arguments, {**config["data"], **secret_names()})


ALL = list(containers())


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_each_command_line_is_one_that_octavo_accepts(one: Container) -> None:
    name, *arguments = one.arguments
    context = click.Context(cli, info_name="octavo")
    command = cli.get_command(context, name)

    assert command is not None
    given = command.make_context(name, list(arguments), parent=context)
    assert given.args == []
    if name == "web":
        assert given.params["port"] == PORT
        assert given.params["host"] == "0.0.0.0"
        assert f"localhost:{PORT}" in given.params["allow_hosts"]


def test_the_files_have_workers_and_the_browser_view() -> None:
    assert [one.arguments[0] for one in ALL] == ["worker", "worker", "web", "submit", "worker", "web", "ingest"]
    assert {one["spec"]["replicas"] for one in of_kind("Deployment") if one["metadata"]["name"] == "octavo-worker"} == {
        2
    }


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_each_variable_is_a_setting_or_one_of_the_object_stores_client(
    one: Container, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in os.environ if name.startswith(("OCTAVO_", "AWS_"))]:
        monkeypatch.delenv(name)
    for name, value in one.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    loaded = load_settings(folder=tmp_path)

    assert loaded.unknown == ()
    assert {name for name in one.variables if not name.startswith("OCTAVO_")} <= CLIENTS
    assert {"OCTAVO_LIBRARY", "OCTAVO_INDEX", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} <= set(one.variables)
    assert loaded.settings.objects.originals == "stored"
    assert Path(str(loaded.settings.objects.workspace)).parent == Path("/data")  # the only writable volume but /tmp


def test_the_image_has_the_clients_and_stops_workers_as_ctrl_c_does() -> None:
    (extras,) = re.findall(r"'\.\[([\w,-]+)\]'", CONTAINER)

    assert "scale" in extras.split(",")
    assert "STOPSIGNAL SIGINT\n" in CONTAINER


def test_the_workers_of_one_machine_leave_each_other_room() -> None:
    for name, service in compose()["services"].items():
        if service["image"] == "octavo" and service["command"][0] == "worker":
            assert service["command"][1] == "--workers", name
            assert service["mem_limit"].endswith("g"), name


def test_compose_reaches_its_servers_where_they_listen() -> None:
    services = compose()["services"]
    worker = services["worker-1"]["environment"]
    database = services["database"]["environment"]

    address = re.fullmatch(r"postgresql://(\w+):\$\{[^}]+\}@(\w+):5432/(\w+)", worker["OCTAVO_INDEX"])
    assert address is not None
    assert address.groups() == (database["POSTGRES_USER"], "database", database["POSTGRES_DB"])
    endpoint = worker["AWS_ENDPOINT_URL"].removeprefix("http://")
    assert services["bucket"]["environment"]["MC_HOST_store"].endswith("@" + endpoint)
    assert endpoint == "store:9000"
    assert worker["AWS_ACCESS_KEY_ID"] == services["store"]["environment"]["MINIO_ROOT_USER"]
    bucket = services["bucket"]["command"][-1].removeprefix("store/")
    assert worker["OCTAVO_LIBRARY"].startswith(f"s3://{bucket}/")
    assert services["web"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]  # not reachable from other machines
    assert {name for name, one in services.items() if "ports" in one} == {"web"}


def test_compose_builds_the_container_file_and_names_other_images_with_their_release() -> None:
    for name, service in compose()["services"].items():
        if service["image"] == "octavo":
            assert (
                DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]
            ).resolve() == ROOT / "Containerfile"
        else:
            assert re.search(r":(RELEASE\.)?\d+[.-]\d+", service["image"]), name


def test_every_container_of_octavo_is_confined() -> None:
    user = int(re.findall(r"^USER (\d+):", CONTAINER, re.MULTILINE)[0])
    for name, service in compose()["services"].items():
        if service["image"] == "octavo":
            assert (service["read_only"], service["cap_drop"], service["tmpfs"]) == (True, ["ALL"], ["/tmp"]), name
            assert service["security_opt"] == ["no-new-privileges:true"]
            assert service.get("healthcheck", {}).get("disable", False) == (service["command"][0] != "web")
    for pod in [*(deployment["spec"]["template"]["spec"] for deployment in of_kind("Deployment")), *ray_pods()]:
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["runAsUser"] == user
        assert pod["automountServiceAccountToken"] is False
        mounted = {volume["name"] for volume in pod["volumes"]}
        for one in pod["containers"]:
            assert one["securityContext"]["readOnlyRootFilesystem"]
            assert one["securityContext"]["allowPrivilegeEscalation"] is False
            assert one["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert {mount["name"] for mount in one["volumeMounts"]} == mounted
            assert {mount["mountPath"] for mount in one["volumeMounts"] if not mount.get("readOnly")} == {
                "/data",
                "/tmp",
            }


def test_the_manifests_parts_find_each_other() -> None:
    (service,) = of_kind("Service")
    labels = {}
    for deployment in of_kind("Deployment"):
        template = deployment["spec"]["template"]
        assert deployment["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"]
        labels[deployment["metadata"]["name"]] = template["metadata"]["labels"]
    assert [name for name, own in labels.items() if own == service["spec"]["selector"]] == ["octavo-web"]
    (web,) = [one for one in of_kind("Deployment") if one["metadata"]["name"] == "octavo-web"]
    (container,) = web["spec"]["template"]["spec"]["containers"]
    (port,) = container["ports"]
    assert port == {"name": "http", "containerPort": PORT}
    assert service["spec"]["ports"] == [{"name": "http", "port": PORT, "targetPort": "http"}]
    assert f"http://127.0.0.1:{PORT}/ready" in container["readinessProbe"]["exec"]["command"][-1]
    assert f"http://127.0.0.1:{PORT}/health" in container["livenessProbe"]["exec"]["command"][-1]


def test_the_ray_cluster_runs_one_image_and_converts_beside_its_head() -> None:
    """All nodes have one version of Ray; the head sees the documents, and the others the supervisors."""
    image = (DEPLOY / "Containerfile.ray").read_text(encoding="utf-8")
    config, job = ray_manifest()
    cluster = job["spec"]["rayClusterSpec"]
    (group,) = cluster["workerGroupSpecs"]
    arguments = shlex.split(job["spec"]["entrypoint"])
    containers = [pod["containers"][0] for pod in ray_pods()]

    assert f"'ray[default]=={cluster['rayVersion']}'" in image
    assert "FROM octavo\n" in image
    assert {one["image"] for one in containers} == {"octavo-ray"}
    assert all(
        one["envFrom"] == [{"configMapRef": {"name": config["metadata"]["name"]}}, {"secretRef": {"name": "octavo"}}]
        for one in containers
    )
    assert cluster["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"
    assert f"CPU={group['rayStartParams']['num-cpus']}" in arguments
    assert arguments[2] in {mount["mountPath"] for mount in containers[0]["volumeMounts"] if mount.get("readOnly")}


def test_the_page_names_the_files_and_what_they_set() -> None:
    assert "deploy/compose.yaml" in PAGE
    assert "deploy/kubernetes.yaml" in PAGE
    assert "deploy/kuberay.yaml" in PAGE
    for name, value in (("OCTAVO_OBJECTS__ORIGINALS", "stored"), ("OCTAVO_OBJECTS__WORKSPACE", "/data/workspace")):
        assert f"`{name}={value}`" in PAGE
        assert {one.variables[name] for one in ALL} == {value}


def test_no_node_of_the_ray_cluster_starts_without_the_library_and_the_index() -> None:
    pods = ray_pods()
    assert len(pods) == 2
    for pod in pods:
        for container in pod["containers"]:
            check_guard(container)


def test_no_manifest_pulls_an_image_that_the_node_has() -> None:
    """The default for an image without a tag is `Always`, which fails where it is only on the node."""
    pods = [one["spec"]["template"]["spec"] for one in of_kind("Deployment")] + ray_pods()
    assert {each["imagePullPolicy"] for pod in pods for each in pod["containers"]} == {"IfNotPresent"}


def test_containers_of_compose_leave_no_nameless_volumes_and_limit_their_caches() -> None:
    """The image declares /data a volume: each container without one of its own there would leave one of no name."""
    file = compose()
    places = {name: one.get("volumes") for name, one in file["services"].items() if one["image"] == "octavo"}
    assert places == {
        "worker-1": ["worker-1:/data"],
        "worker-2": ["worker-2:/data"],
        "web": ["web:/data"],
        "submit": [{"type": "tmpfs", "target": "/data"}],
    }
    assert {"worker-1", "worker-2", "web"} <= set(file["volumes"])
    for one in ALL:
        assert int(one.variables["OCTAVO_OBJECTS__CACHE_BYTES"]) <= 8 << 30
