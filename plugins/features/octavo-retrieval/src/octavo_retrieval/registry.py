"""Registry entries: how a tool is described to routers, agents and hosts (RET-6, RET-13, seed 003 §8, §9.7)."""

from __future__ import annotations

from typing import Final, Literal

from octavo_contracts import Model
from pydantic import Field


class ClientExposure(Model):
    """Which clients a binding is offered to."""

    elnor_native: bool = Field(description="The host's own agents.")
    mcp_external: bool = Field(description="Other assistants, over MCP.")
    q_ui: bool = Field(description="Controls of the user interface.")


class InvocationBinding(Model):
    """How an action is called by one transport."""

    transport: str = Field(description="native_openclaw_tool or mcp.")
    binding_name: str = Field(description="Name of the tool.")
    readiness: Literal["ready", "planned"] = Field(description="Whether it can be called.")
    client_exposure: ClientExposure = Field(description="Who is offered it.")
    schema_version: int = Field(ge=1, description="Version of the binding's schemas.")


class ActionRegistryEntry(Model):
    """One action."""

    action_id: str = Field(description="Id of the action.")
    domain: str = Field(description="Domain of the action.")
    display_name: str = Field(description="Display name.")
    user_goal: str = Field(description="Purpose, from the user's view.")
    description: str = Field(description="What it does.")
    stability_class: Literal["stable_action", "experimental_action"] = Field(description="Stability of the interface.")
    agent_invocable: bool = Field(description="Whether an agent may call the action without being asked.")
    invocation_bindings: tuple[InvocationBinding, ...] = Field(description="How it is called.")
    confirmation_policy: Literal["none", "ask"] = Field(description="Whether the user is asked first.")
    safety_class: Literal["read", "write"] = Field(description="Whether the action changes user data.")
    aliases: tuple[str, ...] = Field(description="Other names.")
    common_phrases: tuple[str, ...] = Field(description="Phrases by which users ask for the action.")
    codegen_source: str = Field(description="Origin of the entry.")
    schema_version: int = Field(ge=1, description="Version of the entry.")


def entry(
    action_id: str,
    binding_name: str,
    *,
    display_name: str,
    goal: str,
    description: str,
    aliases: tuple[str, ...],
    phrases: tuple[str, ...],
    q_ui: bool = False,
) -> ActionRegistryEntry:
    """Create the entry of a read-only action, offered to the host's agents and over MCP.

    The seed marks its bindings as internal (`mcp_external` false). The second binding is Octavo's own; a server
    offers it if the user starts one.

    Args:
        action_id: id of the action; the part before the first dot is the domain.
        binding_name: name of the tool.
        display_name: display name.
        goal: purpose, from the user's view.
        description: description for the model.
        aliases: other names.
        phrases: phrases by which users ask for the action.
        q_ui: whether the user interface offers it.
    """
    native = ClientExposure(elnor_native=True, mcp_external=False, q_ui=q_ui)
    outside = ClientExposure(elnor_native=False, mcp_external=True, q_ui=False)
    bindings = (("native_openclaw_tool", native), ("mcp", outside))
    return ActionRegistryEntry(
        action_id=action_id,
        domain="memory_processing" if action_id.startswith("memory.") else "document_processing",
        display_name=display_name,
        user_goal=goal,
        description=description,
        stability_class="stable_action",
        agent_invocable=True,
        invocation_bindings=tuple(
            InvocationBinding(
                transport=transport,
                binding_name=binding_name,
                readiness="ready",
                client_exposure=exposure,
                schema_version=1,
            )
            for transport, exposure in bindings
        ),
        confirmation_policy="none",
        safety_class="read",
        aliases=aliases,
        common_phrases=phrases,
        codegen_source="companion_registration",
        schema_version=1,
    )


ENTRIES: Final = {
    "retrieve_document_pages": entry(
        "document.retrieve_pages",
        "retrieve_document_pages",
        display_name="Retrieve Document Pages",
        goal="Get specific pages or sections from a document already in context",
        description="When a document was sent as a summary (Tier 3), retrieve the full text of specific pages or sections "
        "for deeper analysis. Returns extracted text or markdown for the requested range.",
        aliases=("get pages", "show page", "read section", "pull excerpt"),
        phrases=("show me page 47", "what does section 3 say", "read the conclusion"),
    ),
    "retrieve_full_document": entry(
        "document.retrieve_full",
        "retrieve_full_document",
        display_name="Retrieve Full Document",
        goal="Retrieve the complete text of a document",
        description="Returns the full converted markdown for a document. Use when the document is small enough to read in "
        "full or when broad context is needed.",
        aliases=("read full document", "show full text", "give me everything"),
        phrases=("show me the whole document", "read the full memo", "what's the entire filing say"),
    ),
    "retrieve_memory_source": entry(
        "memory.retrieve_source",
        "retrieve_memory_source",
        display_name="Retrieve Memory Source",
        goal="Re-read the source passage a memory was extracted from",
        description="Given a memory_id, resolves to the source document and span and returns the relevant pages. Use when "
        "verifying a memory or needing source language.",
        aliases=("verify memory", "go to source", "re-read source"),
        phrases=("re-read the source for that", "verify this memory", "show me where that came from"),
    ),
    "search_documents": entry(
        "document.search",
        "search_documents",
        display_name="Search Documents",
        goal="Find passages across the documents in scope",
        description="Finds passages that discuss something, best first, each with its document, page and locator. Use it "
        "to learn which document and pages to read; then read them with retrieve_document_pages.",
        aliases=("find in documents", "search the library", "find chunks"),
        phrases=("which document mentions this", "find what we have on that", "search for the clause"),
    ),
    "list_documents": entry(
        "document.list",
        "list_documents",
        display_name="List Documents",
        goal="See which documents are in scope",
        description="Lists the documents in scope with their ids and titles, by the time they came in. Use "
        "search_documents to find documents by what they say.",
        aliases=("show documents", "what documents are there"),
        phrases=("what is in the library", "list my documents"),
    ),
    "convert_to_markdown": entry(
        "document.convert_to_markdown",
        "convert_to_markdown",
        display_name="Convert to Markdown",
        goal="Convert a document of the library to markdown",
        description="Converts a document of the library that has no content yet, or converts it again. The original and "
        "earlier versions stay as they are.",
        aliases=("convert document", "reconvert", "extract markdown"),
        phrases=("convert this document", "convert it again"),
    ),
    "ocr_document": entry(
        "q.document.ocr",
        "ocr_document",
        display_name="Document OCR",
        goal="Extract text from scanned/image-based document pages",
        description="Run OCR on scanned PDF pages. Returns extracted text. Automatically detects scanned pages and uses the "
        "best available OCR method.",
        aliases=("OCR", "scan text", "extract text from image"),
        phrases=("OCR this document", "make this PDF searchable", "extract text from this scan"),
        q_ui=True,
    ),
}
"""Tool → entry. Ids, names and texts of the seed's tools are copied from the seed."""
