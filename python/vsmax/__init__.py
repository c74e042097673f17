# SPDX-License-Identifier: Apache-2.0
"""Straight lines in images: a differentiable Hough transform and a soft-argmax without a seam.

:func:`detect`, :func:`models`, :func:`ea_score` and :func:`evaluate` need only NumPy, and their
lines are in pixels. The rest is for torch, which it loads when first used; its lines are tensors
``[..., 2]`` of (theta, rho / D): the angle of the normal in radians, and the distance from the
image centre in units of D, half the diagonal through the outermost pixel centres. Only
:meth:`LineModel.predict` uses pixels.
"""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _build
from ._c import Error
from .detection import Line, Spread, detect, models
from .scores import Evaluation, Scores, ea_score, evaluate

if TYPE_CHECKING:
    from .export import export_onnx
    from .hough import HoughTransform
    from .losses import chordal_loss
    from .model import LineModel, Prediction, load
    from .projective import ProjectiveSoftArgmax, embed_point, recover_point
    from .readout import SoftArgmax, VeroneseSoftArgmax, embed_line, recover_line
    from .refine import RefineNet, Whitening, seam_pad

__version__ = _build.VERSION

_TORCH_NAMES = {
    "HoughTransform": "hough",
    "LineModel": "model",
    "Prediction": "model",
    "ProjectiveSoftArgmax": "projective",
    "RefineNet": "refine",
    "SoftArgmax": "readout",
    "VeroneseSoftArgmax": "readout",
    "Whitening": "refine",
    "chordal_loss": "losses",
    "embed_line": "readout",
    "embed_point": "projective",
    "export_onnx": "export",
    "load": "model",
    "recover_line": "readout",
    "recover_point": "projective",
    "seam_pad": "refine",
}


def __getattr__(name: str) -> Any:
    if name not in _TORCH_NAMES:
        raise AttributeError(f"module 'vsmax' has no attribute {name!r}")
    importlib.import_module("._library", __name__)  # says what is missing, if anything
    value = getattr(importlib.import_module(f".{_TORCH_NAMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_TORCH_NAMES})


def has_torch() -> bool:
    """Whether this copy was built with the operators for torch.

    >>> import vsmax
    >>> vsmax.has_torch() in (True, False)
    True
    """
    return Path(__file__).with_name("_ops.so").exists()


def has_cuda() -> bool:
    """Whether this copy was built with CUDA kernels.

    >>> import vsmax
    >>> vsmax.has_cuda() in (True, False)
    True
    """
    return _build.WITH_CUDA


__all__ = [
    "Error",
    "Evaluation",
    "HoughTransform",
    "Line",
    "LineModel",
    "Prediction",
    "ProjectiveSoftArgmax",
    "RefineNet",
    "Scores",
    "SoftArgmax",
    "Spread",
    "VeroneseSoftArgmax",
    "Whitening",
    "chordal_loss",
    "detect",
    "ea_score",
    "embed_line",
    "embed_point",
    "evaluate",
    "export_onnx",
    "has_cuda",
    "has_torch",
    "load",
    "models",
    "recover_line",
    "recover_point",
    "seam_pad",
]
if not has_torch():  # so that 'from vsmax import *' works
    __all__ = [name for name in __all__ if name not in _TORCH_NAMES]
