"""Writes copies of PDFs with an invisible text layer (OCR-4)."""
