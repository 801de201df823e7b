"""A copy of a PDF with an invisible text layer (OCR-4)."""
