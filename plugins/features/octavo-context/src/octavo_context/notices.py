"""Notices for the user about documents sent to a model (CTX-4, CTX-7, CTX-13)."""

from __future__ import annotations

from .context_block import Notice, NoticeKind
from .conversation_view import ConversationView, sent_hash
from .header_text import page_list
from .material import Material, UnderWay
from .models import ModelCapabilities
from .page_references import NamedPlaces


def notice_of(material: Material, kind: NoticeKind, message: str) -> Notice:
    """Create a notice that names its document."""
    return Notice(kind=kind, message=f"{material.title}: {message}", document_id=material.document.id)


def unknown_model_notices(model_name: str) -> list[Notice]:
    """Notice for a model that is not in the registry."""
    message = f"{model_name} is not in the model registry: documents are sent as text, and costs are unknown"
    return [Notice(kind="unknown_model", message=message)]


def model_switch_notices(
    view: ConversationView, model_name: str, model: ModelCapabilities, tokens: int
) -> list[Notice]:
    """Notice for a switch of models while prompt caches of the previous model are warm; else empty (CTX-4).

    Args:
        view: the conversation.
        model_name: name of the new model.
        model: capabilities of the new model.
        tokens: tokens of this send.
    """
    last = view.last_model
    warm = sum(view.in_time(state) for state in view.states.values())
    if last is None or last == model_name or not warm:
        return []
    written, read = model.cost(tokens, cache="write"), model.cost(tokens, cache="read")
    added = written - read if written is not None and read is not None else None
    cost = f"${added:.4f}" if added is not None else "unknown"
    message = (
        f"Switching from {last} to {model_name}: {warm} document {'cache' if warm == 1 else 'caches'} will be re-built. "
        f"Estimated added cost: {cost}"
    )
    return [Notice(kind="model_switch", message=message, estimated_cost=added)]


def document_notices(
    material: Material, view: ConversationView, named: NamedPlaces, under_way: UnderWay | None
) -> list[Notice]:
    """Notices for a document that was or is being converted again, or lacks pages that the message names.

    Args:
        material: the document.
        view: the conversation.
        named: pages and sections named by the message.
        under_way: the running conversion, or None.
    """
    found: list[Notice] = []
    state = view.states.get(material.document.id)
    if state is not None and view.in_time(state) and state.cache_content_hash != sent_hash(material, state):
        text = "it was converted again after the last send; its prompt cache is cold"
        found.append(notice_of(material, "content_changed", text))
    if under_way is not None:
        found.append(
            notice_of(material, "being_converted", "it is being converted again; the previous version is sent")
        )
    if named.beyond:
        text = f"the message names pages {page_list(named.beyond)}, and it has {len(material.pages)}"
        found.append(notice_of(material, "pages_beyond", text))
    return found


def doubt_notices(material: Material) -> list[Notice]:
    """Notice for pages with low OCR confidence (CTX-13)."""
    if not material.doubtful_pages:
        return []
    text = f"the text of pages {page_list(material.doubtful_pages)} was recognised with low confidence"
    return [notice_of(material, "low_confidence", text)]
