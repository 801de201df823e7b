"""`Preparation`: chooses the tier of one document for one message, then the longest form that fits the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from octavo.settings.context import ContextSettings
from octavo_contracts import OctavoError, UsageError

from .blocks import OF_PROVIDER, FileBlock, TextBlock
from .context_block import BlockMetadata, CacheUse, DocumentContextBlock, Notice, unique_notices
from .conversation_view import ConversationView, sent_hash
from .drafts import Draft, DraftMaker
from .errors import BudgetTooSmall, NoContext
from .file_blocks import MOST_IMAGES, image_block, page_images, pdf_block
from .layouts import Piece
from .material import Material, UnderWay
from .models import ModelCapabilities
from .notices import (
    document_notices,
    doubt_notices,
    model_switch_notices,
    notice_of,
    unknown_model_notices,
)
from .page_references import NamedPlaces, check_pages, named_places
from .provider_files import ProviderFiles
from .relevance import relevant_pages, relevant_passages
from .tiers import ConversationTraits, DocumentTraits, Tier, TierChoice, select_tier

_HALF = 0.5


@dataclass(frozen=True, kw_only=True)
class PrepareOptions:
    """The caller's options for one document.

    Attributes:
        force_tier: tier that overrides the rules.
        specific_pages: pages to send, from 1.
        budget: most tokens of the block.
        adds_relevant: whether Tier 3 adds relevant pages if the message names none.
        documents: number of documents in the conversation, with new ones; None: those sent so far and this one.
    """

    force_tier: Tier | None = None
    specific_pages: Sequence[int] | None = None
    budget: int | None = None
    adds_relevant: bool = True
    documents: int | None = None

    def __post_init__(self) -> None:
        if self.force_tier not in (None, 1, 2, 3):
            raise UsageError(f"there is no tier {self.force_tier}", remedy="Give 1, 2 or 3")
        if self.budget is not None and self.budget < 0:
            raise UsageError(
                f"a token budget cannot be negative, got {self.budget}", remedy="Give a number of 1 or more"
            )


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """The preparation of one document for one message of a conversation.

    Attributes:
        material: the document.
        model_name: name of the model as given by the caller.
        model: capabilities of the model.
        is_known_model: whether the registry has the model.
        message: the user's message.
        view: current state of the conversation.
        options: the caller's options.
        settings: the host's context settings.
        under_way: the running conversion of the document, or None.
        files: uploads at providers.
        may_upload: whether this preparation may upload files.
    """

    material: Material
    model_name: str
    model: ModelCapabilities
    is_known_model: bool
    message: str
    view: ConversationView
    options: PrepareOptions
    settings: ContextSettings
    under_way: UnderWay | None
    files: ProviderFiles
    may_upload: bool = False

    @cached_property
    def maker(self) -> DraftMaker:
        """Builds the drafts of the document."""
        return DraftMaker(self.material, self.model)

    # -- input of the tier rules ----------------------------------------------------------------------------------

    @cached_property
    def named(self) -> NamedPlaces:
        """Pages and sections of the document that the message names."""
        return named_places(self.message, self.material.pages, is_paged=self.material.is_paged)

    @cached_property
    def asked_pages(self) -> tuple[int, ...]:
        """The pages requested by the caller.

        Raises:
            UsageError: a page does not exist.
        """
        if self.options.specific_pages is None:
            return ()
        return check_pages(self.options.specific_pages, page_count=len(self.material.pages), source=self.material.title)

    @cached_property
    def choice(self) -> TierChoice:
        """The tier chosen by the rules or by the caller.

        Raises:
            UsageError: a requested page does not exist.
            NoContext: the document has no text, and the model cannot read the file.
        """
        chosen = self._forced() or select_tier(
            self._traits, self._conversation, self.model, targeted_above=self.settings.targeted_above
        )
        if chosen.tier == 1 and not self._can_send_file and self.material.has_text:
            return TierChoice(tier=2, caches=self.model.caches, reason="the model is not given the file")
        if chosen.tier == 1 and not self._can_send_file:
            found = self.material.document.why_empty
            why = found.message if found is not None else "it has no text"
            raise NoContext(
                f"{self.model_name} can be given nothing of it: {why}",
                source=self.material.title,
                remedy="Recognise its pages with `octavo ocr`, or use a model that reads the file",
            )
        return chosen

    @property
    def _traits(self) -> DocumentTraits:
        material = self.material
        said = material.summary if material.has_text else None
        return DocumentTraits(
            is_native=material.kind in ("pdf", "image"),
            is_image=material.kind == "image",
            page_count=material.page_count,
            visual_importance=material.visual_importance,
            is_indexed=material.is_indexed,
            has_index=said is not None and said.index is not None,
            has_text=material.has_text,
            has_summary=said is not None,
            is_partly_recognised=material.is_partly_recognised,
        )

    @property
    def _conversation(self) -> ConversationTraits:
        state = self.view.states.get(self.material.document.id)
        was_sent = state is not None and state.first_sent_at is not None
        documents = self.options.documents or self.view.sent + (not was_sent)
        return ConversationTraits(
            was_sent=was_sent,
            warm_tier=state.tier if state is not None and self._is_warm else None,
            names_pages=self.named.any,
            documents=documents,
            is_escalated=state is not None and state.is_escalated,
        )

    @cached_property
    def _is_warm(self) -> bool:
        """Whether the prompt cache of this model holds the content that would be sent now."""
        state = self.view.states.get(self.material.document.id)
        if state is None or not self.view.in_time(state) or self.view.last_model != self.model_name:
            return False
        return state.model == self.model_name and state.cache_content_hash == sent_hash(self.material, state)

    def _forced(self) -> TierChoice | None:
        """The tier that the caller's options imply; None if the rules decide."""
        tier = self.options.force_tier
        if self.asked_pages and tier is None:
            tier = 3
            if self.material.is_paged and len(self.asked_pages) > _HALF * len(self.material.pages):
                return TierChoice(tier=2, caches=self.model.caches, reason="more than half of its pages are asked for")
        if tier is None:
            return None
        state = self.view.states.get(self.material.document.id)
        warm = self._is_warm and state is not None and state.tier == tier
        return TierChoice(
            tier=tier, caches=self.model.caches and tier != 3, is_warm=warm, reason="the caller asks for it"
        )

    @cached_property
    def _can_send_file(self) -> bool:
        """Whether the file or its page images can be sent to the model."""
        kind, model = self.material.kind, self.model
        if kind == "image":
            return model.vision
        if kind != "pdf":
            return False
        fits = self.material.page_count <= model.max_pdf_pages
        return (model.native_pdf and fits and not self._is_too_large) or self._sends_images

    @property
    def _is_too_large(self) -> bool:
        limit, size = self.model.max_pdf_bytes, self.material.file_size
        return bool(limit) and size * 4 / 3 > limit and self._file_id is None

    @property
    def _sends_images(self) -> bool:
        """Whether to send pages as images (003 §6.3): the layout matters, or there is no text."""
        material = self.material
        matters = material.visual_importance == "high" or not material.has_text
        return material.kind == "pdf" and self.model.vision and not self.model.native_pdf and matters

    # -- drafts ----------------------------------------------------------------------------------------------

    @cached_property
    def draft(self) -> Draft:
        """The draft of the chosen tier, regardless of the budget.

        Raises:
            UsageError: as `choice`.
            NoContext: as `choice`.
        """
        match self.choice.tier:
            case 1 if self._sends_images:
                pages = self._image_pages
                document, title = self.material.document, self.material.title
                return self.maker.images(pages, lambda: page_images(document, pages, name=title))
            case 1:
                return self.maker.native(self._file)
            case 2:
                return self.maker.whole()
        return self.maker.targeted(self.pieces)

    @property
    def _image_pages(self) -> tuple[int, ...]:
        wanted = self.asked_pages or self.named.pages
        count = self.material.page_count
        return tuple(wanted or range(1, count + 1))[:MOST_IMAGES]

    @cached_property
    def pieces(self) -> list[Piece]:
        """Tier 3 pieces, most relevant first: requested, named and retrieved pages, else those relevant to the message."""
        material = self.material
        state = self.view.states.get(material.document.id)
        retrieved = state.retrieved_pages if state is not None else ()
        if not material.is_paged:
            adds = self.options.adds_relevant and material.has_text
            return self.maker.pieces((), relevant_passages(material, self.message) if adds else ())
        wanted = self.asked_pages or self.named.pages
        if not wanted and self.options.adds_relevant and material.has_text:
            wanted = relevant_pages(material, self.message)
        return self.maker.pieces(tuple(dict.fromkeys((*wanted, *retrieved))), ())

    def fitting(self, budget: int | None) -> Draft:
        """The longest draft that fits into the token budget.

        Raises:
            BudgetTooSmall: no draft fits.
        """
        limit = self.model.window if budget is None else min(budget, self.model.window)
        if self.draft.tokens <= limit:
            return self.draft
        shortest = self.draft
        for form in self.maker.shorter_than(self.draft, self.pieces, budget=limit):
            if form.tokens <= limit:
                return form
            shortest = form
        what = (
            f"a budget of {limit} tokens" if budget is not None else f"the window of {self.model_name}, {limit} tokens,"
        )
        raise BudgetTooSmall(
            f"{what} holds nothing of it",
            source=self.material.title,
            remedy=f"Give at least {shortest.tokens} tokens",
        )

    def ladder(self) -> list[Draft]:
        """The chosen draft and the shorter ones, in order of decreasing tokens."""
        return [self.draft, *self.maker.shorter_than(self.draft, self.pieces)]

    def caches(self, draft: Draft) -> bool:
        """Whether a draft gets a prompt-cache breakpoint."""
        return draft.tier != 3 and self.model.caches and draft.tokens >= self.model.min_cache_tokens

    def finish(self, draft: Draft) -> DocumentContextBlock:
        """Build the blocks of a draft. If the original cannot be read, the text is sent instead.

        Raises:
            OctavoError: the original cannot be read, and the document has no text.
        """
        notices = list(self._notices(draft))
        reason = self.choice.reason if draft is self.draft else "a longer form does not fit into the budget"
        try:
            blocks = draft.make()
        except OctavoError as error:
            if draft.tier != 1 or not self.material.has_text:
                raise
            why = f"the original cannot be read, so its text is sent: {error.message}"
            notices.append(notice_of(self.material, "original_missing", why))
            draft, reason = self.fitting_text(draft.tokens), "the original cannot be read"
            blocks = draft.make()
        cache = self._cache_use(draft)
        if cache != "none":
            last = blocks[-1]
            blocks = (*blocks[:-1], _marked(last))
        return DocumentContextBlock(
            tier=draft.tier,
            blocks=blocks,
            shape=OF_PROVIDER[self.model.provider],
            token_estimate=draft.tokens,
            prompt_cached=cache != "none",
            cache=cache,
            model=self.model_name,
            naive_tokens=self.maker.naive_tokens,
            content_hash=draft.content_hash(self.material),
            reason=reason,
            estimated_cost=self.model.cost(draft.tokens, cache=cache),
            metadata=BlockMetadata(
                document_id=self.material.document.id,
                title=self.material.title,
                page_count=self.material.page_count,
                pages_included=draft.pages,
                extraction_method=draft.method,
                quality_flags=self.material.flags,
            ),
            notices=unique_notices((*draft.notices, *notices)),
        )

    def fitting_text(self, budget: int) -> Draft:
        """The longest text draft that fits into the budget, or the shortest one."""
        forms = list(self.maker.shorter_than(self.draft, self.pieces, budget=budget))
        return next((form for form in forms if form.tokens <= budget), forms[-1])

    def _cache_use(self, draft: Draft) -> CacheUse:
        if not self.caches(draft):
            return "none"
        state = self.view.states.get(self.material.document.id)
        warm = self._is_warm and state is not None and state.tier == draft.tier
        return "read" if warm else "write"

    def _file(self) -> FileBlock:
        document, title = self.material.document, self.material.title
        if self.material.kind == "image":
            return image_block(document, name=title)
        if self.may_upload and self.model.provider is not None:
            self.files.keep(document, self.model.provider)
        file_id = self._file_id
        if file_id is not None:
            return FileBlock(media_type="application/pdf", name=title, file_id=file_id)
        return pdf_block(document, name=title)

    @property
    def _file_id(self) -> str | None:
        if self.model.provider is None:
            return None
        return self.files.valid_id(self.material.document, self.model.provider)

    # -- notices --------------------------------------------------------------------------------------------

    def _notices(self, draft: Draft) -> list[Notice]:
        """Notices about the draft, the document and the conversation."""
        known, switches = self.is_known_model, self.settings.switch_notices
        found = unknown_model_notices(self.model_name) if not known else []
        found += model_switch_notices(self.view, self.model_name, self.model, self.draft.tokens) if switches else []
        found += document_notices(self.material, self.view, self.named, self.under_way)
        if self.choice.tier != 1:
            found += doubt_notices(self.material)
        if self.material.kind == "pdf" and not self._can_send_file and known:
            text = f"{self.model_name} does not receive the file; its text is sent"
            found.append(notice_of(self.material, "text_only", text))
        if draft is not self.draft:
            left = f"{self.draft.tokens:,} tokens of {self.draft.form} do not fit into the budget; sent: {draft.form}"
            found.append(notice_of(self.material, "stepped_down", left))
        return found


def _marked(block: TextBlock | FileBlock) -> TextBlock | FileBlock:
    return (
        TextBlock(text=block.text, cache=True)
        if isinstance(block, TextBlock)
        else FileBlock(media_type=block.media_type, name=block.name, data=block.data, file_id=block.file_id, cache=True)
    )
