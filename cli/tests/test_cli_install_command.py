"""Install commands fit how Octavo was installed: from a checkout, a wheelhouse, an index; with pip or without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def shown(
    text: str, site: Path, *, record: dict[str, object] | None, cwd: Path | None = None, has_pip: bool = True
) -> str:
    """What `fitting` makes of a message in a process whose Octavo has this record of its installation (PEP 610)."""
    info = site / "octavo-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: octavo\nVersion: 0.1.0\n")
    if record is not None:
        (info / "direct_url.json").write_text(json.dumps(record))
    if has_pip:
        (site / "pip").mkdir()
        (site / "pip" / "__init__.py").touch()
    code = (
        "import sys\nfrom octavo_cli.toolkit import install_command\n"
        f"if not {has_pip}:\n    find = install_command.find_spec\n"
        "    install_command.find_spec = lambda name: None if name == 'pip' else find(name)\n"
        "print(install_command.fitting(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, text],
        env={**os.environ, "PYTHONPATH": str(site)},
        cwd=cwd or site,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.removesuffix("\n")


CHECKOUT: dict[str, object] = {"url": (ROOT / "core").as_uri(), "dir_info": {"editable": True}}


def test_from_a_checkout_it_is_a_path(tmp_path: Path) -> None:
    text = "it is missing. Run: pip install octavo-pandoc && pip install --no-deps other"
    said = shown(text, tmp_path / "site", record=CHECKOUT)
    assert (
        said == f"it is missing. Run: pip install {ROOT}/plugins/engines/octavo-pandoc && pip install --no-deps other"
    )


def test_in_the_checkout_the_path_is_relative_and_keeps_its_extra(tmp_path: Path) -> None:
    said = shown("Run: pip install 'octavo-digest[llm]'", tmp_path / "site", record=CHECKOUT, cwd=ROOT, has_pip=False)
    assert said == "Run: uv pip install './plugins/features/octavo-digest[llm]'"


def test_in_the_checkout_an_extra_is_named_as_readme_names_it(tmp_path: Path) -> None:
    """One word for each purpose: `ocr` has Pillow, Tesseract and RapidOCR."""
    text = "Run: pip install octavo-pillow octavo-rapidocr 'octavo-faster-whisper[model]' octavo-pandoc"
    said = shown(text, tmp_path / "site", record=CHECKOUT, cwd=ROOT)
    assert said == "Run: pip install '.[ocr,audio]' ./plugins/engines/octavo-pandoc"
    assert shown(text, tmp_path / "other", record=CHECKOUT).startswith(f"Run: pip install '{ROOT}[ocr,audio]' ")


def test_from_a_wheelhouse_its_folder_is_searched(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    record: dict[str, object] = {
        "url": (tmp_path / "wheels" / "octavo-0.1.0-py3-none-any.whl").as_uri(),
        "archive_info": {},
    }
    said = shown("Run `pip install octavo-web`", tmp_path / "site", record=record)
    assert said == f"Run `pip install --find-links {tmp_path}/wheels octavo-web`"


@pytest.mark.parametrize("record", [None, {"url": "https://example.org/octavo.tar.gz", "archive_info": {}}])
def test_from_an_index_it_is_the_name(tmp_path: Path, record: dict[str, object] | None) -> None:
    assert shown("Run: pip install octavo-web", tmp_path / "site", record=record) == "Run: pip install octavo-web"


def test_what_is_not_octavos_is_left_as_it_is(tmp_path: Path) -> None:
    text = "Run: pip install 'markitdown[docx]>=0.1'"
    assert shown(text, tmp_path / "site", record=CHECKOUT) == text
