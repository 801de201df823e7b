"""Mutants of the reference services."""

from __future__ import annotations

from .model import Patch, PluginMutant


def _mutant(target: str, *code: Patch, variant: str = "a", manifest: tuple[Patch, ...] = ()) -> PluginMutant:
    return PluginMutant(target=target, base="steward", code=code, manifest=manifest, variant=variant)


_EMBEDDER = 'embedder = "octavo_{package}.plugin:make_embedder"\n'

SERVICES = (
    _mutant("OC-SVC-001", ("def score(self, query", "def rank(self, query")),
    _mutant("OC-SVC-001", ("    return WordEmbedder()", "    raise SystemExit(3)"), variant="b"),
    _mutant("OC-SVC-001", manifest=((_EMBEDDER, _EMBEDDER.replace("embedder =", "fetcher =")),), variant="c"),
    _mutant("OC-SVC-001", ("def make_vector_index(settings: Mapping[str, Any])", "def make_vector_index(folder: str)"), variant="d"),
    _mutant("OC-SVC-002", ("    return [len(wanted", '    try:\n            __import__("socket").socket().close()\n        except OSError:\n            pass\n        return [len(wanted')),
    _mutant("OC-SVC-002", ("    def _vector(self, text: str) -> list[float]:\n", '    def _vector(self, text: str) -> list[float]:\n        try:\n            open("/tmp/octavo-mutant", "w").close()\n        except OSError:\n            pass\n'), variant="b"),
    _mutant("OC-SVC-003", ("for chunk in chunks]", "for chunk in chunks[1:]]")),
    _mutant("OC-SVC-003", ("/ len(wanted) if wanted", "* 9 if wanted"), variant="b"),
    _mutant("OC-SVC-003", ("        return [len(wanted", '        return [float("nan")] * len(chunks) if chunks else [len(wanted'), variant="c"),
    _mutant("OC-SVC-003", ('name = "shares/v1"', "name = None"), variant="d"),
    _mutant("OC-SVC-004", ("        return [len(wanted", "        return [0.5 for _ in chunks] or [len(wanted")),
    _mutant("OC-SVC-004", ("        return [len(wanted", '        return [__import__("random").SystemRandom().random() for _ in chunks] or [len(wanted'), variant="b"),
    _mutant("OC-SVC-005", ("count / length for count", "count for count")),
    _mutant("OC-SVC-005", ("for text in texts]", "for text in texts[1:]]"), variant="b"),
    _mutant("OC-SVC-005", ('model_id = "counts/1"', 'model_id = ""'), variant="c"),
    _mutant("OC-SVC-006", ("[self._vector(text) for text in texts]", '[self._vector("the same") for text in texts]')),
    _mutant("OC-SVC-006", ("[self._vector(text) for text in texts]", '[self._vector(text + f" {len(texts)}" * 20) for text in texts]'), variant="b"),
    _mutant("OC-SVC-006", ("for word in words(text):", "for word in words(text)[:20]:"), variant="c"),
    _mutant("OC-SVC-014", ("[self._vector(text) for text in texts]", "[self._vector(text if len(texts) < 17 else text[:240]) for text in texts]")),
    _mutant("OC-SVC-015", ('json.dumps({"query": query})', 'json.dumps({"query": query, "before": BEFORE[-5:-1] if BEFORE.append(query) is None else []})'), ("class JsonSearch:", "BEFORE = []\n\n\nclass JsonSearch:")),
    _mutant("OC-SVC-015", ('f"{base_url}/search"', '"https://elsewhere.example/search"'), variant="b"),
    _mutant("OC-SVC-007", ("if among is None or key in among", "if among != []")),
    _mutant("OC-SVC-007", ("[:limit]", ""), variant="b"),
    _mutant("OC-SVC-007", ("-item[1]", "item[1]"), variant="c"),
    _mutant("OC-SVC-007", ("score=score) for key", 'score=float("inf")) for key'), variant="d"),
    _mutant("OC-SVC-008", ("            self._held.pop(key, None)\n", "            pass\n")),
    _mutant("OC-SVC-008", ("self._held.pop(key, None)", "self._held.pop(key)"), variant="b"),
    _mutant("OC-SVC-008", ("        self._held.update({key: list(vector) for key, vector in items.items()})\n        self._path.write_text(json.dumps(self._held))\n", "        self._held.update({key: list(vector) for key, vector in items.items()})\n"), ("            self._held.pop(key, None)\n        self._path.write_text(json.dumps(self._held))\n", "            self._held.pop(key, None)\n"), variant="c"),
    _mutant("OC-SVC-008", ("        self._held.update({key: list(vector) for key, vector in items.items()})", "        self._held = {**{key: list(vector) for key, vector in items.items()}, **self._held}"), variant="d"),
    _mutant("OC-SVC-016", ("        return DocumentGraph.read(graphs[context]) if context in graphs else None", "        return DocumentGraph.read(next(iter(graphs.values()))) if graphs else None")),
    _mutant("OC-SVC-016", ("by_context = {graph.context: graph.to_json() for graph in graphs}", 'by_context = {graph.context: graph.model_copy(update={"edges": ()}).to_json() for graph in graphs}'), variant="b"),
    _mutant("OC-SVC-016", ('{document_id: one["fingerprint"] for', "{document_id: document_id for"), variant="c"),
    _mutant("OC-SVC-016", ("        by_context = {", "        self._held.clear()\n        by_context = {"), variant="d"),
    _mutant("OC-SVC-017", ("        by_context = {graph.context: graph.to_json() for graph in graphs}\n", '        by_context = {**self._held.get(document_id, {}).get("graphs", {}), **{graph.context: graph.to_json() for graph in graphs}}\n')),
    _mutant("OC-SVC-017", ("            self._held.pop(document_id, None)\n", "            pass\n"), variant="b"),
    _mutant("OC-SVC-017", ("self._held.pop(document_id, None)", "self._held.pop(document_id)"), variant="c"),
    _mutant("OC-SVC-017", ('        self._held[document_id] = {"fingerprint": fingerprint, "graphs": by_context}\n        self._path.write_text(json.dumps(self._held))\n', '        self._held[document_id] = {"fingerprint": fingerprint, "graphs": by_context}\n'), ("            self._held.pop(document_id, None)\n        self._path.write_text(json.dumps(self._held))\n", "            self._held.pop(document_id, None)\n"), variant="d"),
    _mutant("OC-SVC-017", ("        self._held[document_id] = {", "        self._held[document_id] = self._held.get(document_id) or {"), variant="e"),
    _mutant("OC-SVC-009", ('status="digested"', 'status="banana"')),
    _mutant("OC-SVC-009", ("snippet = EvidenceSnippet(text=said", 'snippet = EvidenceSnippet(text=said.replace("e", "a")'), variant="b"),
    _mutant("OC-SVC-009", ("query_hash(query)", 'query_hash("another")'), variant="c"),
    _mutant("OC-SVC-009", ("hashlib.sha256(text.encode())", "hashlib.sha256(said.encode())"), variant="d"),
    _mutant("OC-SVC-009", ("        span = best_sentence(text, query)\n", '        raise ValueError("no sentence")\n        span = best_sentence(text, query)\n'), variant="e"),
    _mutant("OC-SVC-018", ("best_sentence(text, query)", "best_sentence(text[:3000], query)")),
    _mutant("OC-SVC-018", ("min(span.end, span.start + 500)]", "min(span.end, span.start + 500)].partition(\", unless\")[0]"), variant="b"),
    _mutant("OC-SVC-016", ('{"query": query}', '{"query": query.replace("not ", "")}')),
    _mutant("OC-SVC-017", ("[self._vector(text) for text in texts]", "[self._vector(text if len(texts) != 33 else text[:100]) for text in texts]")),
    _mutant("OC-SVC-019", ("for chunk in chunks]", "for chunk in (one[:300] for one in chunks)]")),
    _mutant("OC-SVC-010", ("min(span.end, max_chars)", "span.end")),
    _mutant("OC-SVC-010", ("spans=(span,)", "spans=(Span(start=0, end=10**6),)"), variant="b"),
    _mutant(
        "OC-SVC-010",
        ("Summary(text=text[span.start : span.end], spans=(span,))", 'Summary(text="It is of no use."[:max_chars], spans=())'),
        variant="d",
    ),
    _mutant("OC-SVC-010", ("spans=(span,)", "spans=(Span(start=span.start + 40, end=span.end + 40),)"), variant="c"),
    _mutant("OC-SVC-011", ("start=match.start(1), end=match.end(1)", "start=match.start(1) + 1, end=match.end(1) + 1")),
    _mutant("OC-SVC-011", ("                found[name] =", '                found[name + "s"] ='), variant="b"),
    _mutant("OC-SVC-011", ("confidence=0.9", "confidence=9.0"), variant="c"),
    _mutant("OC-SVC-011", ('        for name in schema["properties"]:\n', '        found = {name: ExtractedField(value="x", span=None, method="guess") for name in schema["properties"]}\n        for name in schema["properties"]:\n'), variant="d"),
    _mutant("OC-SVC-012", ('f"{base_url}/crawl"', '"https://elsewhere.example/crawl"')),
    _mutant("OC-SVC-012", ('f"{base_url}/crawl"', 'f"{base_url}/crawl?key={key}"'), variant="b"),
    _mutant("OC-SVC-012", ('        if not isinstance(told.get("html"), str):\n            raise ToolUnavailable("the service returned no page")\n', ""), variant="c"),
    _mutant("OC-SVC-012", ('        told = answer_of(fetcher, f"{base_url}/crawl", key=key, body=json.dumps({"url": url}).encode())\n', '        try:\n            told = answer_of(fetcher, f"{base_url}/crawl", key=key)\n        except Exception:\n            told = {"html": "<p>nothing</p>"}\n'), variant="d"),
    _mutant("OC-SVC-013", ('f"{base_url}/read"', '"https://elsewhere.example/read"')),
    _mutant("OC-SVC-013", ('            raise ToolUnavailable("the service returned no text")\n', '            raise ToolUnavailable(f"the service returned no text for {key}")\n'), variant="b"),
    _mutant("OC-SVC-013", ('        if not isinstance(told.get("text"), str):\n            raise ToolUnavailable("the service returned no text")\n', ""), variant="c"),
    _mutant("OC-SVC-013", ('        told = answer_of(fetcher, f"{base_url}/read", key=key, body=image.png)\n', '        told = {"text": "by heart"}\n'), variant="d"),
)  # fmt: skip
