# SPDX-License-Identifier: Apache-2.0
"""How well lines agree, and how well a model finds them."""

from __future__ import annotations

import ctypes
import math
import operator
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _c
from ._c import Error
from .detection import Line, model_changed, thread_count

if TYPE_CHECKING:
    import numpy as np

_LARGEST = 2**31 - 1
_LARGEST_SEED = 2**64 - 1


class Scores(NamedTuple):
    """EA-scores: how many, their mean and their standard deviation."""

    count: int
    mean: float
    deviation: float


class Evaluation(NamedTuple):
    """The scores of all lines, of those at the seam (within five of 127 angles of theta = 0) and of
    the others; ``calibration_error`` is how far the confidence is from the EA-score, on average.
    """

    all: Scores
    seam: Scores
    interior: Scores
    calibration_error: float


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _whole(value: Any, name: str) -> int:
    """A size that fits into the library's integers."""
    number = operator.index(value)  # 32.5 is a mistake
    if not 1 <= number <= _LARGEST:
        raise Error(f"{name} must be positive, not {value}")
    return number


def ea_score(predicted: Any, truth: Any, size: tuple[int, int]) -> float | np.ndarray:
    """The EA-score of lines in an image of ``size = (H, W)``; 1 is perfect.

    Two lines (:class:`Line`, or theta and rho in pixels) give a number; arrays ``[..., 2]`` of
    theta and rho in pixels give an array ``[...]``. Tensors of torch are (theta, rho / D) instead,
    as in all functions for torch, and give a tensor. A prediction that misses the image or is not
    finite scores 0.

    >>> import vsmax
    >>> vsmax.ea_score((0.7, 20.0), (0.7, 20.0), size=(256, 256))
    1.0
    >>> vsmax.ea_score([(0.7, 20.0), (0.8, 20.0)], [(0.7, 20.0), (0.7, 20.0)], (256, 256)).shape
    (2,)
    """
    if _is_tensor(predicted) or _is_tensor(truth):
        if not (_is_tensor(predicted) and _is_tensor(truth)):
            kinds = " and ".join(type(x).__name__ for x in (predicted, truth))
            raise Error(
                "lines must be two tensors (theta, rho / D) or two arrays (theta, rho in pixels), "
                f"not {kinds}"
            )
        from .losses import ea_score as score_of_tensors

        return score_of_tensors(predicted, truth, size)
    import numpy as np

    found, wanted = (
        np.asarray(x[:2] if isinstance(x, Line) else x, dtype=np.float64)
        for x in (predicted, truth)
    )
    if found.shape != wanted.shape or found.shape[-1:] != (2,):
        raise Error(f"lines must have one shape [..., 2], not {found.shape} and {wanted.shape}")
    height, width = size
    if min(height, width) < 2:
        raise Error(f"size must be at least 2x2 pixels, not {height}x{width}")
    bounds = _whole(width, "the width"), _whole(height, "the height")
    a, b, score = _c.Line(), _c.Line(), ctypes.c_double()
    scores = np.zeros(found.shape[:-1])
    for index in np.ndindex(*scores.shape):
        a.theta, a.rho = found[index]
        b.theta, b.rho = wanted[index]
        if math.isfinite(a.theta) and math.isfinite(a.rho):
            _c.call("ea_score", a, b, *bounds, score)
            scores[index] = score.value
    return scores if scores.ndim else float(scores)


def evaluate(
    model: str | os.PathLike[str] = "default",
    *,
    sigma: float = 0.0,
    lines: str = "grid",
    size: tuple[int, int] | None = None,
    grid: tuple[int, int] | None = None,
    seed: int = 42,
    threads: int = 0,
) -> Evaluation:
    """Scores a model on synthetic lines in noise, as ``vsmax evaluate`` does.

    ``sigma`` is the standard deviation of the noise, where black is 0 and white is 1. ``lines`` are
    all that a grid can resolve, ``"grid"``, or as many off the grid, ``"continuous"``. A trained
    model has its own ``size = (H, W)`` and ``grid`` (angles, offsets); for the others they are the
    paper's, (256, 256) and (127, 127), unless given: 14,395 lines, which take a minute or two.

    >>> import vsmax
    >>> scores = vsmax.evaluate("classic", sigma=0.1, size=(48, 64), grid=(15, 15))
    >>> scores.all.count, scores.all.mean > 0.9
    (181, True)
    """
    if lines not in {"grid", "continuous"}:
        raise Error(f"lines must be 'grid' or 'continuous', not {lines!r}")
    if not (sigma >= 0 and math.isfinite(sigma)):
        raise Error(f"sigma must be 0 or a positive number, not {sigma}")
    if not 0 <= seed <= _LARGEST_SEED:
        raise Error(f"seed must be from 0 to 2^64 - 1, not {seed}")
    stopped = False
    options = _c.EvaluationOptions(
        sigma=sigma,
        continuous=lines == "continuous",
        threads=thread_count(threads),
        seed=seed,
        # Called on the library's threads; an interrupt reaches only the main one.
        progress=_c.PROGRESS(lambda _data, _done, _total: stopped),
    )
    if size is not None:
        options.height, options.width = (_whole(n, "a size") for n in size)
    if grid is not None:
        options.angles, options.offsets = (_whole(n, "a number of bins") for n in grid)
    result = _c.Evaluation()
    name = os.fsdecode(model)
    model_changed(name)
    with ThreadPoolExecutor(1) as pool:
        try:
            pool.submit(_c.call, "evaluate", _c.c_path(name), options, result).result()
        except KeyboardInterrupt:
            stopped = True
            raise
    parts = (getattr(result, part) for part in ("all", "seam", "interior"))
    summaries = (Scores(part.count, part.mean, part.deviation) for part in parts)
    return Evaluation(*summaries, result.calibration_error)
