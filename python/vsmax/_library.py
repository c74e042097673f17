# SPDX-License-Identifier: Apache-2.0
"""Loads the operators for torch and turns their errors into Python exceptions."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import _build
from ._c import Error

_PREFIX = "vsmax: "
_OPERATORS = Path(__file__).with_name("_ops.so")


def _recipe(*packages: str) -> str:
    """How to build the operators; a wheel cannot hold them for every version of torch."""
    return (
        f"run 'pip install {' '.join((*packages, 'scikit-build-core'))}', then, in vsmax's source "
        "tree, 'pip install --no-build-isolation --force-reinstall --no-deps .'"
    )


try:
    import torch
except ImportError as error:
    if _OPERATORS.exists():
        raise ImportError(
            f"this part of vsmax needs torch {_build.TORCH_VERSION}, for which it was built "
            f"({error})"
        ) from None
    raise ImportError(
        "this part of vsmax needs torch, and operators compiled for it, which this copy lacks: "
        f"{_recipe('torch')} ({error})"
    ) from None
if not _OPERATORS.exists():
    raise ImportError(
        "this copy of vsmax lacks the operators for torch: to compile them for torch "
        f"{torch.__version__}, {_recipe()}"
    )
try:
    torch.ops.load_library(str(_OPERATORS))
except OSError as error:
    raise ImportError(
        f"vsmax was built for torch {_build.TORCH_VERSION}, and torch {torch.__version__} cannot "
        f"load it: {_recipe()} ({error.__cause__ or error})"
    ) from None

ops = torch.ops.vsmax
ModelFile = torch.classes.vsmax.ModelFile


@contextlib.contextmanager
def errors_in_words() -> Iterator[None]:
    """Raises the core's errors as an Error with one sentence."""
    try:
        yield
    except RuntimeError as error:
        sentence = str(error).splitlines()[0]
        if not sentence.startswith(_PREFIX):
            raise
        raise Error(sentence[len(_PREFIX) :]) from None


def is_double(cover: str) -> bool:
    """Whether this is the double cover."""
    if cover not in {"single", "double"}:
        raise ValueError(f"cover must be 'single' or 'double', not {cover!r}")
    return cover == "double"


def whole_number(value: Any, name: str) -> int:
    """The argument as an int; raises an Error for anything else, such as 7.5."""
    try:
        return operator.index(value)
    except TypeError:
        raise Error(f"{name} must be a whole number, not {value!r}") from None
