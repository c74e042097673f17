# SPDX-License-Identifier: Apache-2.0
"""The lines in images: files, their content, or arrays."""

from __future__ import annotations

import ctypes
import errno
import functools
import itertools
import operator
import os
import stat
import threading
import warnings
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _c
from ._c import Error

if TYPE_CHECKING:
    import numpy.typing as npt

    Image = npt.ArrayLike | bytes | str | os.PathLike[str]

_MODELS_KEPT = 8  # recoverers hold a few megabytes each
_MOST_LINES = 1000  # as the program
_MOST_THREADS = 1024


class Spread(NamedTuple):
    """How far the true line may lie from the one found: standard deviations of theta (radians) and
    rho (pixels) and their correlation, and the intervals that hold them with probability 0.68 and
    0.95. Next to the seam, an interval of ``theta`` lies on both sides of it and leaves [0, pi).
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
    [0, 1]; ``endpoints`` are ((x, y), (x, y)) of the visible part, relative to the centre of the
    top-left pixel, or None for a line outside the image; ``model`` is the one that found it;
    ``spread`` says how precise it is, where the model can tell (``default``).
    """

    theta: float
    rho: float
    confidence: float
    endpoints: tuple[tuple[float, float], tuple[float, float]] | None
    model: str
    spread: Spread | None = None


class Answer(NamedTuple):
    """What is found in one image."""

    width: int
    height: int
    model: str
    lines: list[Line]


def _line(found: _c.Line, model: str) -> Line:
    ends = ((found.x1, found.y1), (found.x2, found.y2)) if found.is_visible else None
    spread = None
    if found.has_spread:
        values = (getattr(found, name) for name in Spread._fields)
        spread = Spread(*(v if isinstance(v, float) else tuple(v) for v in values))
    return Line(found.theta, found.rho, found.confidence, ends, model, spread)


class _Recoverer:
    """A recoverer of the C library, which serves one thread at a time."""

    def __init__(self, function: str, source: Any) -> None:
        self.handle = ctypes.c_void_p()
        _c.call(function, source, ctypes.byref(self.handle))
        weakref.finalize(self, _c.library().vsmax_recoverer_destroy, self.handle)

    def answer(self, image: Any, options: _c.Options) -> Answer:
        result = _c.Result()
        if isinstance(image, (str, os.PathLike)):
            path = _readable(image)
            _c.call("recover_file", self.handle, _c.c_path(path), options, result)
        elif isinstance(image, (bytes, bytearray)):
            _c.call("recover_encoded", self.handle, bytes(image), len(image), options, result)
        else:
            from . import _pixels  # only here, because NumPy takes longer to load than the library

            view, owner = _pixels.image_of(_pixels.array_of(image))
            _c.call("recover", self.handle, view, options, result)
            del owner
        model = result.model.decode(errors="surrogateescape")
        lines = [_line(result.lines[i], model) for i in range(result.line_count)]
        return Answer(result.width, result.height, model, lines)


class _Recoverers:
    """The recoverers of one model: as many as were ever in use at the same time."""

    def __init__(self, model: str, dark: bool) -> None:
        create = "recoverer_create_dark" if dark else "recoverer_create"
        self._original = _Recoverer(create, _c.c_path(model))
        self._idle = [self._original]
        self._lock = threading.Lock()
        warning = _c.library().vsmax_recoverer_warning(self._original.handle).decode()
        if warning:
            warnings.warn(warning, stacklevel=5)

    def answer(self, image: Any, options: _c.Options, threads: int) -> Answer:
        with self._lock:
            recoverer = self._idle.pop() if self._idle else None
        if recoverer is None:
            recoverer = _Recoverer("recoverer_copy", self._original.handle)
        try:
            _c.call("recoverer_set_threads", recoverer.handle, threads)
            return recoverer.answer(image, options)
        finally:
            with self._lock:
                self._idle.append(recoverer)


@functools.lru_cache(maxsize=_MODELS_KEPT)
def _recoverers(model: str, dark: bool, _changed: int) -> _Recoverers:
    return _Recoverers(model, dark)


def model_changed(model: str) -> int:
    """When the file of a model was written, 0 for a built-in one; raises if there is no file."""
    if not any(mark in model for mark in "./\0"):  # a name; the library knows which there are
        return 0
    return os.stat(_readable(model)).st_mtime_ns


def _readable(path: str | os.PathLike[str]) -> str:
    """The path of a readable file for the library; raises what opening the file would raise."""
    name = os.fsdecode(path)
    if "\0" in name:
        raise Error(f"{name!r} contains a zero byte")
    reason = 0
    if stat.S_ISDIR(os.stat(name).st_mode):
        reason = errno.EISDIR
    elif not os.access(name, os.R_OK):
        reason = errno.EACCES
    if reason:
        raise OSError(reason, os.strerror(reason), name)
    return "./-" if name == "-" else name  # "-" would be standard input


