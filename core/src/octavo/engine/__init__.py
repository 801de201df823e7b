"""The ingestion engine: when and where the steps of a document run, and what survives when it is cut short (ENG)."""
