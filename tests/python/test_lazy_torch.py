# SPDX-License-Identifier: Apache-2.0
"""The package without torch: light to import, and clear about what is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import vsmax


def run(script: str) -> str:
    blocked = "import sys; sys.modules['torch'] = None\n"
    command = [sys.executable, "-c", blocked + script]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_importing_it_loads_neither_torch_nor_numpy() -> None:
    script = "import vsmax; print('numpy' in sys.modules, bool(sys.modules['torch']))"
    assert run(script).split() == ["False", "False"]


def test_what_needs_torch_says_so() -> None:
    script = """
import vsmax
for name in vsmax._TORCH_NAMES:
    try:
        getattr(vsmax, name)
    except ImportError as error:
        print(error)
"""
    told = run(script).splitlines()
    assert len(told) == len(vsmax._TORCH_NAMES)
    for sentence in told:
        assert sentence.startswith("this part of vsmax needs torch")
        # An operator that is there needs only its torch; one that is not has to be compiled.
        assert ("--no-build-isolation" in sentence) != vsmax.has_torch()


def test_the_names_for_torch_are_listed() -> None:
    assert {"LineModel", "VeroneseSoftArgmax", "detect"} <= set(dir(vsmax))
    assert ("LineModel" in vsmax.__all__) == vsmax.has_torch()
    with pytest.raises(AttributeError, match="'nosuch'"):
        vsmax.nosuch  # noqa: B018


def test_a_copy_without_operators_says_how_to_get_them(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    package = Path(vsmax.__file__).parent
    shutil.copytree(package, tmp_path / "vsmax", ignore=shutil.ignore_patterns("_ops.so"))
    script = """
from vsmax import *
import vsmax
assert not vsmax.has_torch() and vsmax.models()
try:
    vsmax.LineModel
except ImportError as error:
    print(error)
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    assert "lacks the operators for torch" in told.stdout
    assert "run 'pip install scikit-build-core', then, in vsmax's source tree, 'pip " in told.stdout
    assert told.stdout.count("\n") == 1
