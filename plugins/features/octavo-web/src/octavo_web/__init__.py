"""Documents from the web: fetched through the one way out, politely, and kept as they came (CNV-14, DIG-27)."""
