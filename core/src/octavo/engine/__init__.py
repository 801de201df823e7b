"""The ingestion engine: when and where the steps of a document run, and what survives when it is cut short (ENG)."""

from .events import EngineEvent, EngineListener, EventHub
from .ingestor import Ingestor
from .leases import Heartbeat
from .requests import SURFACES, IngestRequest, Processed, reused

__all__ = [
    "SURFACES",
    "EngineEvent",
    "EngineListener",
    "EventHub",
    "Heartbeat",
    "IngestRequest",
    "Ingestor",
    "Processed",
    "reused",
]
