"""`context.fetch`: the host sends a plugin's requests, if manifest, operator and the document's owners agree (CNV-15)."""

import logging
import time

import pytest
from octavo.documents.source import Source
from octavo.plugins import HookCall, PluginSelection
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_conformance.loopback import Reply, serving
from octavo_contracts import (
    AuthUnavailable,
    ContentTooLarge,
    Conversion,
    ConversionTimeout,
    ConvertRequest,
    PolicyRefused,
    ToolUnavailable,
)
from octavo_sandbox import SandboxLimits
from octavo_sandbox.egress.gate import CloudDecision, RecordedOwners
from octavo_sandbox.egress.policy import CloudRequest
from octavo_sandbox.worker_requests import MAX_REQUESTS

CONSENT = CloudRequest(user_enabled=True, source_outbound=True)
NETWORK = 'capabilities = ["network"]'
FETCHES = """\
from octavo_contracts import *

@hookimpl
def convert(source, context):
    answer = context.fetch.fetch({url!r}, {more})
    text = f"{{answer.status}} {{answer.media_type}} {{answer.body.decode()}} {{answer.headers.get('x-tide')}}"
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text),), paginated=False)
"""


@pytest.fixture
def convert(make_plugin):
    """Converts a text by a plugin that fetches a URL; gives its only page."""

    def run(url, more="", *, hosts=(), owners=(CONSENT,), wall=20.0, code=FETCHES, manifest=NETWORK):
        make_plugin("chatty", code.format(url=url, more=more), more=manifest)
        selection = PluginSelection(network={"chatty": tuple(hosts)} if hosts else {})
        with (
            Runtime(Settings(workers=1, plugins=selection)) as runtime,
            Source.from_bytes(b"hello", name="a.txt") as source,
        ):
            call = HookCall(
                plugin=runtime.catalogue.get("chatty"),
                hook="convert",
                arguments={"request": ConvertRequest(media_type="text/plain")},
                limits=SandboxLimits(wall_seconds=wall),
                owners=owners if callable(owners) or owners is None else lambda: owners,
            )
            handle = source.handle(media_type="text/plain")
            answer = runtime.dispatcher.call(call, Conversion, source=handle, attempts=[])
        return answer.pages[0].markdown

    return run


def test_a_request_with_leave_is_sent_by_the_host(convert):
    asked = []

    def answer(request):
        asked.append(request)
        return Reply(
            status=201, body=b"high water", headers={"Content-Type": "text/plain; charset=utf-8", "X-Tide": "in"}
        )

    with serving(answer) as port:
        url = f"http://127.0.0.1:{port}/tide?station=3"
        text = convert(url, "method='POST', body=b'now', headers={'X-Key': 'k'}", hosts=[f"127.0.0.1:{port}"])

    assert text == "201 text/plain high water in"
    (request,) = asked
    assert (request.method, request.path, request.body) == ("POST", "/tide?station=3", b"now")
    assert request.headers["x-key"] == "k"


@pytest.mark.parametrize(
    ("hosts", "owners"),
    [
        ([], (CONSENT,)),
        (["localhost:{port}"], (CONSENT,)),
        (["127.0.0.1:1"], (CONSENT,)),
        (["127.0.0.1:{port}"], None),
        (["127.0.0.1:{port}"], ()),
        (["127.0.0.1:{port}"], (CONSENT, CloudRequest(user_enabled=True, source_outbound=True, corpus_tags=["privileged"]))),
    ],
    ids=["no setting", "another host", "another port", "unknown owners", "no owner", "a privileged corpus"],
)  # fmt: skip
def test_a_request_without_leave_is_refused_and_not_sent(convert, hosts, owners):
    asked = []
    with serving(lambda request: asked.append(request) or Reply()) as port, pytest.raises(PolicyRefused) as caught:
        convert(f"http://127.0.0.1:{port}/", hosts=[host.format(port=port) for host in hosts], owners=owners)
    assert asked == []
    assert caught.value.plugin == "chatty"


