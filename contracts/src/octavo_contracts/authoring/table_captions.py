"""How the caption of a table begins: with its name and its number, such as *Table 1*, *Tableau IV* or *Panel A*."""

from __future__ import annotations

from typing import Final

CAPTION_NAME: Final = r"(?:table|tab\.|tabelle|tableau|tabla|tabela|tabella|exhibit|schedule|panel)"
"""Pattern of the name, in seven languages; compile it with `re.IGNORECASE`."""

CAPTION_NUMBER: Final = r"(?:\d|[ivxlc]+\b|[a-z]\b)"
"""Pattern of how the number begins: a digit, or a roman number or a letter that ends there; compile it with `re.IGNORECASE`."""
