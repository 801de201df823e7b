"""Every way by which Octavo could go out, each as a small program for a namespace of its own; see `enclosure`.

A way returns `{"port": …}`: the ports of 127.0.0.1 that it was told to ask, and `"asked"`: what a server there was sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "plugins" / "engines" / "octavo-azure" / "tests")]

from octavo_conformance.loopback import Asked, Reply, serving  # noqa: E402 - after the path that tests share
from octavo_digest import digest_document  # noqa: E402 - after the path that tests share

TEXT = "The harbour master wrote that the surge measured 12 centimetres on day 3. " * 40
PAGE = "<html><head><title>Spring tides</title></head><body><article><h1>Spring tides</h1>{}</article></body></html>"
LINES = "".join(f"<p>On day {day} the water rose to {day % 5 + 2} metres, and the ferry left.</p>" for day in range(40))


@contextmanager
def server(answer: Callable[[Asked], Reply]) -> Iterator[tuple[int, list[str]]]:
    """A server of loopback, and everything that it was sent."""
    asked: list[str] = []

    def keep(one: Asked) -> Reply:
        asked.append(f"{one.method} {one.path} {dict(one.headers)} {one.body.decode('utf-8', 'replace')}")
        return answer(one)

    with serving(keep) as port:
        yield port, asked


def _chat(content: str) -> Callable[[Asked], Reply]:
    def answer(asked: Asked) -> Reply:
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if tools := json.loads(asked.body).get("tools"):
            call = {"name": tools[0]["function"]["name"], "arguments": json.dumps({"response": []})}
            message |= {"content": None, "tool_calls": [{"id": "c", "type": "function", "function": call}]}
        body = {
            "id": "x", "object": "chat.completion", "created": 1, "model": "double",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }  # fmt: skip
        return Reply(body=json.dumps(body).encode(), headers={"Content-Type": "application/json"})

    return answer


DRAFT = json.dumps({"summary": "The surge was 12 cm.", "key_points": ["It was measured on day 3."]})


def model_of_this_machine(folder: Path) -> Any:
    """Text of a document goes to a language model on loopback, through `digest_document` (cloud off)."""
    from octavo_library import Library

    (folder / "log.txt").write_text(TEXT, encoding="utf-8")
    with server(_chat(DRAFT)) as (port, asked), Library.open(folder / "library") as library:
        result = library.ingest(folder / "log.txt")
        done = digest_document(
            library, result.document_id, query="surge", llm_model="double", llm_base_url=f"http://127.0.0.1:{port}/v1"
        )
        assert done.payload is not None, done
        return {"port": [port], "asked": asked, "summary": done.payload.summary}


def model_by_name(folder: Path) -> Any:
    """The same, where the address says localhost."""
    from octavo_digest import LlmSettings, LlmSummariser

    with server(_chat(DRAFT)) as (port, asked):
        made = LlmSummariser(LlmSettings(model="double", base_url=f"http://localhost:{port}/v1"))
        return {"port": [port], "asked": asked, "summary": made.summarise(TEXT, query="surge").text}


def model_elsewhere(folder: Path) -> Any:
    """A model that is not on this machine, with cloud off: refused before anything is looked up."""
    from octavo_digest import LlmSettings, LlmSummariser

    LlmSummariser(LlmSettings(model="m", base_url="http://models.example.org/v1"))
    return {"port": [], "asked": []}


def model_elsewhere_allowed(folder: Path) -> Any:
    """The same with cloud on and a key: its name is looked up, and the proxy is not asked."""
    import os

    from octavo_digest import LlmSettings, LlmSummariser

    os.environ["OPENAI_API_KEY"] = "key"
    away = LlmSettings(model="m", base_url="https://models.example.org/v1", api_key_env="OPENAI_API_KEY")
    made = LlmSummariser(away, cloud=True)
    return made.summarise(TEXT, query="surge").text


def model_that_redirects(folder: Path) -> Any:
    """A local model that sends its clients elsewhere: not followed."""
    from octavo_digest import LlmSettings, LlmSummariser

    with server(lambda asked: Reply(status=307, headers={"Location": "http://198.51.100.9/v1/chat"})) as (port, _):
        return LlmSummariser(LlmSettings(model="m", base_url=f"http://127.0.0.1:{port}/v1")).summarise(TEXT)


def _hosts_model(port: int) -> Any:
    from octavo_sandbox.egress import sdk_client
    from openai import DefaultAsyncHttpxClient
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    url = f"http://127.0.0.1:{port}/v1"
    client = sdk_client(url, like=DefaultAsyncHttpxClient)
    return OpenAIChatModel("double", provider=OpenAIProvider(base_url=url, api_key="none", http_client=client))


SCHEMA = {"type": "object", "properties": {"surge": {"type": "string"}}}


def literal_model(folder: Path) -> Any:
    """Fields by a language model of the host's, which the host made with the core's client."""
    from octavo_literal.llm import ModelExtractor

    with server(_chat("")) as (port, asked):
        ModelExtractor(_hosts_model(port)).extract(TEXT, SCHEMA)
        return {"port": [port], "asked": asked}


def literal_nuextract(folder: Path) -> Any:
    """The same by NuExtract."""
    from octavo_literal.nuextract import NuExtractor

    with server(_chat(json.dumps({"surge": "12 centimetres"}))) as (port, asked):
        NuExtractor(_hosts_model(port)).extract(TEXT, SCHEMA)
        return {"port": [port], "asked": asked}


def _web(port: int, **more: Any) -> Any:
    from octavo.settings.settings import Settings
    from octavo.settings.web import WebSettings

    known: dict[str, Any] = {"enabled": True, "private": (f"127.0.0.1:{port}",), "delay_seconds": 0.0}
    return Settings(workers=1, web=WebSettings(**{**known, **more}))


def _site(asked: Asked) -> Reply:
    if asked.path == "/robots.txt":
        return Reply(status=404)
    if asked.method == "POST":
        found = {"rawHtml": PAGE.format(LINES), "metadata": {"url": json.loads(asked.body)["url"], "statusCode": 200}}
        return Reply(body=json.dumps({"success": True, "data": found}).encode())
    return Reply(body=PAGE.format(LINES).encode(), headers={"Content-Type": "text/html; charset=utf-8"})


def web_page(folder: Path) -> Any:
    """`octavo ingest http://…` of a site of one's own."""
    from octavo_library import Library

    with server(_site) as (port, asked), Library.open(folder / "library", settings=_web(port)) as library:
        result = library.ingest(f"http://127.0.0.1:{port}/tides")
        return {"port": [port], "asked": asked, "status": result.result.ingestion_status}


