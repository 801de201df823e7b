"""What can open a connection is listed, each entry with its reason; anything new fails here (DIG-27).

Told by static analysis: the imports of every distribution, the modules and native libraries of the packages that it imports,
and their declared requirements. What an entry can do in fact is tried in `test_ways_out`.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported by path: what they share has to be found

from openers import Distribution, distributions, handed_to, own_openers
from ways import WAYS

PROGRAM = "starts a program of the system in a worker, whose processes have no network sockets on Linux"
PDFIUM = "calls PDFium in the same process, a library without a network"
PIPE = "local sockets between the host and its workers"
OWN: dict[str, dict[str, str]] = {
    "octavo": {
        "octavo.builtins.classification.page_layout: ctypes": PDFIUM,
        "octavo.builtins.classification.pdf_calls: ctypes": PDFIUM,
        "octavo.builtins.classification.pdf_page: ctypes": PDFIUM,
        "octavo.builtins.pdf_forms.pdfium_text: ctypes": PDFIUM,
        "octavo.builtins.pdf_forms.drawing: ctypes": PDFIUM,
        "octavo.builtins.pdf_forms.visibility: ctypes": PDFIUM,
        "octavo.builtins.pdf_forms.reader: ctypes": PDFIUM,
    },
    "octavo-conformance": {
        "octavo_conformance.call_client: socket": "a pair within the machine, to the process that calls are forked from",
        "octavo_conformance.call_client: subprocess": "starts that process, which is Python",
        "octavo_conformance.call_server: socket": "its end of the pair",
        "octavo_conformance.loopback: http.server": "what tests speak to, on loopback: it listens",
        "octavo_conformance.mutants.cheats: ctypes": "a plugin whose native code tries to go out, which the suite must catch",
        "octavo_conformance.mutants.cheats: socket": "a plugin that tries to go out, which the suite must catch",
        "octavo_conformance.mutants.cheats: subprocess": "likewise",
        "octavo_conformance.mutants.converters: socket": "a plugin that tries to go out, which the suite must catch",
        "octavo_conformance.mutants.converters: subprocess": "likewise",
        "octavo_conformance.mutants.many_parts: socket": "likewise",
        "octavo_conformance.mutants.others: socket": "likewise",
        "octavo_conformance.mutants.others: subprocess": "likewise",
        "octavo_conformance.mutants.rare: socket": "likewise",
        "octavo_conformance.mutants.services: socket": "likewise",
        "octavo_conformance.probe: os": "tries what a worker must refuse",
        "octavo_conformance.probe: socket": "reads the default timeout, which a hook must not change",
        "octavo_conformance.resident_size: ctypes": "asks the C library to return free memory",
        "octavo_conformance.socket_wire: socket": "a pair within the machine, to the process that counts sockets and refuses them",
        "octavo_conformance.surroundings: ctypes": "gives a process another name of the machine, and another clock",
        "octavo_conformance.surroundings: socket": "gives Python code another name of the machine",
    },
    "octavo-contracts": {
        "octavo_contracts.authoring.quiet_imports: socket": "keeps urllib3 from making a socket when it is imported",
        "octavo_contracts.authoring.pdf_runs: ctypes": PDFIUM,
        "octavo_contracts.authoring.pdf_words: ctypes": PDFIUM,
        "octavo_contracts.authoring.pdf_visibility: ctypes": PDFIUM,
    },
    "octavo-library": {
        "octavo_library.storage.files.owners: socket": "the machine's own name, for the owner of a lease",
    },
    "octavo-libreoffice": {
        "octavo_libreoffice.launch: ctypes": "system calls that take rights away",
        "octavo_libreoffice.launch: os": PROGRAM,
        "octavo_libreoffice.program: subprocess": PROGRAM,
    },
    "octavo-dashboard": {
        "octavo_dashboard.http_server: socket": "listens where the user says, on loopback unless another address is named"
    },
    "octavo-mcp": {
        "octavo_mcp.transports: socket": "listens where the user says, on loopback unless another address is named"
    },
    "octavo-pandoc": {"octavo_pandoc.program: subprocess": PROGRAM},
    "octavo-ray": {
        "octavo_ray.cluster: asyncio": "calls a function of the name `create_connection`, that of socket",
        "octavo_ray.cluster: socket": "tries the address of the cluster that the user names, before Ray does",
        "octavo_ray.supervisor: subprocess": "starts this Python for the work of a node",
    },
    "octavo-research": {
        "octavo_research.background_run: subprocess": "starts this Python for a run in the background",
    },
    "octavo-sandbox": {
        "octavo_sandbox.egress.connecting: socket": "the one way out",
        "octavo_sandbox.egress.connecting: ssl": "the one way out",
        "octavo_sandbox.egress.exchange: http.client": "the one way out: HTTP over a socket that was vetted",
        "octavo_sandbox.egress.exchange: ssl": "the type of a context",
        "octavo_sandbox.egress.fetching: ssl": "the type of a context",
        "octavo_sandbox.confine: socket": "looks whether a worker can still make a socket",
        "octavo_sandbox.forkserver: socket": PIPE,
        "octavo_sandbox.framing: socket": PIPE,
        "octavo_sandbox.channel: socket": PIPE,
        "octavo_sandbox.forkserver_client: socket": PIPE,
        "octavo_sandbox.spawn: socket": PIPE,
        "octavo_sandbox.worker_main: socket": PIPE,
        "octavo_sandbox.worker_requests: socket": PIPE,
        "octavo_sandbox.linux.landlock: ctypes": "system calls that take rights away",
        "octavo_sandbox.linux.libc: ctypes": "system calls that take rights away",
        "octavo_sandbox.linux.seccomp: ctypes": "system calls that take rights away",
        "octavo_sandbox.forkserver_client: subprocess": "starts workers",
        "octavo_sandbox.worker_process: subprocess": "starts workers",
        "octavo_sandbox.spawn: subprocess": "starts workers",
    },
    "octavo-tesseract": {"octavo_tesseract.program: subprocess": PROGRAM},
    "octavo-pdfium": {
        f"octavo_pdfium.{module}: ctypes": PDFIUM
        for module in ("document", "native", "page", "page_rules", "right_to_left", "visibility")
    },
}
"""Distribution → module of its own → why."""

TESTING = ("imports sockets for parts that are not used here", ("command_line",))
PARSER = ("its parser can load a document by URL: it is given bytes", ("engines", "command_line"))
ENGINE = ("downloads models where they are missing; runs in workers without network, from files alone", ("engines",))
ARRAYS = ("numpy.testing and its build tools import sockets", ("engines",))
BROWSER = ("opens a web browser by click.launch, which is not called", ("command_line",))
HANDED: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "octavo-cli": {
        "click": BROWSER,
        "pip": ("is looked for, to name the command that installs; it is not imported", ("command_line",)),
    },
    "octavo-conformance": {"click": TESTING, "hypothesis": TESTING, "jsonschema": TESTING},
    "octavo-contracts": {"av": ("FFmpeg knows URLs: it is given streams", ("engines",)), "numpy": ARRAYS},
    "octavo-digest": {
        "click": BROWSER,
        "openai": (
            "asks a language model, by the client of octavo_sandbox.egress.sdk_client",
            ("model_of_this_machine", "model_by_name", "model_elsewhere", "model_elsewhere_allowed"),
        ),
        "pydantic_ai": ("the same", ("model_of_this_machine", "model_that_redirects")),
    },
    "octavo-census": {"lxml": PARSER},
    "octavo-docling": {"lxml": PARSER, "docling": ENGINE},
    "octavo-faster-whisper": {"faster_whisper": ENGINE, "numpy": ARRAYS},
    "octavo-brief": {"click": BROWSER},
    "octavo-context": {"click": BROWSER},
    "octavo-fields": {"click": BROWSER},
    "octavo-dashboard": {
        "anyio": ("limits the threads that make pages", ("command_line",)),
        "click": BROWSER,
        "starlette": ("brings a test client: the application alone is made", ("command_line",)),
        "uvicorn": ("listens where the user says", ("command_line",)),
    },
    "octavo-mcp": {
        "click": BROWSER,
        "mcp": ("brings a client beside the server: the server alone is made", ("command_line",)),
        "starlette": ("brings a test client: the application alone is made", ("command_line",)),
        "uvicorn": ("listens where the user says", ("command_line",)),
    },
    "octavo-memory": {"click": BROWSER},
    "octavo-research": {"click": BROWSER},
    "octavo-retrieval": {"click": BROWSER},
    "octavo-gliner": {"gliner": ENGINE},
    "octavo-libreoffice": {"lxml": PARSER},
    "octavo-library": {
        "click": BROWSER,
        "obstore": ("the object store that the user names as the library's place, and no other", ("command_line",)),
        "opentelemetry": ("sends metrics to a collector that the user names, and to no other", ("command_line",)),
        "psutil": ("reads the state of sockets", ("command_line",)),
        "sqlalchemy": ("a database server that the user names as the index, and no other", ("command_line",)),
    },
    "octavo-liteparse": {
        "liteparse": ("asks a server for recognition: that is switched off, and it is given bytes", ("engines",)),
    },
    "octavo-langchain": {
        "langchain_core": ("brings a client for tracing: its interfaces alone are used", ("command_line",)),
    },
    "octavo-llama-index": {
        "llama_index": ("brings clients for models: its interfaces alone are used", ("command_line",)),
    },
    "octavo-literal": {
        "anyio": ("runs the event loop", ("literal_model",)),
        "pydantic_ai": (
            "asks a model that the host made, with the client of egress",
            ("literal_model", "literal_nuextract"),
        ),
    },
    "octavo-markitdown": {"lxml": PARSER, "markitdown": ("fetches URLs: it is given streams", ("engines",))},
    "octavo-pandoc": {"lxml": PARSER},
    "octavo-pdf-inspector": {"pdf_inspector": ENGINE},
    "octavo-rapidocr": {"numpy": ARRAYS, "rapidocr": ENGINE},
    "octavo-ray": {
        "click": BROWSER,
        "ray": ("connects to the cluster that the user names, and to no other", ("command_line",)),
    },
    "octavo-sandbox": {"psutil": ("reads the state of sockets", ("command_line",))},
    "octavo-spacy": {"spacy": ENGINE},
    "octavo-trafilatura": {"lxml": PARSER, "trafilatura": ("fetches URLs: it is given text", ("engines",))},
    "octavo-vectors": {
        "lancedb": ("knows cloud stores by URL: it is given a folder", ("command_line",)),
        "numpy": ARRAYS,
        "onnxruntime": ("runs a model from a file", ("command_line",)),
        "pyarrow": ("knows cloud stores by URL: it is given arrays", ("command_line",)),
        "tokenizers": ("downloads tokenizers by name: it is given a file's text", ("command_line",)),
    },
    "octavo-whisper": {"whisper": ENGINE, "torch": ENGINE},
    "octavo-xberg": {"xberg": ("fetches URLs: it is given bytes", ("engines",))},
}
"""Distribution → package of others → why, and the ways out by which it is tried."""

ALL = distributions()


@pytest.mark.parametrize("distribution", ALL, ids=lambda one: one.name)
def test_what_could_connect_by_itself_is_listed(distribution: Distribution) -> None:
    assert own_openers(distribution) == set(OWN.get(distribution.name, {}))


@pytest.mark.slow
@pytest.mark.parametrize("distribution", ALL, ids=lambda one: one.name)
def test_what_could_connect_of_others_is_listed_and_tried(distribution: Distribution) -> None:
    listed = HANDED.get(distribution.name, {})
    found = handed_to(distribution)

    assert found <= set(listed), "give it nothing that it could send, and list it with the reason"
    # What is listed and was not found is not installed here, or brings no client in this version.
    assert {name for name in set(listed) - found if find_spec(name)} <= {"onnxruntime", "pyarrow", "torch"}
    assert {way for _, ways in listed.values() for way in ways} <= set(WAYS)


def test_the_list_is_about_distributions_that_are_here() -> None:
    assert set(OWN) | set(HANDED) <= {one.name for one in ALL}
    assert len(ALL) >= 26


def test_a_new_way_out_is_found(tmp_path: Path) -> None:
    """In a function, by a name put together from parts of a package, and by a program."""
    package = tmp_path / "octavo_new"
    package.mkdir()
    (package / "a.py").write_text("def f():\n    from urllib import request\n", encoding="utf-8")
    (package / "b.py").write_text("import importlib\nimportlib.import_module('socket')\n", encoding="utf-8")
    (package / "c.py").write_text("import os\nos.system('curl')\n", encoding="utf-8")
    (package / "d.py").write_text(
        "import asyncio\nasync def f():\n    await asyncio.open_connection()\n", encoding="utf-8"
    )
    (package / "e.py").write_text("import requests\n", encoding="utf-8")

    found = own_openers(Distribution("octavo-new", tmp_path))

    assert found == {
        "octavo_new.a: urllib.request",
        "octavo_new.b: socket",
        "octavo_new.c: os",
        "octavo_new.d: asyncio",
    }
    assert handed_to(Distribution("octavo-new", tmp_path)) == ({"requests"} if find_spec("requests") else set())
