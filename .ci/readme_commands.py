"""Print the commands of README's first two `sh` blocks, one a line."""

import re
import sys
from pathlib import Path

blocks = re.findall(r"^```sh\n(.+?)\n```$", Path(sys.argv[1]).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
if len(blocks) < 2 or any("\n" in block for block in blocks[:2]):
    raise SystemExit("README needs two sh blocks of one line each: the main job, and the tests")
print("\n".join(blocks[:2]))
