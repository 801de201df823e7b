"""One plugin's hook at a time, in a worker: whatever it does is a typed error with its name."""

import pytest
from octavo.documents.source import Source
from octavo.plugins import HookCall
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import (
    ContractViolation,
    Conversion,
    ConverterCrashed,
    ConvertRequest,
    EntityObservation,
    EntityRequest,
    PolicyRefused,
    RetryableToolFailure,
    SourceCorrupt,
    ToolUnavailable,
    UsageError,
)
from octavo_sandbox import SandboxLimits

HEAD = "import os, ctypes\nfrom octavo_contracts import *\n@hookimpl\ndef convert(source, request, context):\n    "


def call(runtime, name, *, wall=20.0):
    attempts = []
    request = ConvertRequest(media_type="text/plain")
    with Source.from_bytes(b"hello", name="a.txt") as source:
        try:
            answer = runtime.dispatcher.call(
                HookCall(
                    plugin=runtime.catalogue.get(name),
                    hook="convert",
                    arguments={"request": request},
                    because="the test says so",
                    limits=SandboxLimits(wall_seconds=wall),
                ),
                Conversion,
                source=source.handle(media_type="text/plain"),
                attempts=attempts,
            )
        except Exception as error:
            error.attempts = attempts
            raise
    return answer, attempts


def test_a_good_call_gives_the_model_and_one_attempt(make_plugin, good_plugin, runtime):
    make_plugin("alpha", good_plugin)
    conversion, attempts = call(runtime, "alpha")
    assert conversion.pages[0].markdown == "hello"
    (attempt,) = attempts
    assert (attempt.plugin, attempt.plugin_version, attempt.outcome) == ("alpha", "1.2", "ok")
    assert attempt.chosen_because == "the test says so"
    assert attempt.duration_ms > 0


@pytest.mark.parametrize(
    ("code", "error", "words"),
    [
        ("raise SystemError", ToolUnavailable, "cannot be imported: SystemError"),
        ("import no_such_engine", ToolUnavailable, "cannot be imported: ModuleNotFoundError"),
        (HEAD.replace("request, context", "request, extra"), ContractViolation, "does not match its specification"),
        (
            "from octavo_contracts import *\n@hookimpl\ndef convert(source, *args): pass",
            ContractViolation,
            "plain function",
        ),
        ("def convert(source): pass", ContractViolation, "names the hooks ['convert']; the module implements []"),
        (HEAD + "return {'pages': []}", ContractViolation, "returned a dict; expected Conversion"),
        (HEAD + "return None", ContractViolation, "returned None; expected Conversion"),
        (HEAD + "raise ValueError('odd')", ConverterCrashed, "ValueError"),
        (HEAD + "raise SourceCorrupt('no end', page=3)", SourceCorrupt, "no end"),
    ],
)
def test_what_a_plugin_does_wrong_is_a_typed_error_with_its_name(make_plugin, runtime, code, error, words):
    make_plugin(
        "bad", code if "pass" in code or "return" in code or "raise" in code or "import no" in code else code + "pass"
    )
    with pytest.raises(error) as caught:
        call(runtime, "bad")
    assert words in str(caught.value)
    assert caught.value.plugin == "bad"
    assert caught.value.attempts[-1].outcome == "failed"


def test_a_crash_names_the_plugins_own_line(make_plugin, runtime):
    """An exception's message alone does not tell an author where to look."""
    make_plugin("alpha", HEAD + "return helper()\n\ndef helper():\n    return 1 / 0\n")
    with pytest.raises(ConverterCrashed, match=r"convert raised ZeroDivisionError: division by zero, at .*\.py line 8"):
        call(runtime, "alpha")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return Conversion(pages=())", r"allow: Conversion\.pages: Tuple should have at least 1 item.*line 5"),
        (
            "return Conversion(pages=(Page(number=0, markdown='', kind='wohle'),))",
            r"allow: Page\.number: .*\(and 1 more\)",
        ),
    ],
)
def test_a_model_that_the_contract_refuses_is_a_violation_and_no_crash(make_plugin, runtime, body, words):
    make_plugin("alpha", HEAD + body)
    with pytest.raises(ContractViolation, match=words):
        call(runtime, "alpha")


