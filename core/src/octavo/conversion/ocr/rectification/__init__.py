"""Rectifies the picture of a page for recognition: evens out shadows, straightens skewed and curled lines.

Recognisers lose a third of the words of a page that lies four degrees askew, and a fifth of those that lie in a shadow or on
a page that curls at the spine of a book. What they read from the rectified picture is mapped back to the page as it is displayed.
"""

from .page import rectify
from .placement import Curl, Rectification

__all__ = ["Curl", "Rectification", "rectify"]
