"""What `octavo doctor` says of the weights that plugins need: not set, set, wrong, or where no manifest may point."""

from __future__ import annotations

import pytest

WEIGHTS = {
    "listener": ("speech.model", ()),
    "folder-listener": ("speech.model", ("model.bin", "config.json", "tokenizer.json")),
    "names": ("entities.model", ("names_config.json",)),
    "layouts": ("layout.model", ("layouts/model.safetensors",)),
}
"""Plugin → its setting, and the files of its weights; none: they are one file."""


@pytest.fixture
def needy(install, monkeypatch):
    """`needy("names")`: a plugin with such weights is installed, and no other with any."""
    real = {"vectors", "spacy", "whisper", "faster-whisper", "gliner", "docling"}

    made: set[str] = set()

    def make(name: str) -> None:
        monkeypatch.setenv("OCTAVO_BLOCK", ",".join((real | made) - {name}))
        made.add(name)
        setting, files = WEIGHTS[name]
        install(name, tail=f'[plugin.weights]\nsetting = "{setting}"\nfiles = {list(files)}\n')

    return make


@pytest.mark.parametrize("name", ["listener", "names", "layouts"])
def test_doctor_says_that_weights_are_not_set_and_which_setting_names_them(octavo, needy, name):
    """That is no fault: an engine may be installed for what it does without them, or another do its work."""
    needy(name)
    setting = WEIGHTS[name][0]

    facts = octavo("doctor", "--json").json

    (said,) = [item for item in facts["weights"] if item["plugin"] == name]
    assert said == {
        "plugin": name,
        "setting": setting,
        "path": None,
        "found": False,
        "problem": f"the setting {setting} is not set",
    }
    assert f"  {name}: not found: the setting {setting} is not set\n" in octavo("doctor").out
    assert {"plugin": name, "found": False} in octavo("doctor", "--bug-report").json["weights"]


@pytest.mark.parametrize("name", ["listener", "names"])
def test_doctor_finds_weights_that_are_set(octavo, needy, tmp_path, monkeypatch, name):
    needy(name)
    setting, files = WEIGHTS[name]
    path = tmp_path / "weights"
    if files:
        path.mkdir()
    for file in (path / name for name in files) if files else [path]:
        file.write_bytes(b"w")
    monkeypatch.setenv(f"OCTAVO_{setting.upper().replace('.', '__')}", str(path))

    (said,) = octavo("doctor", "--json").json["weights"]

    assert (said["path"], said["found"], said["problem"]) == (str(path), True, "")
    assert f"  {name}: {path} ({setting})\n" in octavo("doctor").out
    assert str(tmp_path) not in octavo("doctor", "--bug-report").out


def test_doctor_says_what_is_wrong_with_weights_that_are_set(octavo, needy, tmp_path, monkeypatch):
    needy("folder-listener")
    folder = tmp_path / "weights"

    def told() -> tuple[bool, str]:
        facts = octavo("doctor", "--json").json
        (said,) = facts["weights"]
        return facts["ok"], said["problem"]

    monkeypatch.setenv("OCTAVO_SPEECH__MODEL", str(folder))
    assert told() == (False, f"{folder}, named by the setting speech.model, does not exist")
    folder.write_bytes(b"")
    assert told()[1] == f"{folder}, named by the setting speech.model, is not a folder"
    folder.unlink()
    folder.mkdir()
    (folder / "model.bin").touch()
    assert told()[1] == f"{folder}, named by the setting speech.model, lacks config.json, tokenizer.json"
    needy("listener")
    assert told()[1] == f"{folder}, named by the setting speech.model, is not a file"


def test_doctor_looks_for_weights_wherever_a_manifest_points(octavo, install, monkeypatch, tmp_path):
    """A name that stands for no package, and one that no file system takes, are no bugs of doctor."""
    monkeypatch.setenv("OCTAVO_BLOCK", "vectors,spacy,whisper,faster-whisper,gliner,docling")
    install("mainly", tail='[plugin.weights]\nsetting = "layout.model"\nmodule = "__main__"\n')
    install("running", tail='[plugin.weights]\nsetting = "speech.model"\nfiles = ["a"]\nruntime = ["__main__"]\n')
    folder = tmp_path / "weights"
    folder.mkdir()
    (folder / "a").touch()
    monkeypatch.setenv("OCTAVO_SPEECH__MODEL", str(folder))
    facts = octavo("doctor", "--json").json
    assert [item["plugin"] for item in facts["weights"]] == ["mainly", "running"]
    assert not facts["weights"][0]["found"]


@pytest.mark.parametrize("folder", ["/", "../..", "a/../b"])
def test_a_manifest_can_not_point_out_of_the_folder_of_its_module(octavo, install, folder):
    install("astray", tail=f'[plugin.weights]\nsetting = "layout.model"\nmodule = "json"\nfolder = "{folder}"\n')
    (failed,) = octavo("doctor", "--json").json["failures"]
    assert "weights.folder" in str(failed)
