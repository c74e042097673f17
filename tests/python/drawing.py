# SPDX-License-Identifier: Apache-2.0
"""Images for the tests that do without torch."""

import math
import struct
import zlib

import numpy as np


def drawn_line(theta: float, rho: float, size: tuple[int, int]) -> np.ndarray:
    """A line of ones, one pixel wide, on zeros; rho in pixels."""
    height, width = size
    y = np.arange(height)[:, None] - (height - 1) / 2
    x = np.arange(width)[None, :] - (width - 1) / 2
    distance = np.abs(x * math.cos(theta) + y * math.sin(theta) - rho)
    return (distance <= max(abs(math.cos(theta)), abs(math.sin(theta))) / 2).astype(np.uint8)


def png(pixels: np.ndarray) -> bytes:
    """A PNG file of 8-bit grey [H, W] or colour [H, W, 3]."""
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels))

    def chunk(kind: bytes, body: bytes) -> bytes:
        checksum = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)
