# SPDX-License-Identifier: Apache-2.0
"""The package without torch: light to import, and clear about what is missing."""

import subprocess
import sys

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
        assert "needs torch: pip install torch" in sentence


def test_the_names_for_torch_are_listed() -> None:
    assert {"LineModel", "VeroneseSoftArgmax", "detect"} <= set(dir(vsmax))
    assert ("LineModel" in vsmax.__all__) == vsmax.has_torch()
    with pytest.raises(AttributeError, match="'nosuch'"):
        vsmax.nosuch  # noqa: B018


def test_a_copy_without_operators_says_how_to_get_them() -> None:
    if vsmax.has_torch():
        pytest.skip("this copy has the operators")
    pytest.importorskip("torch")
    with pytest.raises(ImportError, match="without the operators for torch"):
        vsmax.LineModel  # noqa: B018
