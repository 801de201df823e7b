"""Commands that ingest documents."""
