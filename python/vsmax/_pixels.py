# SPDX-License-Identifier: Apache-2.0
"""Arrays as images of the C library, without a copy where their memory layout allows it."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _c

_COLOURS = 3
_MOST_PIXELS = 2**28  # as the library; checked before anything is copied
_SAMPLE_TYPES = {"uint8": _c.UINT8, "uint16": _c.UINT16, "float32": _c.FLOAT32}


def array_of(image: Any) -> np.ndarray:
    """An array of numbers from whatever NumPy understands, or from a torch tensor on any device."""
    if hasattr(image, "detach"):
        tensor = image.detach().cpu()
        # NumPy lacks some of torch's floating-point types.
        image = (tensor.float() if tensor.is_floating_point() else tensor).numpy()
    try:
        pixels = np.asarray(image)
    except ValueError as error:  # such as rows of different lengths
        raise _c.Error(f"an image must be an array of numbers: {error}") from None
    if pixels.dtype.kind not in "buif":
        raise TypeError(
            "an image is a path, the bytes of a PNG or JPEG file, or an array of numbers, "
            f"not {type(image).__name__} of {pixels.dtype}"
        )
    return pixels


def is_batch(pixels: np.ndarray) -> bool:
    """Whether these are several images: [N, H, W] or [N, H, W, 3].

    A last dimension of 3 is colour. Other small ones are most likely channels that vsmax does not
    support, so they are not taken for the columns of tiny images.
    """
    if pixels.ndim == 3:
        return pixels.shape[2] > 4
    return pixels.ndim == 4


def _with_samples(pixels: np.ndarray) -> np.ndarray:
    """The pixels as 8-bit, 16-bit or float32 samples in native byte order."""
    if pixels.dtype.kind == "b":
        return pixels.astype(np.float32)
    if pixels.dtype.name in _SAMPLE_TYPES:
        return pixels.astype(pixels.dtype.newbyteorder("="), copy=False)
    with np.errstate(over="ignore"):  # the library reports what is not finite
        return pixels.astype(np.float32)


def _fits(pixels: np.ndarray) -> bool:
    """Whether the strides allow the library to read the pixels in place."""
    size = pixels.itemsize
    if pixels.ndim == 3:
        if abs(pixels.strides[2]) != size:
            return False
        size *= _COLOURS
    axes = sorted(zip(map(abs, pixels.strides[:2]), pixels.shape[:2], strict=True))
    (inner, length), (outer, _) = axes
    return inner >= size and outer >= (length - 1) * inner + size


def image_of(pixels: np.ndarray) -> tuple[_c.Image, np.ndarray]:
    """The pixels as an image of the C library, and the array that must outlive it."""
    colour = pixels.ndim == 3 and pixels.shape[2] == _COLOURS
    if pixels.ndim != 2 and not colour:
        raise _c.Error(
            "an image has the shape [H, W], or [H, W, 3] for red, green and blue, not "
            f"{pixels.shape}"
        )
    if min(pixels.shape[:2]) < 2:
        raise _c.Error(f"an image needs at least 2x2 pixels, not the shape {pixels.shape}")
    if pixels.shape[0] * pixels.shape[1] > _MOST_PIXELS:
        raise _c.Error(f"an image has at most {_MOST_PIXELS} pixels, not the shape {pixels.shape}")
    pixels = _with_samples(pixels)
    if colour and pixels.dtype.kind == "f":
        low, high = float(pixels.min()), float(pixels.max())
        if not (low >= 0 and high <= 1):
            wrong = high if low >= 0 else low
            raise _c.Error(
                f"the colours of an image lie between 0 and 1 (or are uint8), not {wrong:g}"
            )
    if not _fits(pixels):
        pixels = np.ascontiguousarray(pixels)
    backwards = colour and pixels.strides[2] < 0  # blue comes first in memory
    first = pixels[:, :, ::-1] if backwards else pixels
    height, width = pixels.shape[:2]
    image = _c.Image(
        pixels=first.__array_interface__["data"][0],
        width=width,
        height=height,
        row_stride=pixels.strides[0],
        pixel_stride=pixels.strides[1],
        sample_type=_SAMPLE_TYPES[pixels.dtype.name],
        channels=(_c.BGR if backwards else _c.RGB) if colour else _c.GRAY,
    )
    return image, pixels
