"""Web pages as documents: fetched politely through the egress module and stored unchanged (CNV-14, DIG-27)."""
