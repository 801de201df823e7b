"""LibreOffice on this machine: where it is, which version, and one conversion by it.

Each conversion is a process of its own with a profile of its own in the work folder, so that nothing of the user's is read
and several run at once. See `launch` for how it is started.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

from octavo_contracts import ConversionTimeout, ConverterCrashed, SourceCorrupt, ToolUnavailable

from . import launch

PLUGIN = "libreoffice"
COMMAND = "soffice"
INSTALL = "Run: apt-get install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-math-nogui"

_RESTART = (79, 81)
"""Exit codes by which it asks to be started again, which it does once its new profile stands."""
_STARTS = 3
_VERSION = re.compile(r"^ProductKey=LibreOffice\S* (\S+)", re.MULTILINE)


def find_program() -> Path:
    """The program's path: the binary behind the command, which is one process where the command is a script of several.

    Raises:
        ToolUnavailable: it is not on the PATH.
    """
    found = shutil.which(COMMAND)
    if found is None:
        raise ToolUnavailable(f"the program {COMMAND!r} is not on the PATH", plugin=PLUGIN, remedy=INSTALL)
    binary = Path(found).resolve().with_name("soffice.bin")
    return binary if binary.is_file() else Path(found)


def version(program: Path) -> str:
    """Its version, such as '7.4'; 'unknown' where it does not say."""
    try:
        said = program.with_name("bootstraprc").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "unknown"
    found = _VERSION.search(said)
    return found.group(1) if found else "unknown"


def convert_file(program: Path, document: Path, *, target: str, seconds: float, work_dir: Path) -> Path:
    """Let it convert a document.

    Args:
        program: its path.
        document: the file, with the extension of its type.
        target: extension of the wanted type, without the dot: 'odt', 'odp' or 'ods'.
        seconds: it is killed after so many.
        work_dir: where its profile and its answer are written.

    Returns:
        The file it wrote.

    Raises:
        SourceCorrupt: it cannot read the document.
        ConversionTimeout: it was killed.
        ConverterCrashed: it died, or did not do what it is for.
    """
    profile, answers = work_dir / "profile", work_dir / "answer"
    _write_profile(profile)
    command = [
        *(sys.executable, "-I", launch.__file__, str(program), f"-env:UserInstallation={profile.as_uri()}"),
        *("--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck", "--nofirststartwizard"),
        *("--convert-to", target, "--outdir", str(answers), str(document)),
    ]
    end, code, said = time.monotonic() + seconds, _RESTART[0], b""
    for _ in range(_STARTS):
        code, said = _start(command, seconds=end - time.monotonic(), allowed=seconds, work_dir=work_dir)
        if code not in _RESTART:
            break
    words = " ".join(said.decode("utf-8", "replace").split())[-300:] or "it did not say why"
    if code:
        raise ConverterCrashed(f"LibreOffice ended with code {code}: {words}", plugin=PLUGIN)
    answer = answers / f"{document.stem}.{target}"
    if not answer.is_file():
        raise SourceCorrupt(f"LibreOffice cannot read it: {words}", plugin=PLUGIN)
    return answer


def _start(command: list[str], *, seconds: float, allowed: float, work_dir: Path) -> tuple[int, bytes]:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=max(0.1, seconds),
            cwd=work_dir,
            env=_environment(work_dir),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ConversionTimeout(f"LibreOffice took longer than {allowed:.0f} s", plugin=PLUGIN) from error
    return done.returncode, done.stderr


def _environment(work_dir: Path) -> dict[str, str]:
    # What distributions install for all users is looked up below /var, which a confined worker may not read.
    shared = (work_dir / "shared").as_uri()
    return {
        **os.environ,
        "HOME": str(work_dir),
        "TMPDIR": str(work_dir),
        "UNO_SHARED_PACKAGES_CACHE": shared,
        "OSL_SOCKET_PATH": ".",
    }


def _write_profile(profile: Path) -> None:
    """A profile that runs no macro and follows no link."""
    user = profile / "user"
    user.mkdir(parents=True)
    settings = resources.files(__package__).joinpath("registrymodifications.xcu").read_bytes()
    (user / "registrymodifications.xcu").write_bytes(settings)