def test_a_typed_error_keeps_its_page(make_plugin, runtime):
    make_plugin("bad", HEAD + "raise SourceCorrupt('no end', page=3)")
    with pytest.raises(SourceCorrupt) as caught:
        call(runtime, "bad")
    assert caught.value.page == 3


def test_a_worker_that_dies_is_tried_once_more_and_then_final(make_plugin, runtime):
    """The death of a worker is the tool's failure until one document has killed a fresh worker twice (ENG-7)."""
    make_plugin("bad", HEAD + "ctypes.string_at(0)")
    with pytest.raises(RetryableToolFailure) as caught:
        call(runtime, "bad")
    assert [attempt.outcome for attempt in caught.value.attempts] == ["failed", "failed"]


def test_a_bad_plugin_leaves_its_neighbour_in_the_same_lane_working(make_plugin, good_plugin, runtime):
    make_plugin("alpha", good_plugin)
    make_plugin("bad", HEAD + "os._exit(3)")
    assert call(runtime, "alpha")[0] is not None
    with pytest.raises(RetryableToolFailure):
        call(runtime, "bad")
    assert call(runtime, "alpha")[0] is not None


def test_a_hook_that_the_plugin_does_not_have_is_refused(make_plugin, good_plugin, runtime):
    make_plugin("alpha", good_plugin)
    with pytest.raises(UsageError, match="does not implement the hook 'ocr'"):
        runtime.catalogue.get("alpha").require("ocr")


def test_check_says_what_is_wrong_or_nothing(make_plugin, good_plugin, runtime):
    make_plugin("alpha", good_plugin)
    make_plugin("bad", "import no_such_engine")
    assert runtime.dispatcher.check(runtime.catalogue.get("alpha")) is None
    assert isinstance(runtime.dispatcher.check(runtime.catalogue.get("bad")), ToolUnavailable)


def test_a_plugin_that_wants_the_network_is_refused_by_name_and_others_have_no_way_to_it(make_plugin, runtime):
    body = (
        HEAD + "return Conversion(pages=(Page(number=1, kind='whole', markdown=str(context.fetch)),), paginated=False)"
    )
    make_plugin("quiet", body)
    assert call(runtime, "quiet")[0].pages[0].markdown == "None"
    make_plugin("chatty", HEAD + "context.fetch.fetch('https://example.test/a?b')", more='capabilities = ["network"]')
    with Runtime(Settings(workers=1)) as other, pytest.raises(PolicyRefused) as caught:
        call(other, "chatty")
    assert "may not send requests to …" in str(caught.value)


TAGGER = """from octavo_contracts import *
@hookimpl
def extract_entities(text, request):
    return """


def tagged(runtime, text):
    attempts = []
    call = HookCall(
        plugin=runtime.catalogue.get("tagger"),
        hook="extract_entities",
        arguments={"text": text, "request": EntityRequest(labels=("person",))},
    )
    return runtime.dispatcher.call_list(call, EntityObservation, attempts=attempts), attempts


def test_a_hook_that_answers_with_a_list_gives_each_of_its_models(make_plugin, runtime):
    """Observations come back with their offsets in code points; none is an empty tuple (ENT-2)."""
    code = TAGGER + "tuple(EntityObservation(label='person', text='Ada', start=i, end=i + 3, confidence=0.9) "
    make_plugin("tagger", code + "for i in range(len(text)) if text[i:i + 3] == 'Ada')", hooks=["extract_entities"])
    found, attempts = tagged(runtime, "🚀 Ada met Ada")
    assert [(one.text, one.start, one.end) for one in found] == [("Ada", 2, 5), ("Ada", 10, 13)]
    assert [(attempt.hook, attempt.outcome) for attempt in attempts] == [("extract_entities", "ok")]
    assert tagged(runtime, "nobody")[0] == ()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("None", "returned None; expected a tuple of EntityObservation"),
        ("['Ada']", "returned a list; expected a tuple of EntityObservation"),
        (
            "(EntityObservation.model_construct(label='person', text='Ada', start=0, end=9, confidence=0.9, normalized=None),)",
            "returned a malformed tuple of EntityObservation: 0: ",
        ),
    ],
)
def test_a_list_that_is_not_of_the_model_is_a_violation(make_plugin, runtime, answer, words):
    make_plugin("tagger", TAGGER + answer, hooks=["extract_entities"])
    with pytest.raises(ContractViolation) as caught:
        tagged(runtime, "Ada")
    assert words in str(caught.value)
