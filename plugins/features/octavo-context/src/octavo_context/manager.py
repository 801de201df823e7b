"""`ContextManager`: what each document becomes for a message, and what of it the conversation has seen (CTX-6)."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.facade.document import Document
from octavo_library.facade.lookup import asker_of
from octavo_library.facade.runs import DocumentJob
from octavo_library.facade.runs.document_jobs import jobs_about
from octavo_library.storage import ConversationDocumentState, DocumentSend, PolicyContext

from .context_block import CostEstimate, DocumentContextBlock
from .conversation_view import ConversationView
from .errors import NotConverted
from .material import Material, UnderWay
from .models import ModelRegistry
from .preparation import Preparation, PrepareOptions
from .provider_files import ProviderFiles
from .summaries import DocumentSummary, SummarySource, brief_summary
from .tiers import Tier

logger = logging.getLogger("octavo.context")

_MOST_SUMMARIES: Final = 256
_MOST_MATERIALS: Final = 32
_MOST_PREPARED: Final = 10_000
_LONGEST_ID: Final = 200


class ContextManager:
    """Prepares documents of a library for language models.

    It reads documents and writes none: the state of conversations alone is written, by `record_document_send`.
    Thread-safe; several processes may work on one conversation.

    Args:
        library: the library.
        corpus: the corpus that asks: what came in under another policy than its own is not there for it (STO-5).
        policy: the policy context that asks, in place of a corpus. With neither, the library's owner asks.
        registry: what models can do; by default the shipped registry with the file of the setting `context.models`.
        summaries: gives summaries; by default `brief_summary`, which asks no model.
        files: uploads files to providers; None: nothing is uploaded, and uploads that are recorded are used.
        clock: gives the time, aware; for tests.

    Raises:
        UsageError: no such corpus, both a corpus and a policy, or a file of models that cannot be read.
    """

    def __init__(
        self,
        library: Library,
        *,
        corpus: str | None = None,
        policy: PolicyContext | None = None,
        registry: ModelRegistry | None = None,
        summaries: SummarySource = brief_summary,
        files: ProviderFiles | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._library = library
        self._corpus = corpus
        _, self._policy = asker_of(library.context, corpus, policy)
        self._settings = library.context.runtime.settings
        self._registry = registry or ModelRegistry(self._settings.context.models)
        self._summaries = summaries
        self._files = files
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, int | None], DocumentSummary | None] = OrderedDict()
        self._materials: OrderedDict[tuple[str, int | None, str | None], Material] = OrderedDict()
        self._prepared: OrderedDict[tuple[str, str], DocumentContextBlock] = OrderedDict()

    @property
    def registry(self) -> ModelRegistry:
        """What models can do."""
        return self._registry

    def prepare_document_context(
        self,
        document: str | Document,
        conversation: str,
        model: str,
        message: str,
        *,
        force_tier: Tier | None = None,
        specific_pages: Sequence[int] | None = None,
        max_token_budget: int | None = None,
    ) -> DocumentContextBlock:
        """A document as content blocks for one message.

        Args:
            document: the document, or what `Library.document` takes.
            conversation: the conversation's id, of the caller's choice.
            model: the model's name. One that the registry does not know is given text.
            message: what the user asks: pages and sections that it names are chosen by it.
            force_tier: this tier instead of the one that the rules give, as far as model and budget allow.
            specific_pages: send these pages, from 1; more than half of the document, and its whole text is sent.
            max_token_budget: the block has no more tokens than this: a shorter form is sent, and the notices say so.

        Raises:
            UsageError: no such document for the asker; or a page or tier that there is not.
            NotConverted: it is being converted for the first time, or could not be converted.
            NoContext: it has no text, and the model does not read the file.
            BudgetTooSmall: nothing of it fits in the budget.
            StorageError: a newer Octavo wrote the state of the conversation.
            LibraryDamaged: files of its version are missing or altered.
        """
        options = PrepareOptions(force_tier=force_tier, specific_pages=specific_pages, budget=max_token_budget)
        prepared = self.begin(document, conversation, model, message, options=options)
        block = prepared.finish(prepared.fitting(max_token_budget))
        self.remember(conversation, block)
        return block

    async def aprepare_document_context(
        self,
        document: str | Document,
        conversation: str,
        model: str,
        message: str,
        *,
        force_tier: Tier | None = None,
        specific_pages: Sequence[int] | None = None,
        max_token_budget: int | None = None,
    ) -> DocumentContextBlock:
        """As `prepare_document_context`, without blocking the event loop."""
        return await asyncio.to_thread(
            self.prepare_document_context,
            document,
            conversation,
            model,
            message,
            force_tier=force_tier,
            specific_pages=specific_pages,
            max_token_budget=max_token_budget,
        )

    def record_document_send(
        self,
        document: str | Document,
        conversation: str,
        tier: Tier,
        token_count: int,
        prompt_cached: bool,
        *,
        block: DocumentContextBlock | None = None,
    ) -> None:
        """Record that a document was sent; one transaction.

        Args:
            document: the document.
            conversation: the conversation.
            tier: as it was sent.
            token_count: tokens that were sent, as the provider counted them where it did.
            prompt_cached: whether the provider's prompt cache holds the content now.
            block: what was sent; by default what this object prepared last for the document and the conversation. Without
                either, the model is not known, and the cache counts as cold.

        Raises:
            UsageError: no such document for the asker, no such tier, or fewer than no tokens.
            StorageError: a newer Octavo wrote the state, or the library cannot be written.
        """
        if tier not in (1, 2, 3) or token_count < 0:
            raise UsageError(f"tier {tier} with {token_count} tokens is no send", remedy="Give a tier of 1 to 3")
        found = self._document(document)
        with self._lock:
            kept = self._prepared.get((found.id, conversation))
        sent = block if block is not None else kept
        is_held = sent is not None and prompt_cached and sent.tier == tier
        send = DocumentSend(
            document_id=found.id,
            conversation_id=_conversation_id(conversation),
            tier=tier,
            tokens=token_count,
            saved=_saved(sent, token_count, self._registry),
            model=sent.model if sent is not None else None,
            cache_content_hash=sent.content_hash if sent is not None and is_held else None,
        )
        self._library.context.index.conversations.record_send(send, policy=self._policy)
        use = sent.cache if sent is not None else "none"
        logger.info("context.sent tier=%d tokens=%d cache=%s saved=%d", tier, token_count, use, send.saved)

    async def arecord_document_send(
        self,
        document: str | Document,
        conversation: str,
        tier: Tier,
        token_count: int,
        prompt_cached: bool,
        *,
        block: DocumentContextBlock | None = None,
    ) -> None:
        """As `record_document_send`, without blocking the event loop."""
        await asyncio.to_thread(
            self.record_document_send, document, conversation, tier, token_count, prompt_cached, block=block
        )

    def get_document_state(self, document: str | Document, conversation: str) -> ConversationDocumentState | None:
        """The state of a document in a conversation; None where it is not part of it.

        `prompt_cache_active` is whether the provider's cache still holds it: the time since its last use counts, and whether
        the document has been converted again.

        Raises:
            UsageError: no such document for the asker.
            StorageError: a newer Octavo wrote the state.
        """
        found = self._document(document)
        return self.view(conversation).state_of(found, material=self.material(found))

    def estimate_cost(self, document: str | Document, model: str, tier: Tier | None = None) -> CostEstimate:
        """What sending a document for the first time would cost.

        Args:
            document: the document.
            model: the model's name.
            tier: of the send; by default the one that the rules give.

        Raises:
            UsageError: no such document for the asker, or no such tier.
            NotConverted: as `prepare_document_context`.
            NoContext: as `prepare_document_context`.
        """
        begun = self.begin(document, "", model, "", options=PrepareOptions(force_tier=tier))
        draft = begun.draft
        cost = begun.model.cost(draft.tokens, cache="write" if begun.caches(draft) else "none")
        return CostEstimate(tokens=draft.tokens, estimated_cost=cost, tier=draft.tier)

    # -- for the functions of this package that work on several documents ------------------------------------

    @property
    def library(self) -> Library:
        """The library."""
        return self._library

    @property
    def policy(self) -> PolicyContext | None:
        """Who asks; None: the library's owner."""
        return self._policy

    def view(self, conversation: str) -> ConversationView:
        """A conversation as it stands."""
        return ConversationView(
            self._library.context.index,
            _conversation_id(conversation),
            policy=self._policy,
            now=self._clock(),
            holds=timedelta(seconds=self._settings.context.cache_seconds),
        )

    def material(self, document: Document) -> Material:
        """A document's parts.

        Raises:
            NotConverted: it has no converted version.
        """
        key = (document.id, document.active_version, document.title)
        with self._lock:
            kept = self._materials.get(key)
        # A type that was set by hand since is another document to the rules.
        if kept is not None and kept.document_type == document.document_type:
            return kept
        made = Material(document, summaries=self._summary, doubtful_below=self._settings.ocr.doubtful_below)
        with self._lock:
            self._materials[key] = made
            while len(self._materials) > _MOST_MATERIALS:
                self._materials.popitem(last=False)
        return made

    def begin(
        self, document: str | Document, conversation: str, model: str, message: str, *, options: PrepareOptions
    ) -> Preparation:
        """Everything of `prepare_document_context` but the last choice of a form.

        Raises:
            OctavoError: as `prepare_document_context`, but for the budget.
        """
        found = self._document(document)
        return Preparation(
            material=self.material(found),
            model_name=model,
            model=self._registry.get(model),
            is_known_model=self._registry.knows(model),
            message=message,
            view=self.view(conversation),
            options=options,
            settings=self._settings.context,
            under_way=UnderWay.of(self._jobs(found.id)),
            files=self._files or ProviderFiles(self._library, policy=self._policy),
            may_upload=self._files is not None,
        )

    def remember(self, conversation: str, block: DocumentContextBlock) -> None:
        """Keep what was prepared, for `record_document_send`."""
        with self._lock:
            key = (block.metadata.document_id, conversation)
            self._prepared[key] = block
            self._prepared.move_to_end(key)
            while len(self._prepared) > _MOST_PREPARED:
                self._prepared.popitem(last=False)

    def _document(self, ref: str | Document) -> Document:
        """The document as the asker sees it.

        Raises:
            UsageError: there is none.
            NotConverted: its first conversion is under way.
        """
        name = ref if isinstance(ref, str) else ref.id
        try:
            return self._library.document(name, policy=self._policy)
        except UsageError:
            under_way = UnderWay.of(self._jobs(name))
            if under_way is None:
                raise
            raise NotConverted(
                f"it is being converted since {under_way.begun_at}", source=name, remedy="Ask again once it is done"
            ) from None

    def _jobs(self, ref: str) -> list[DocumentJob]:
        try:
            return jobs_about(self._library.context.index, ref, policy=self._policy)
        except UsageError:
            return []

    def _summary(self, document: Document) -> DocumentSummary | None:
        key = (document.id, document.active_version)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        made = self._summaries(document)
        with self._lock:
            self._known[key] = made
            while len(self._known) > _MOST_SUMMARIES:
                self._known.popitem(last=False)
        return made


def _conversation_id(conversation: str) -> str:
    if len(conversation) > _LONGEST_ID or not conversation.isprintable():
        raise UsageError(f"a conversation's id is a printable text of at most {_LONGEST_ID} characters")
    return conversation


def _saved(sent: DocumentContextBlock | None, tokens: int, registry: ModelRegistry) -> int:
    """Tokens that sending the whole document would have taken besides; what is read from a cache counts by its price."""
    if sent is None:
        return 0
    share = registry.get(sent.model).read_share if sent.cache == "read" else 1.0
    return max(0, round(sent.naive_tokens - tokens * share))
