"""The modules beside this file are helpers of its tests, not of a package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
