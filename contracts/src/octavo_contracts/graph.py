"""The graph of a document: its node, the nodes linked with it, and the edges between them (ENG-26)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from ._model import Model

NODE_TYPE = "world_entity"
"""The type of every node; `GraphNode.entity_type` says which kind of entity it is."""


class GraphNode(Model):
    """A node: a document, a corpus, or an entity that was observed in a document."""

    node_id: str = Field(min_length=1, description="Id; equal in all graphs that have the node.")
    node_type: Literal["world_entity"] = Field(default="world_entity", description="The type of every node.")
    entity_type: str = Field(
        min_length=1, description="'document', 'corpus', or the kind of an observed entity such as 'person'."
    )
    name: str = Field(description="Title or name as the policy context knows it; may be empty.")
    properties: dict[str, JsonValue] = Field(default_factory=dict, description="Further facts of the node.")


class GraphEdge(Model):
    """A directed edge between two nodes."""

    source: str = Field(min_length=1, description="Node id.")
    target: str = Field(min_length=1, description="Node id; may be that of another document, which has its own graph.")
    relation: str = Field(
        min_length=1,
        description="'appears_in', 'member_of', 'attached_to', 'revises' or 'related_to'; hosts may add relations.",
    )
    properties: dict[str, JsonValue] = Field(default_factory=dict, description="Further facts of the edge.")


class DocumentGraph(Model):
    """Everything that one policy context knows of a document, as nodes and edges."""

    document_id: str = Field(min_length=1, description="The document.")
    context: str = Field(min_length=1, description="The policy context that knows it, as canonical JSON (STO-5).")
    nodes: tuple[GraphNode, ...] = Field(description="Nodes; the document's own node is the first one.")
    edges: tuple[GraphEdge, ...] = Field(default=(), description="Edges from or to the document's node.")
