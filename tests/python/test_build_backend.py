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


def without(package: str, monkeypatch) -> None:
    present = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == package else (present(name) or object()),
    )


def test_names_a_missing_package(backend, monkeypatch) -> None:
    without("scikit_build_core", monkeypatch)
    with pytest.raises(SystemExit, match="scikit-build-core is missing") as told:
        backend.build_wheel("nowhere")
    assert str(told.value).count("\n") == 0


def test_builds_the_operators_where_there_is_torch(backend, monkeypatch) -> None:
    name = "cmake.define.VSMAX_BUILD_PYTHON"
    assert backend._with_operators(None) == {name: "ON"}
    assert backend._with_operators({name: "OFF", "other": "1"}) == {name: "OFF", "other": "1"}
    without("torch", monkeypatch)
    assert backend._with_operators({}) == {name: "OFF"}


def test_names_a_missing_tool(backend, monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "cmake" else name)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="CMake"):
        backend.build_wheel("nowhere")
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "cmake" else None)
    with pytest.raises(SystemExit, match="compiler"):
        backend.build_wheel("nowhere")
