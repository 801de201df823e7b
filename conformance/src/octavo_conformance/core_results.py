"""The result that the core makes of a plugin's conversion of a vector, as a host's document."""

from __future__ import annotations

import json

from octavo.builtins.quality.assess import assess
from octavo.conversion.assembly import ConversionTrace, DocumentIdentity, build_report, build_result
from octavo.documents.ids import document_id_for
from octavo_contracts import Attempt, ContentHashes, Conversion, QualityEvidence, memory_ref
from octavo_text.version_texts import Refs, Texts

from .evidence import ResultEvidence, sha256_of
from .originals import vector_hash
from .vectors import GoldenVector


def result_evidence(plugin: str, vector: GoldenVector, conversion: Conversion, texts: Texts) -> ResultEvidence:
    """Build the result that a host gets for a vector, with its texts.

    Args:
        plugin: name of the plugin that converted it.
        vector: the vector.
        conversion: the plugin's answer, completed by the core.
        texts: its texts, joined by the core.
    """
    raw = vector_hash(vector)
    refs = Refs(
        original=memory_ref(raw),
        conversion=memory_ref(texts.canonical.sha256),
        markdown=memory_ref(sha256_of(texts.markdown)),
        canonical=memory_ref(texts.canonical.sha256),
    )
    called = Attempt(plugin=plugin, hook="convert", outcome="ok", duration_ms=0.0)
    result = build_result(
        texts,
        document=DocumentIdentity(
            document_id=document_id_for(raw),
            original_ref=refs.original,
            hashes=ContentHashes(raw_file_hash=raw),
        ),
        refs=refs,
        report=build_report(
            assess(conversion, QualityEvidence(media_type=vector.media_type)),
            source_ref=refs.original,
            conversion_ref=refs.conversion,
            tool=plugin,
            tool_reason="requested by the conformance suite",
        ),
        classification=None,
        metadata=conversion.metadata,
        trace=ConversionTrace(attempts=(called,)),
    )
    return ResultEvidence(data=json.loads(result.to_json()), canonical=texts.canonical.text, markdown=texts.markdown)
