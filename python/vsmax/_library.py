# SPDX-License-Identifier: Apache-2.0
"""Loads the operators and turns their errors into Python exceptions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import torch

from . import _build

_PREFIX = "vsmax: "

try:
    torch.ops.load_library(str(Path(__file__).with_name("_ops.so")))
except OSError as error:
    raise ImportError(
        f"vsmax was built for torch {_build.TORCH_VERSION}, which torch {torch.__version__} cannot "
        f"load: install it again with pip install --no-build-isolation --force-reinstall "
        f"({error.__cause__ or error})"
    ) from None

ops = torch.ops.vsmax
Recoverer = torch.classes.vsmax.Recoverer


@contextlib.contextmanager
def errors_in_words() -> Iterator[None]:
    """Raises the core's errors as a ValueError with one sentence."""
    try:
        yield
    except RuntimeError as error:
        sentence = str(error).splitlines()[0]
        if not sentence.startswith(_PREFIX):
            raise
        raise ValueError(sentence[len(_PREFIX) :]) from None


def is_double(cover: str) -> bool:
    """Whether this is the double cover."""
    if cover not in {"single", "double"}:
        raise ValueError(f"cover must be 'single' or 'double', not {cover!r}")
    return cover == "double"
