"""The plugin that a user set for the documents of a corpus (CNV-1)."""

from __future__ import annotations

from ..storage import CorpusRecord, Index


def corpus_overrides(index: Index, corpus: CorpusRecord) -> tuple[tuple[str, str], ...]:
    """The plugin that a user set for a corpus, as `ConvertOptions.standing` takes it; empty without one."""
    plugin = index.corpora.get_override(corpus_id=corpus.corpus_id)
    return ((plugin, "its corpus"),) if plugin else ()
