# SPDX-License-Identifier: Apache-2.0
"""Files and models: what is found, and what is raised if they cannot be used."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from drawing import drawn_line, png

import vsmax
from vsmax import _c

ROOT = Path(__file__).resolve().parents[2]
GREY = 255 * drawn_line(0.7, 12.0, (90, 140))
COLOUR = np.stack([GREY, GREY // 2, GREY // 3], -1)


@pytest.mark.parametrize("pixels", [GREY, COLOUR], ids=["grey", "colour"])
def test_files_and_their_content_are_answered_like_arrays(pixels, tmp_path, monkeypatch) -> None:
    expected = vsmax.detect(pixels)
    assert len(expected) == 1
    content = png(pixels)
    assert vsmax.detect(content) == vsmax.detect(bytearray(content)) == expected
    monkeypatch.chdir(tmp_path)
    for name in ("plain.png", "-", "ünï.png", os.fsdecode(b"\xff.png")):
        Path(name).write_bytes(content)
        assert vsmax.detect(name) == vsmax.detect(Path(name)) == expected
    assert vsmax.detect(["plain.png", content, pixels]) == [expected] * 3


def test_the_exceptions_of_files_are_pythons_own(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        vsmax.detect(tmp_path / "none.png")
    assert caught.value.filename == str(tmp_path / "none.png")
    with pytest.raises(FileNotFoundError):
        vsmax.detect([tmp_path / "none.png"])
    with pytest.raises(FileNotFoundError):
        vsmax.detect("")
    with pytest.raises(IsADirectoryError):
        vsmax.detect(tmp_path)
    file = tmp_path / "file"
    file.write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        vsmax.detect(file / "image.png")
    with pytest.raises(ValueError, match="zero byte"):
        vsmax.detect("a\0b.png")
    if os.geteuid() != 0:  # root may read everything
        file.chmod(0)
        with pytest.raises(PermissionError):
            vsmax.detect(file)


@pytest.mark.parametrize("content", [b"", b"no image", png(GREY)[:60], png(GREY)[:-30]])
def test_damaged_images_raise_an_error_that_names_them(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.png"
    path.write_bytes(content)
    with pytest.raises(vsmax.Error, match=re.escape(str(path))):
        vsmax.detect(path)
    with pytest.raises(vsmax.Error):
        vsmax.detect(content)
    assert issubclass(vsmax.Error, ValueError)


def test_models_are_those_of_the_program() -> None:
    if "VSMAX" not in os.environ:
        pytest.skip("the command line tool is not there to compare with")
    command = [os.environ["VSMAX"], "models", "--json"]
    listed = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert vsmax.models() == {model["name"]: model["description"] for model in listed}
    for name in vsmax.models():
        for line in vsmax.detect(GREY, name, min_confidence=0.1):
            assert name in ("auto", line.model)


def test_the_spread_is_that_of_the_model_that_knows_it() -> None:
    [line] = vsmax.detect(GREY, "default")
    assert 0 < line.spread.theta_sd < 0.1
    low, high = line.spread.rho_95
    assert low < line.rho < high
    [line] = vsmax.detect(GREY, "classic")
    assert line.spread is None


def test_wrong_models_are_named(tmp_path: Path) -> None:
    with pytest.raises(vsmax.Error, match="no built-in model 'nosuch'"):
        vsmax.detect(GREY, "nosuch")
    with pytest.raises(FileNotFoundError):
        vsmax.detect(GREY, tmp_path / "none.safetensors")
    with pytest.raises(IsADirectoryError):
        vsmax.detect(GREY, tmp_path)
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(b"damaged")
    with pytest.raises(vsmax.Error, match=re.escape(str(damaged))):
        vsmax.detect(GREY, damaged)


def test_a_model_is_read_again_when_its_file_has_changed(tmp_path: Path) -> None:
    weights = ROOT / "models/vsmax-vs-s42.safetensors"
    if not weights.exists():
        pytest.skip("the trained models are not part of this copy")
    path = tmp_path / "model.safetensors"
    path.write_bytes(weights.read_bytes())
    asked = {"lines": 1, "min_confidence": 0.0}
    [line] = vsmax.detect(GREY, path, **asked)
    assert line[:4] == vsmax.detect(GREY, "paper", **asked)[0][:4]
    path.write_bytes(b"damaged")
    os.utime(path, ns=(1, 1))
    with pytest.raises(vsmax.Error, match=r"model\.safetensors"):
        vsmax.detect(GREY, path, **asked)


def test_structs_are_those_of_the_header() -> None:
    header = (ROOT / "src/vsmax/c/vsmax.h").read_text(encoding="utf-8")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    structs = re.findall(r"typedef struct vsmax_(\w+) \{(.*?)\} ", header, re.DOTALL)
    assert len(structs) >= 6
    for name, body in structs:
        body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", body)  # pointers to functions
        members = [re.sub(r".*[ *]", "", m.split("[")[0].strip()) for m in re.split("[;,]", body)]
        ours = getattr(_c, "".join(word.capitalize() for word in name.split("_")))
        assert [field[0] for field in ours._fields_] == [m for m in members if m], name


@pytest.mark.parametrize(
    "start", [("-c", "from vsmax._program import main; main()"), ("-m", "vsmax")]
)
def test_the_command_is_the_program(start: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "line.png"
    path.write_bytes(png(GREY))

    def run(*arguments: str) -> subprocess.CompletedProcess:
        command = [sys.executable, *start, *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    assert run("--version").stdout.strip().endswith(vsmax.__version__)
    answer = run("detect", "--json", str(path))
    assert answer.returncode == 0
    [line] = json.loads(answer.stdout)["lines"]
    assert line["theta"] == vsmax.detect(path)[0].theta
    assert run("detect", str(tmp_path / "none.png")).returncode == 1
    assert run("nosuch").returncode == 2
    told = run("train", "configs/tiny.yaml")
    assert told.returncode == 1
    assert "vsmax-torch" in told.stderr
    assert told.stderr.count("\n") == 1