def _most(lines: int | str) -> int:
    """The number of lines for the library, where 0 stands for auto."""
    if isinstance(lines, str) and lines == "auto":
        return 0
    try:
        most = operator.index(lines)
    except TypeError:
        most = 0
    if not 1 <= most <= _MOST_LINES:
        raise Error(f"lines must be 'auto' or from 1 to {_MOST_LINES}, not {lines!r}")
    return most


def thread_count(threads: int) -> int:
    """A number of threads, 0 for the default."""
    count = operator.index(threads)
    if not 0 <= count <= _MOST_THREADS:
        raise Error(f"threads must be from 0 to {_MOST_THREADS}, not {threads!r}")
    return count


class Detector:
    """A model and what to ask of it: the arguments of :func:`detect`, which explains them.

    Safe to call from several threads.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] = "auto",
        *,
        lines: int | str = "auto",
        min_confidence: float = 0.5,
        dark: bool = False,
    ) -> None:
        self._options = _c.Options(most_lines=_most(lines))
        if not 0 <= min_confidence <= 1:
            raise Error(f"min_confidence must lie between 0 and 1, not {min_confidence}")
        self._options.min_confidence = min_confidence
        name = os.fsdecode(model)
        self._recoverers = _recoverers(name, bool(dark), model_changed(name))

    def __call__(self, image: Image, threads: int = 1) -> Answer:
        return self._recoverers.answer(image, self._options, threads)


def _batch(images: Any) -> Sequence[Any] | None:
    """The images of a list or of an array of several; None for a single image."""
    if isinstance(images, (str, os.PathLike, bytes, bytearray)):
        return None
    if isinstance(images, (list, tuple)):
        return images
    from . import _pixels

    pixels = _pixels.array_of(images)
    return list(pixels) if _pixels.is_batch(pixels) else None


def detect(
    image: Image | Sequence[Image],
    model: str | os.PathLike[str] = "auto",
    *,
    lines: int | str = "auto",
    min_confidence: float = 0.5,
    dark: bool = False,
    threads: int = 0,
) -> list[Any]:  # of Line, or of lists of Line
    """The lines in an image, the most certain first, as ``vsmax detect`` finds them.

    ``image`` is a path (PNG or JPEG), the ``bytes`` of such a file, or an array: ``[H, W]`` for
    grey, ``[H, W, 3]`` for red, green and blue. Unsigned integers of 8 and 16 bits range from black
    to white. Other numbers are taken as they are if grey; colours lie between 0 and 1. Arrays of
    uint8, uint16 and float32 are read where they are, slices and mirrored ones too; others are
    copied.

    Several images, a list of any of these or an array ``[N, H, W]`` or ``[N, H, W, 3]``, give a
    list of lines for each; ``threads`` share them, one per processor by default. A single image
    takes one thread unless you give more.

    ``model`` is ``"auto"``, which chooses by the image, a built-in model (:func:`vsmax.models`) or
    a weights file. ``lines`` is how many to find at most, or ``"auto"`` for up to 32;
    ``min_confidence`` leaves out those less certain. ``dark`` looks for dark lines on a bright
    background, with ``default`` unless another model is given. Safe to call from several threads.

    Raises :class:`vsmax.Error`, a ValueError, for an image or model that cannot be used,
    FileNotFoundError and the like for files, and TypeError for arrays of anything but numbers.

    >>> import numpy as np, vsmax
    >>> image = np.zeros((100, 160))
    >>> image[:, 40] = 1
    >>> [line] = vsmax.detect(image)
    >>> abs(line.theta) < 0.01, abs(line.rho + 39.5) < 1, line.confidence > 0.9, line.model
    (True, True, True, 'default')
    >>> [len(found) for found in vsmax.detect([image, image.T, np.zeros((20, 30))])]
    [1, 1, 0]
    """
    count = thread_count(threads)
    detector = Detector(model, lines=lines, min_confidence=min_confidence, dark=dark)
    images = _batch(image)
    if images is None:
        return detector(image, count or 1).lines
    if not images:
        return []
    workers = min(count or len(os.sched_getaffinity(0)), len(images))

    def lines_of(index: int) -> list[Line]:
        try:
            return detector(images[index]).lines
        except (Error, TypeError) as error:
            raise type(error)(f"image {index}: {error}") from None

    with ThreadPoolExecutor(workers) as pool:
        try:
            return list(pool.map(lines_of, range(len(images))))
        finally:
            pool.shutdown(cancel_futures=True)  # after an error or an interrupt


def models() -> dict[str, str]:
    """The built-in models, and what each is for.

    >>> import vsmax
    >>> list(vsmax.models())[:3]
    ['auto', 'default', 'classic']
    """
    library = _c.library()
    names = itertools.takewhile(bool, map(library.vsmax_builtin_model, itertools.count()))
    return {
        name.decode(): library.vsmax_builtin_description(i).decode() for i, name in enumerate(names)
    }