def web_off(folder: Path) -> Any:
    """A page while the network is off."""
    from octavo_library import Library

    with Library.open(folder / "library") as library:
        result = library.ingest("http://harbour.example.org/tides")
        return {"port": [], "asked": [], "status": result.result.ingestion_status}


def crawler(folder: Path) -> Any:
    """A page that Firecrawl renders, on loopback."""
    from octavo_library import Library

    with server(_site) as (port, asked):
        settings = _web(port, crawler=f"http://127.0.0.1:{port}", crawl_always=("127.0.0.1",))
        with Library.open(folder / "library", settings=settings) as library:
            result = library.ingest(f"http://127.0.0.1:{port}/tides")
        return {"port": [port], "asked": asked, "status": result.result.ingestion_status}


def _scan(folder: Path) -> Path:
    from PIL import Image

    path = folder / "scan.png"
    Image.new("L", (850, 1100), 255).save(path, dpi=(100, 100))
    return path


def _recognised(folder: Path, *, cloud: bool) -> Any:
    from azure_double import KEY
    from azure_double import serving as azure_serving
    from octavo.settings.ocr import OcrOptions, OcrSettings
    from octavo.settings.settings import Settings
    from octavo_library import Library
    from octavo_library.facade.corpora import CorpusSettings
    from octavo_library.facade.recognition.on_request import recognise_document

    with azure_serving() as azure:
        ocr = OcrSettings(cloud=cloud, service=azure.url, service_key=KEY, dpi=100, engines=("azure",))
        with Library.open(folder / "library", settings=Settings(workers=1, ocr=ocr)) as library:
            library.corpora.create("open", settings=CorpusSettings(visibility="cloud_allowed", cloud=True))
            result = library.ingest(_scan(folder), corpus="open")
            if not cloud:
                recognise_document(library.document(result.document_id), OcrOptions(engine="azure"))
        return {"port": [azure.port] if cloud else [], "asked": [str(one.path) for one in azure.asked]}


def recogniser(folder: Path) -> Any:
    """Azure's recogniser, allowed, at a double on loopback."""
    return _recognised(folder, cloud=True)


def recogniser_off(folder: Path) -> Any:
    """The same with cloud off."""
    return _recognised(folder, cloud=False)


def research_pages(folder: Path) -> Any:
    """What octavo-digest fetches for a research run: a page and a PDF file."""
    from octavo_digest import DigestConfig, Source
    from octavo_digest.gathering import gather
    from octavo_sandbox.egress import own_fetcher, parse_target

    sample = (ROOT / "docs" / "samples" / "annual-report.pdf").read_bytes()

    def answer(asked: Asked) -> Reply:
        kind = "application/pdf" if asked.path.endswith(".pdf") else "text/html"
        return Reply(
            body=sample if kind.endswith("pdf") else PAGE.format(LINES).encode(), headers={"Content-Type": kind}
        )

    with server(answer) as (port, asked):
        urls = [f"http://127.0.0.1:{port}/a", f"http://127.0.0.1:{port}/b.pdf"]
        way = own_fetcher(parse_target(urls[0], ports={port}))
        got = asyncio.run(gather([Source(url=url) for url in urls], DigestConfig(fetch_pdfs=True), fetcher=way))
        return {"port": [port], "asked": asked, "sizes": [one.source.size for one in got]}


