# SPDX-License-Identifier: Apache-2.0
"""What a build lacks is said in one sentence."""

import importlib.util
import shutil
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "python" / "build_backend" / "vsmax_build.py"


@pytest.fixture
def backend():
    spec = importlib.util.spec_from_file_location("vsmax_build", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("package", ["torch", "scikit_build_core"])
def test_names_a_missing_package(backend, monkeypatch, package: str) -> None:
    present = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == package else (present(name) or object()),
    )
    with pytest.raises(SystemExit, match=package.replace("_", "-") + " is missing") as told:
        backend.build_wheel("nowhere")
    assert str(told.value).count("\n") == 0


def test_names_a_missing_tool(backend, monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "cmake" else name)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="CMake"):
        backend.build_wheel("nowhere")
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "cmake" else None)
    with pytest.raises(SystemExit, match="compiler"):
        backend.build_wheel("nowhere")
