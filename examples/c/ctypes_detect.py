# SPDX-License-Identifier: Apache-2.0
"""Prints the lines in each image, as 'vsmax detect' does, with nothing but Python and libvsmax.so.

    python examples/c/ctypes_detect.py photo.jpg

VSMAX_LIBRARY names the library if it is not installed.
"""

import ctypes
import ctypes.util
import math
import os
import sys


class Line(ctypes.Structure):
    """vsmax_line; vsmax/c/vsmax.h explains the members."""

    _fields_ = [
        *((name, ctypes.c_double) for name in ("theta", "rho", "confidence")),
        *((name, ctypes.c_int) for name in ("is_visible", "has_spread")),
        *((name, ctypes.c_double) for name in ("x1", "y1", "x2", "y2")),
        *((name, ctypes.c_double) for name in ("theta_sd", "rho_sd", "correlation")),
        *((name, ctypes.c_double * 2) for name in ("theta_68", "theta_95", "rho_68", "rho_95")),
        ("reserved", ctypes.c_double * 8),
    ]


class Result(ctypes.Structure):
    """vsmax_result."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("lines", ctypes.POINTER(Line)),
        ("line_count", ctypes.c_size_t),
        ("model", ctypes.c_char_p),
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
    ]


def load_library():
    name = os.environ.get("VSMAX_LIBRARY") or ctypes.util.find_library("vsmax")
    if not name:
        sys.exit("libvsmax.so was not found; set VSMAX_LIBRARY to its path")
    library = ctypes.CDLL(name)
    library.vsmax_last_error.restype = ctypes.c_char_p
    library.vsmax_recoverer_create.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]
    library.vsmax_recover_file.argtypes = [
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.POINTER(Result),
    ]
    library.vsmax_recoverer_destroy.argtypes = [ctypes.c_void_p]
    library.vsmax_recoverer_destroy.restype = None
    return library


class Recoverer:
    """with Recoverer("auto") as recoverer: lines, model = recoverer.lines_in("photo.jpg")"""

    def __init__(self, model):
        self.library = load_library()
        self.handle = ctypes.c_void_p()
        self._check(self.library.vsmax_recoverer_create(os.fsencode(model), self.handle))

    def lines_in(self, path):
        result = Result(struct_size=ctypes.sizeof(Result))
        self._check(self.library.vsmax_recover_file(self.handle, os.fsencode(path), None, result))
        # Copies, because the next call invalidates the pointers.
        lines = [Line.from_buffer_copy(result.lines[i]) for i in range(result.line_count)]
        return lines, result.model.decode()

    def _check(self, status):
        if status != 0:
            raise RuntimeError(self.library.vsmax_last_error().decode(errors="replace"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.vsmax_recoverer_destroy(self.handle)


def main():
    failed = False
    with Recoverer("auto") as recoverer:
        for path in sys.argv[1:]:
            try:
                lines, model = recoverer.lines_in(path)
            except RuntimeError as error:
                print(error, file=sys.stderr)
                failed = True
                continue
            if not lines:
                print(f"{path}: no line")
            for line in lines:
                ends = "outside the image"
                if line.is_visible:
                    ends = f"from ({line.x1:.1f}, {line.y1:.1f}) to ({line.x2:.1f}, {line.y2:.1f})"
                print(
                    f"{path}: theta {math.degrees(line.theta):.2f} deg, rho {line.rho:.2f} px,"
                    f" confidence {line.confidence:.2f} ({model}), {ends}"
                )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