def research_off(folder: Path) -> Any:
    """The same without a way out."""
    from octavo_digest import DigestConfig, Source
    from octavo_digest.gathering import gather

    sources = [Source(url="http://a.example.org/x"), Source(url="https://b.example.org/y.pdf")]
    got = asyncio.run(gather(sources, DigestConfig(fetch_pdfs=True)))
    return {"port": [], "asked": [], "warnings": [one.warnings for one in got]}


def command_line(folder: Path) -> Any:
    """Every command that works on documents, over the samples; nothing is told to go out."""
    import os

    from octavo_cli import main

    os.chdir(folder)
    samples = ROOT / "docs" / "samples"
    codes: dict[str, int] = {}
    for line in (
        "doctor", "plugins", "settings", f"ingest {samples} --library lib", "list --library lib",
        "search surge --library lib", f"convert {samples / 'harbour-seals.html'}", f"ocr {samples / 'logbook-scan.pdf'}",
        "ocr --needed --library lib", f"digest {samples / 'visitors-book.txt'} --query tide", "runs --library lib",
        "entities list --library lib", "corpus list --library lib", "verify-store --library lib", "check-paths --library lib",
        f"brief {samples / 'annual-report.pdf'} --library lib", "vectors build --library lib",
    ):  # fmt: skip
        codes[line.split()[0]] = int(main(line.split()) or 0)
    return {"port": [], "asked": [], "codes": codes}


REMOTE = "http://198.51.100.20/x.png"


def _hostile(folder: Path) -> list[Path]:
    """Documents that refer to places elsewhere, in the formats that can."""
    page = folder / "refers.html"
    page.write_text(
        f"<!DOCTYPE html><html><head><base href='http://198.51.100.20/'><title>T</title><link rel=stylesheet href='/s.css'>"
        f"<meta http-equiv=refresh content='0;url={REMOTE}'></head><body><h1>T</h1><img src='{REMOTE}'>"
        f"<iframe src='{REMOTE}'></iframe><object data='{REMOTE}'></object>{LINES}</body></html>",
        encoding="utf-8",
    )
    note = folder / "refers.md"
    note.write_text(f"# T\n\n![x]({REMOTE})\n\n[y]: {REMOTE}\n\nText of the note.\n", encoding="utf-8")
    xml = folder / "refers.xml"
    xml.write_text(
        f'<?xml version="1.0"?><?xml-stylesheet href="{REMOTE}"?><a xmlns:xi="http://www.w3.org/2001/XInclude">'
        f'<xi:include href="{REMOTE}" parse="text"/>text</a>',
        encoding="utf-8",
    )
    tex = folder / "refers.tex"
    tex.write_text(rf"\documentclass{{article}}\begin{{document}}\includegraphics{{{REMOTE}}} Text.\end{{document}}")
    rst = folder / "refers.rst"
    rst.write_text(f"T\n=\n\n.. image:: {REMOTE}\n\n.. csv-table::\n   :url: {REMOTE}\n\nText.\n", encoding="utf-8")
    return [page, note, xml, tex, rst]


def engines(folder: Path) -> Any:
    """Every installed converter on every sample and on documents that refer to other places, in the host's own process.

    A worker has no network where the system can deny it (seccomp). Here nothing is denied: the engine has to stay in itself.
    """
    import time
    from importlib.metadata import entry_points

    from octavo.formats import sniff
    from octavo_contracts import ConvertRequest, FileSource, HookContext

    samples = (ROOT / "docs" / "samples").iterdir()
    paths = [*sorted(path for path in samples if path.is_file()), *_hostile(folder)]
    done: dict[str, int] = {}
    for entry in entry_points(group="octavo"):
        convert = getattr(entry.load(), "convert", None)
        for path in paths if convert is not None else ():
            media_type = sniff(path.read_bytes()[:65_536], name=path.name).media_type
            work = folder / f"{entry.name}-{path.name}"
            work.mkdir()
            context = HookContext(work_dir=work, deadline=time.monotonic() + 60)
            known = {"source": FileSource(path, media_type=media_type, work_dir=work), "context": context}
            known["request"] = ConvertRequest(media_type=media_type)
            asked = {name: known[name] for name in inspect.signature(convert).parameters}
            # Most engines take few of the formats: what they make of the others does not matter here.
            with contextlib.suppress(Exception):
                convert(**asked)
                done[entry.name] = done.get(entry.name, 0) + 1
    return {"port": [], "asked": [], "done": done}


WAYS: dict[str, Callable[[Path], Any]] = {
    way.__name__: way
    for way in (
        model_of_this_machine,
        model_by_name,
        model_elsewhere,
        model_elsewhere_allowed,
        model_that_redirects,
        literal_model,
        literal_nuextract,
        web_page,
        web_off,
        crawler,
        recogniser,
        recogniser_off,
        research_pages,
        research_off,
        command_line,
        engines,
    )
}