def test_a_public_host_must_have_a_public_address(convert):
    with pytest.raises(PolicyRefused):
        convert("http://localhost/", hosts=["localhost"])


def test_a_plugin_without_the_capability_has_no_fetcher(convert):
    code = """\
from octavo_contracts import *

@hookimpl
def convert(source, context):
    return Conversion(pages=(Page(number=1, kind="whole", markdown=str(context.fetch)),), paginated=False)
"""
    assert convert("", hosts=["example.test"], code=code, manifest="") == "None"


def test_a_redirect_to_another_server_is_refused(convert):
    with serving(lambda request: Reply(body=b"secret")) as other:
        to_other = Reply(status=302, headers={"Location": f"http://127.0.0.1:{other}/"})
        with serving(lambda request: to_other) as port, pytest.raises(PolicyRefused):
            convert(f"http://127.0.0.1:{port}/", hosts=[f"127.0.0.1:{port}"])


@pytest.mark.parametrize(
    ("reply", "more", "error"),
    [
        (Reply(status=401), "", AuthUnavailable),
        (Reply(body=b"x" * 100), "max_bytes=99", ContentTooLarge),
        (Reply(body=b"x", headers={"Content-Encoding": "gzip"}), "", PolicyRefused),
        (Reply(body=b"x", headers={"Content-Length": "9"}), "timeout=5", ToolUnavailable),
    ],
    ids=["credentials", "too large", "encoded", "cut off"],
)
def test_a_failed_request_is_the_typed_error_of_the_fetcher(convert, reply, more, error):
    with serving(lambda request: reply) as port, pytest.raises(error):
        convert(f"http://127.0.0.1:{port}/", more, hosts=[f"127.0.0.1:{port}"])


def test_a_plugin_can_go_on_after_a_refusal(convert):
    code = """\
from octavo_contracts import *

@hookimpl
def convert(source, context):
    try:
        context.fetch.fetch({url!r})
    except PolicyRefused as error:
        text = error.reason
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text),), paginated=False)
"""
    assert convert("http://192.0.2.1/", code=code) == r"policy_refused"


def test_waiting_for_a_server_counts_against_the_deadline(convert):
    def slow(request):
        time.sleep(20)
        return Reply()

    with serving(slow) as port, pytest.raises(ConversionTimeout):
        convert(f"http://127.0.0.1:{port}/", hosts=[f"127.0.0.1:{port}"], wall=1.5)


def test_the_number_of_requests_in_a_call_is_limited(convert):
    code = """\
from octavo_contracts import *

@hookimpl
def convert(source, context):
    for _ in range(1000):
        context.fetch.fetch({url!r})
"""
    asked = []
    with serving(lambda request: asked.append(request) or Reply()) as port, pytest.raises(PolicyRefused):
        convert(f"http://127.0.0.1:{port}/", hosts=[f"127.0.0.1:{port}"], code=code)
    assert len(asked) == MAX_REQUESTS


def test_requests_and_refusals_are_told_to_the_audit_log_without_the_url(convert, caplog):
    code = """\
from octavo_contracts import *

@hookimpl
def convert(source, context):
    context.fetch.fetch({url!r})
    try:
        context.fetch.fetch("http://harbour-words.example.test/")
    except PolicyRefused:
        return Conversion(pages=(Page(number=1, kind="whole", markdown="refused"),), paginated=False)
"""
    told = []
    owners = RecordedOwners(ask=lambda: (CONSENT,), told=told.append)
    with serving(lambda request: Reply()) as port, caplog.at_level(logging.INFO, logger="octavo.egress"):
        entry = f"127.0.0.1:{port}"
        assert convert(f"http://{entry}/harbour-words", hosts=[entry], owners=owners, code=code) == "refused"
    assert told == [
        CloudDecision(allowed=True, service=f"plugin chatty at {entry}"),
        CloudDecision(allowed=False, service="plugin chatty", reason="the host is not in plugins.network"),
    ]
    assert [record.getMessage().partition(" ")[0] for record in caplog.records] == ["egress.allowed", "egress.refused"]
    assert "harbour-words" not in caplog.text
