# SPDX-License-Identifier: Apache-2.0
"""Lines from images without a seam: a differentiable Hough transform and Veronese soft-argmax.

Lines are tensors ``[..., 2]`` of (theta, rho / D): the angle of the normal in radians, and the
distance from the image centre in units of D, half the diagonal through the outermost pixel centres.
Only :func:`detect` and :meth:`LineModel.predict` use pixels.
"""

from . import _build
from .detection import Line, Spread, detect
from .export import export_onnx
from .hough import HoughTransform
from .losses import chordal_loss, ea_score
from .model import LineModel, Prediction, load
from .projective import ProjectiveSoftArgmax, embed_point, recover_point
from .readout import SoftArgmax, VeroneseSoftArgmax, embed_line, recover_line
from .refine import RefineNet, Whitening, seam_pad

__version__ = _build.VERSION


def has_cuda() -> bool:
    """Whether this copy was built with CUDA kernels.

    >>> import vsmax
    >>> vsmax.has_cuda() in (True, False)
    True
    """
    return _build.WITH_CUDA


__all__ = [
    "HoughTransform",
    "Line",
    "LineModel",
    "Prediction",
    "ProjectiveSoftArgmax",
    "RefineNet",
    "SoftArgmax",
    "Spread",
    "VeroneseSoftArgmax",
    "Whitening",
    "chordal_loss",
    "detect",
    "ea_score",
    "embed_line",
    "embed_point",
    "export_onnx",
    "has_cuda",
    "load",
    "recover_line",
    "recover_point",
    "seam_pad",
]
