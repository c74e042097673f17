# SPDX-License-Identifier: Apache-2.0
"""The lines in an image file or array, found by the C++ library."""

from __future__ import annotations

import functools
import math
import operator
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from ._library import Recoverer, errors_in_words

if TYPE_CHECKING:
    import numpy.typing as npt

    Image = npt.NDArray[Any] | torch.Tensor | str | os.PathLike[str]

_MODELS_KEPT = 8  # recoverers hold a few megabytes each
_AUTO_LINES = 32  # and the most that can be asked for: as the program
_MOST_LINES = 1000


class Spread(NamedTuple):
    """How far the true line may lie from the one found: standard deviations of theta (radians) and
    rho (pixels) and their correlation, and the intervals that hold them with probability 0.68 and
    0.95. ``theta`` may leave [0, pi) there: next to the seam the interval lies on both sides of it.
    """

    theta_sd: float
    rho_sd: float
    correlation: float
    theta_68: tuple[float, float]
    theta_95: tuple[float, float]
    rho_68: tuple[float, float]
    rho_95: tuple[float, float]


class Line(NamedTuple):
    """A line found in an image: x cos(theta) + y sin(theta) = rho from the image's centre.

    ``theta`` is in radians, in [0, pi), with y downwards; ``rho`` in pixels; ``confidence`` in
    [0, 1]; ``endpoints`` are ((x, y), (x, y)) of the visible part, from the centre of the top-left
    pixel, or None for a line outside the image; ``model`` is the one that found it; ``spread`` says
    how precise it is, where the model can tell (``default``).
    """

    theta: float
    rho: float
    confidence: float
    endpoints: tuple[tuple[float, float], tuple[float, float]] | None
    model: str
    spread: Spread | None = None


def _line(row: list[float], model: str) -> Line:
    theta, rho, confidence, x1, y1, x2, y2, *rest = row
    ends = None if math.isnan(x1) else ((x1, y1), (x2, y2))
    intervals = ((rest[i], rest[i + 1]) for i in range(3, len(rest), 2))
    spread = None if math.isnan(rest[0]) else Spread(*rest[:3], *intervals)
    return Line(theta, rho, confidence, ends, model, spread)


@functools.lru_cache(maxsize=_MODELS_KEPT)
def _recoverer(name: str, dark: bool, _changed: int) -> Any:
    with errors_in_words():
        return Recoverer(name, dark)


def recoverer(name: str, dark: bool = False) -> Any:
    """The recoverer of a model, reloaded when its file has changed."""
    try:
        changed = os.stat(name).st_mtime_ns if os.path.isfile(name) else 0
    except ValueError:  # a name no file can have
        changed = 0
    return _recoverer(name, dark, changed)


def _tensor(pixels: npt.NDArray[Any]) -> torch.Tensor:
    if pixels.dtype.kind not in "buif":
        raise ValueError(f"an image is a path or an array of numbers, not of {pixels.dtype}")
    pixels = pixels.astype(pixels.dtype.newbyteorder("="), copy=False)
    if pixels.dtype == np.uint16:
        pixels = pixels.astype(np.float32) / 65535
    elif pixels.dtype.kind == "u" and pixels.dtype != np.uint8:  # torch does not know all of them
        pixels = pixels.astype(np.float64)
    return torch.from_numpy(np.array(pixels))


def _bytes(pixels: torch.Tensor) -> torch.Tensor:
    """Colours from 0 to 1 in 8 bits, as the core reads them from a file."""
    low, high = (float(x) for x in torch.aminmax(pixels)) if pixels.numel() else (0.0, 0.0)
    if not (low >= 0 and high <= 1):
        wrong = low if not low >= 0 else high
        raise ValueError(f"the colours of an image lie between 0 and 1 (or are uint8), not {wrong}")
    return (pixels * 255).round().byte()


def _pixels(image: npt.NDArray[Any] | torch.Tensor) -> torch.Tensor:
    """Grey values [H, W] as float32, or colours [H, W, 3] as bytes."""
    pixels = image if isinstance(image, torch.Tensor) else _tensor(np.asarray(image))
    colour = pixels.dim() == 3 and pixels.shape[2] == 3
    if pixels.dim() != 2 and not colour:
        raise ValueError(
            f"an image has the shape [H, W], or [H, W, 3] for red, green and blue, "
            f"not {tuple(pixels.shape)}"
        )
    if pixels.dtype == torch.uint8:
        return pixels if colour else pixels.float() / 255
    values = pixels.float()
    if pixels.dtype == getattr(torch, "uint16", None):
        values = values / 65535
    return _bytes(values) if colour else values


def _most(lines: int | str) -> int:
    if lines == "auto":
        return _AUTO_LINES
    try:
        most = operator.index(lines)
    except TypeError:
        most = 0
    if not 1 <= most <= _MOST_LINES:
        raise ValueError(f"lines must be 'auto' or from 1 to {_MOST_LINES}, not {lines!r}")
    return most


def detect(
    image: Image,
    model: str | os.PathLike[str] = "auto",
    *,
    lines: int | str = "auto",
    min_confidence: float = 0.5,
    dark: bool = False,
) -> list[Line]:
    """The lines in an image, the most certain first, as ``vsmax detect`` finds them.

    ``image`` is a path (PNG or JPEG) or an array: ``[H, W]`` for grey, ``[H, W, 3]`` for red, green
    and blue. Unsigned integers of 8 and 16 bits range from black to white. Other numbers are taken
    as they are if grey; colours lie between 0 and 1 and are rounded to 8 bits.

    ``model`` is ``"auto"``, which chooses by the image, a built-in model (``default``, ``classic``,
    ``edges``, ``paper``, ``horizon``, ``photo-lines``, ``argmax``) or a weights file. ``lines`` is
    how many to find at most, or ``"auto"`` for up to 32; ``min_confidence`` leaves out those less
    certain.
    ``dark`` looks for dark lines on a bright background, with ``default`` unless another model is
    given. Safe to call from several threads.

    >>> import numpy as np, vsmax
    >>> image = np.zeros((100, 160))
    >>> image[:, 40] = 1
    >>> [line] = vsmax.detect(image)
    >>> abs(line.theta) < 0.01, abs(line.rho + 39.5) < 1, line.confidence > 0.9, line.model
    (True, True, True, 'default')
    """
    most = _most(lines)
    if not 0 <= min_confidence <= 1:
        raise ValueError(f"min_confidence must lie between 0 and 1, not {min_confidence}")
    name = os.fspath(model)
    if dark and name == "auto":
        name = "default"
    find = recoverer(name, dark)
    with errors_in_words():
        if isinstance(image, (str, os.PathLike)):
            chosen, rows = find.detect_file(os.fspath(image), most, min_confidence)
        else:
            chosen, rows = find.detect(_pixels(image), most, min_confidence)
    return [_line(row, chosen or name) for row in rows.tolist()]
