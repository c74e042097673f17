# SPDX-License-Identifier: Apache-2.0
"""Every public name has a docstring, and what the docstrings show is what happens."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import vsmax

MODULES = sorted(m.name for m in pkgutil.iter_modules(vsmax.__path__) if m.name[0] != "_")


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_docstrings_run(name: str) -> None:
    module = importlib.import_module(f"vsmax.{name}")
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("name", vsmax.__all__)
def test_has_a_docstring(name: str) -> None:
    assert getattr(vsmax, name).__doc__


def test_examples_of_the_page_run() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "python.md"
    if not page.exists():
        pytest.skip("the documents are not part of this copy")
    ran = doctest.testfile(str(page), module_relative=False)
    assert ran.failed == 0
    assert ran.attempted > 10
