# SPDX-License-Identifier: Apache-2.0
"""The line in an image file or array, found by the C++ library."""

from __future__ import annotations

import functools
import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from ._library import Recoverer, errors_in_words, ops

if TYPE_CHECKING:
    import numpy.typing as npt

    Image = npt.NDArray[Any] | torch.Tensor | str | os.PathLike[str]

_MODELS_KEPT = 8  # recoverers hold a few megabytes each


class Line(NamedTuple):
    """A line found in an image: x cos(theta) + y sin(theta) = rho from the image's centre.

    ``theta`` is in radians, in [0, pi), with y downwards; ``rho`` in pixels; ``confidence`` in
    [0, 1]; ``endpoints`` are ((x, y), (x, y)) of the visible part, from the centre of the top-left
    pixel, or None for a line outside the image.
    """

    theta: float
    rho: float
    confidence: float
    endpoints: tuple[tuple[float, float], tuple[float, float]] | None


@functools.lru_cache(maxsize=_MODELS_KEPT)
def _recoverer(name: str, _changed: int) -> Any:
    with errors_in_words():
        return Recoverer(name)


def recoverer(name: str) -> Any:
    """The recoverer of a model, reloaded when its file has changed."""
    try:
        changed = os.stat(name).st_mtime_ns if os.path.isfile(name) else 0
    except ValueError:  # a name no file can have
        changed = 0
    return _recoverer(name, changed)


def _tensor(pixels: npt.NDArray[Any]) -> torch.Tensor:
    if pixels.dtype.kind not in "buif":
        raise ValueError(f"an image is a path or an array of numbers, not of {pixels.dtype}")
    pixels = pixels.astype(pixels.dtype.newbyteorder("="), copy=False)
    if pixels.dtype == np.uint16:
        pixels = pixels.astype(np.float32) / 65535
    elif pixels.dtype.kind == "u" and pixels.dtype != np.uint8:  # torch does not know all of them
        pixels = pixels.astype(np.float64)
    return torch.from_numpy(np.array(pixels))


def _gray(image: Image) -> torch.Tensor:
    if isinstance(image, (str, os.PathLike)):
        with errors_in_words():
            return ops.read_gray(os.fspath(image))
    pixels = image if isinstance(image, torch.Tensor) else _tensor(np.asarray(image))
    if pixels.dim() != 2:
        raise ValueError(
            f"an image has the shape [H, W], bright on dark, not {tuple(pixels.shape)}; "
            "average the colour channels first"
        )
    if pixels.dtype == torch.uint8:
        return pixels.float() / 255
    if pixels.dtype == getattr(torch, "uint16", None):
        return pixels.float() / 65535
    return pixels.float()


def detect(image: Image, model: str = "classic", *, dark: bool = False) -> list[Line]:
    """The lines in an image: a path (PNG or JPEG) or an array ``[H, W]``, bright on dark.

    ``model`` is built in (``classic``, ``edges``, ``paper``, ``argmax``) or a weights file.
    ``dark`` looks for a dark line on a bright background instead. The list is empty for an image
    without contrast.
    Unsigned integers of 8 and 16 bits range from black to white; other numbers are taken as they
    are. Safe to call from several threads.

    >>> import numpy as np, vsmax
    >>> image = np.zeros((100, 160))
    >>> image[:, 40] = 1
    >>> [line] = vsmax.detect(image)
    >>> abs(line.theta) < 0.01, abs(line.rho + 39.5) < 1, line.confidence > 0.9
    (True, True, True)
    """
    pixels = 1 - _gray(image) if dark else _gray(image)
    with errors_in_words():
        rows = recoverer(model).detect(pixels)
    x, y = (pixels.shape[1] - 1) / 2, (pixels.shape[0] - 1) / 2  # the centre
    lines = []
    for theta, rho, confidence, x1, y1, x2, y2 in rows.tolist():
        endpoints = None if math.isnan(x1) else ((x1 + x, y1 + y), (x2 + x, y2 + y))
        lines.append(Line(theta, rho, confidence, endpoints))
    return lines
