"""`ContextManager`: prepares documents for messages and records what each conversation was sent (CTX-6)."""

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
from octavo_library.ingestion.use_events import ContextSent
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

    The manager only reads documents; but the unread scanned pages of one are recognised before it is prepared, unless the
    settings say otherwise (OCR-7). The only other write is conversation state, by `record_document_send`.
    Thread-safe; several processes may work on one conversation.

    Args:
        library: the library.
        corpus: the calling corpus; documents of other policy contexts are invisible to it (STO-5).
        policy: the calling policy context, instead of a corpus. With neither, the caller is the library's owner.
        registry: model capabilities; by default the shipped registry plus the file named by the setting `context.models`.
        summaries: source of summaries; by default `brief_summary`, which calls no model.
        files: uploads files to providers; None: upload nothing, but use recorded uploads.
        clock: returns the current time, timezone-aware; for tests.

    Raises:
        UsageError: the corpus is unknown, both a corpus and a policy are given, or the model file cannot be read.
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
        """The model registry."""
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
        """Prepare a document as content blocks for one message.

        Args:
            document: the document, or what `Library.document` takes.
            conversation: id of the conversation, chosen by the caller.
            model: name of the model. An unknown model is sent text.
            message: the user's message; pages and sections that it names are sent.
            force_tier: tier that overrides the rules, as far as model and budget allow.
            specific_pages: page numbers to send, from 1; more than half of the pages sends the whole text.
            max_token_budget: most tokens of the block; a notice reports a shorter form.

        Raises:
            UsageError: the document is unknown to the caller, or the page or tier does not exist.
            NotConverted: the first conversion is running, or it failed.
            NoContext: the document has no text, and the model cannot read the file.
            BudgetTooSmall: not even the shortest form fits into the budget.
            StorageError: a newer Octavo version wrote the conversation state.
            LibraryDamaged: files of the conversion version are missing or altered.
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
        """Record, in one transaction, that a document was sent.

        Args:
            document: the document.
            conversation: the conversation.
            tier: tier of the send.
            token_count: tokens sent; the provider's count if it reported one.
            prompt_cached: whether the provider's prompt cache holds the content now.
            block: the block sent; by default the last block that this manager prepared for the document and conversation.
                With neither, the model is unknown and the cache counts as cold.

        Raises:
            UsageError: the document is unknown to the caller, the tier does not exist, or `token_count` is negative.
            StorageError: a newer Octavo version wrote the state, or the library is not writable.
        """
        if tier not in (1, 2, 3) or token_count < 0:
            raise UsageError(
                f"tier must be 1, 2 or 3 and token_count at least 0, got tier {tier} and {token_count} tokens",
                remedy="Give a tier of 1 to 3",
            )
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
        cost = self._registry.get(sent.model).cost(token_count, cache=use) if sent is not None else None
        self._library.context.events.emit(
            ContextSent(document_id=found.id, tier=tier, tokens=token_count, saved=send.saved, cache=use, cost=cost)
        )
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
        """The state of a document in a conversation; None if it was not sent there.

        `prompt_cache_active` tells whether the provider's cache is still warm: it has not expired, and the document has not been
        converted again.

        Raises:
            UsageError: the document is unknown to the caller.
            StorageError: a newer Octavo version wrote the state.
        """
        found = self._document(document)
        return self.view(conversation).state_of(found, material=self.material(found))

    def estimate_cost(self, document: str | Document, model: str, tier: Tier | None = None) -> CostEstimate:
        """Estimate the cost of sending a document for the first time.

        Args:
            document: the document.
            model: the model's name.
            tier: tier of the send; by default chosen by the rules.

        Raises:
            UsageError: the document is unknown to the caller, or the tier does not exist.
            NotConverted: as `prepare_document_context`.
            NoContext: as `prepare_document_context`.
        """
        begun = self.begin(document, "", model, "", options=PrepareOptions(force_tier=tier))
        draft = begun.draft
        cost = begun.model.cost(draft.tokens, cache="write" if begun.caches(draft) else "none")
        return CostEstimate(tokens=draft.tokens, estimated_cost=cost, tier=draft.tier)

    # -- for functions of this package that prepare several documents ---------------------------------------

    @property
    def library(self) -> Library:
        """The library."""
        return self._library

    @property
    def policy(self) -> PolicyContext | None:
        """The caller's policy context; None: the library's owner."""
        return self._policy

    def view(self, conversation: str) -> ConversationView:
        """The current state of a conversation."""
        return ConversationView(
            self._library.context.index,
            _conversation_id(conversation),
            policy=self._policy,
            now=self._clock(),
            holds=timedelta(seconds=self._settings.context.cache_seconds),
        )

    def material(self, document: Document) -> Material:
        """The material of a document.

        Raises:
            NotConverted: the document has no converted version.
        """
        key = (document.id, document.active_version, document.title)
        with self._lock:
            kept = self._materials.get(key)
        # A type set by hand after the last send changes the tier, so it is part of the cache key.
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
        """Do all of `prepare_document_context` except choosing the form that fits the budget.

        Raises:
            OctavoError: as `prepare_document_context`, except `BudgetTooSmall`.
        """
        found = self._document(document)
        found = self._library.recognition.before_sending(found)
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
        """Keep the prepared block for `record_document_send`."""
        with self._lock:
            key = (block.metadata.document_id, conversation)
            self._prepared[key] = block
            self._prepared.move_to_end(key)
            while len(self._prepared) > _MOST_PREPARED:
                self._prepared.popitem(last=False)

    def _document(self, ref: str | Document) -> Document:
        """The document as the caller sees it.

        Raises:
            UsageError: the document is unknown to the caller.
            NotConverted: its first conversion is running.
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
        raise UsageError(f"a conversation id must be printable text of at most {_LONGEST_ID} characters")
    return conversation


def _saved(sent: DocumentContextBlock | None, tokens: int, registry: ModelRegistry) -> int:
    """Tokens saved against sending the whole document; cached tokens count by their share of the price."""
    if sent is None:
        return 0
    share = registry.get(sent.model).read_share if sent.cache == "read" else 1.0
    return max(0, round(sent.naive_tokens - tokens * share))
