# SPDX-License-Identifier: Apache-2.0
"""libvsmax.so through ctypes: the structs and functions of vsmax/c/vsmax.h, which explains them.

ctypes releases the interpreter lock during a call, so images can be read on several threads.
"""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_ssize_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any

_ABI_VERSION = 0
_ERROR_MEMORY, _ERROR_INTERNAL, _ERROR_STOPPED = 3, 4, 5

UINT8, UINT16, FLOAT32 = range(3)
GRAY, RGB, BGR = range(3)


class Error(ValueError):
    """An image, a model or an argument that vsmax cannot use; the message is one sentence."""


class _Sized(ctypes.Structure):
    """A struct that begins with its own size."""

    def __init__(self, **members: Any) -> None:
        super().__init__(struct_size=ctypes.sizeof(self), **members)


class Image(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("pixels", c_void_p),
        ("width", c_int),
        ("height", c_int),
        ("row_stride", c_ssize_t),
        ("pixel_stride", c_ssize_t),
        ("sample_type", c_int),
        ("channels", c_int),
    ]


class Options(_Sized):
    _fields_ = [("struct_size", c_size_t), ("most_lines", c_int), ("min_confidence", c_double)]


class Line(ctypes.Structure):
    _fields_ = [
        *((name, c_double) for name in ("theta", "rho", "confidence")),
        *((name, c_int) for name in ("is_visible", "has_spread")),
        *((name, c_double) for name in ("x1", "y1", "x2", "y2")),
        *((name, c_double) for name in ("theta_sd", "rho_sd", "correlation")),
        *((name, c_double * 2) for name in ("theta_68", "theta_95", "rho_68", "rho_95")),
        ("reserved", c_double * 8),
    ]


class Result(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("lines", POINTER(Line)),
        ("line_count", c_size_t),
        ("model", c_char_p),
        ("width", c_int),
        ("height", c_int),
    ]


PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_size_t, c_size_t)


class EvaluationOptions(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("sigma", c_double),
        *((name, c_int) for name in ("continuous", "threads")),
        *((name, c_int) for name in ("width", "height", "angles", "offsets")),
        ("seed", c_uint64),
        ("progress", PROGRESS),
        ("data", c_void_p),
    ]


class Scores(ctypes.Structure):
    _fields_ = [("count", c_size_t), ("mean", c_double), ("deviation", c_double)]


class Evaluation(_Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        *((name, Scores) for name in ("all", "seam", "interior")),
        ("calibration_error", c_double),
    ]


_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "abi_version": (c_int, []),
    "last_error": (c_char_p, []),
    "builtin_model": (c_char_p, [c_size_t]),
    "builtin_description": (c_char_p, [c_size_t]),
    "recoverer_create": (c_int, [c_char_p, POINTER(c_void_p)]),
    "recoverer_create_dark": (c_int, [c_char_p, POINTER(c_void_p)]),
    "recoverer_copy": (c_int, [c_void_p, POINTER(c_void_p)]),
    "recoverer_destroy": (None, [c_void_p]),
    "recoverer_set_threads": (c_int, [c_void_p, c_int]),
    "recoverer_warning": (c_char_p, [c_void_p]),
    "recover": (c_int, [c_void_p, POINTER(Image), POINTER(Options), POINTER(Result)]),
    "recover_file": (c_int, [c_void_p, c_char_p, POINTER(Options), POINTER(Result)]),
    "recover_encoded": (
        c_int,
        [c_void_p, c_char_p, c_size_t, POINTER(Options), POINTER(Result)],
    ),
    "ea_score": (c_int, [POINTER(Line), POINTER(Line), c_int, c_int, POINTER(c_double)]),
    "evaluate": (c_int, [c_char_p, POINTER(EvaluationOptions), POINTER(Evaluation)]),
}


@functools.cache
def library() -> ctypes.CDLL:
    """The library of this package, loaded when it is first needed."""
    path = Path(__file__).with_name("lib") / "libvsmax.so"
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"vsmax cannot load its library: {error}") from None
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, f"vsmax_{name}")
        function.restype, function.argtypes = result, arguments
    if loaded.vsmax_abi_version() != _ABI_VERSION:
        raise ImportError(f"{path} belongs to another version of vsmax; install vsmax again")
    return loaded


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status, and raises an exception if it failed."""
    status = getattr(library(), f"vsmax_{name}")(*arguments)
    if status == 0:
        return
    sentence = library().vsmax_last_error().decode(errors="replace")
    if status == _ERROR_MEMORY:
        raise MemoryError(sentence)
    if status == _ERROR_INTERNAL:
        raise RuntimeError(sentence)
    if status == _ERROR_STOPPED:
        raise KeyboardInterrupt
    raise Error(sentence)


def c_path(path: str | bytes) -> bytes:
    """A name or path for C, in which a zero byte would silently end the string."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise Error(f"{os.fsdecode(path)!r} contains a zero byte")
    return encoded
