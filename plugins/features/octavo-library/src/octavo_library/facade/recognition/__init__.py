"""OCR on request: of one document, of many, and in the background (OCR-6)."""
