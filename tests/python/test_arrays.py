# SPDX-License-Identifier: Apache-2.0
"""Arrays of every kind: the same picture gives the same lines, and odd ones an exception."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from drawing import drawn_line

import vsmax
from vsmax import _pixels

SIZE = (90, 140)
GREY = 255 * drawn_line(0.7, 12.0, SIZE)
COLOUR = np.stack([GREY, GREY // 2, GREY // 3], -1)


@pytest.mark.parametrize(
    "kind",
    ["u1", "<u2", ">u2", "<f4", ">f4", "f8", ">f8", "f2", "g", "?", "i1", "<i4", ">i8", "u8"],
)
@pytest.mark.parametrize("dark", [False, True])
def test_every_kind_of_number_gives_the_same_line(kind: str, dark: bool) -> None:
    dtype = np.dtype(kind)
    bits = (GREY == 0) if dark else (GREY > 0)
    unsigned = dtype.name in {"uint8", "uint16"}
    array = (bits * np.iinfo(dtype).max if unsigned else bits).astype(dtype)
    asked = {"model": "classic", "lines": 1, "dark": dark}
    [line] = vsmax.detect(array, **asked)
    assert abs(line.theta - 0.7) < 0.05
    assert [line] == vsmax.detect(bits.astype(np.float32), **asked)


def padded(image: np.ndarray) -> np.ndarray:
    wide = np.full((image.shape[0] + 3, image.shape[1] + 5, *image.shape[2:]), 77, image.dtype)
    inside = wide[1:-2, 2:-3]
    inside[...] = image
    return inside


def unaligned(image: np.ndarray) -> np.ndarray:
    memory = bytearray(b"x" + image.tobytes())
    return np.frombuffer(memory, np.uint8)[1:].view(image.dtype).reshape(image.shape)


def with_alpha(image: np.ndarray) -> np.ndarray:
    alpha = np.full((*image.shape[:2], 1), 9, image.dtype)
    return np.concatenate([image, alpha], -1)[:, :, :3]


def planar(image: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.moveaxis(image, -1, 0)).transpose(1, 2, 0)


LAYOUTS = {  # how, and whether colours can be read without a copy
    "slice": (padded, True),
    "upside down": (lambda x: x[::-1].copy()[::-1], True),
    "mirrored": (lambda x: x[:, ::-1].copy()[:, ::-1], True),
    "every third": (lambda x: np.repeat(np.repeat(x, 3, 0), 3, 1)[::3, ::3], True),
    "transposed": (lambda x: x.swapaxes(0, 1).copy().swapaxes(0, 1), True),
    "unaligned": (unaligned, True),
    "read-only": (lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape), True),
    "Fortran": (np.asfortranarray, False),
}
COLOUR_LAYOUTS = {
    "blue first": (lambda x: x[..., ::-1].copy()[..., ::-1], True),
    "alpha beside": (with_alpha, True),
    "planar": (planar, False),
}


@pytest.mark.parametrize("kind", ["u1", "u2", "f4"])
@pytest.mark.parametrize("layout", [*LAYOUTS, *COLOUR_LAYOUTS])
def test_every_layout_gives_the_same_line(layout: str, kind: str) -> None:
    colour_only = layout in COLOUR_LAYOUTS
    arrange, in_place = {**LAYOUTS, **COLOUR_LAYOUTS}[layout]
    for image in (COLOUR,) if colour_only else (GREY, COLOUR):
        plain = image.astype(kind) / np.float32(255) if kind == "f4" else image.astype(kind)
        arranged = arrange(plain)
        assert np.array_equal(arranged, plain)
        expected = vsmax.detect(plain)
        assert len(expected) == 1
        assert vsmax.detect(arranged) == expected
        _, used = _pixels.image_of(arranged)
        assert np.shares_memory(used, arranged) == (in_place or image is GREY)


def test_pixels_that_share_memory_are_copied() -> None:
    row = np.broadcast_to(GREY[40], SIZE)
    assert vsmax.detect(row, lines=1) == vsmax.detect(row.copy(), lines=1)
    windows = np.lib.stride_tricks.sliding_window_view(GREY.ravel(), 100)[::37]
    assert vsmax.detect(windows, lines=3) == vsmax.detect(windows.copy(), lines=3)
    grey = np.broadcast_to(GREY[..., None], (*SIZE, 3))
    assert vsmax.detect(grey) == vsmax.detect(grey.copy())


def test_colours_keep_their_order() -> None:
    reversed_colours = COLOUR[..., ::-1]
    assert np.array_equal(_pixels.image_of(reversed_colours)[1], reversed_colours)
    noisy = np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)
    noisy[:, 30, 2] = 255
    asked = {"model": "photo-lines", "min_confidence": 0.0, "lines": 5}
    backwards = noisy[..., ::-1]
    assert vsmax.detect(backwards, **asked) == vsmax.detect(backwards.copy(), **asked)
    assert vsmax.detect(backwards, **asked) != vsmax.detect(noisy, **asked)


WRONG = {
    "nothing": (None, TypeError),
    "a number": (3.0, vsmax.Error),
    "objects": (np.full((4, 4), None), TypeError),
    "text": (np.full((4, 4), "x"), TypeError),
    "complex numbers": (np.ones((4, 4), complex), TypeError),
    "dates": (np.ones((4, 4), "M8[s]"), TypeError),
    "records": (np.zeros((4, 4), "f4,f4"), TypeError),
    "one dimension": (np.zeros(9), vsmax.Error),
    "five dimensions": (np.zeros((2, 2, 4, 4, 3)), vsmax.Error),
    "two channels": (np.zeros((9, 9, 2)), vsmax.Error),
    "four channels": (np.zeros((9, 9, 4)), vsmax.Error),
    "several images of four channels": (np.zeros((2, 9, 9, 4)), vsmax.Error),
    "no rows": (np.zeros((0, 9)), vsmax.Error),
    "no columns": (np.zeros((9, 0)), vsmax.Error),
    "no rows of colours": (np.zeros((0, 9, 3)), vsmax.Error),
    "no columns of colours": (np.zeros((9, 0, 3)), vsmax.Error),
    "no channels": (np.zeros((9, 9, 0)), vsmax.Error),
    "images without pixels": (np.zeros((3, 0, 9)), vsmax.Error),
    "one pixel": (np.zeros((1, 1)), vsmax.Error),
    "too many pixels": (np.broadcast_to(np.uint8(0), (2**15, 2**33)), vsmax.Error),
    "not a number": (np.full((4, 4), np.nan), vsmax.Error),
    "more than float32 holds": (np.full((4, 4), 1e300), vsmax.Error),
    "colours beyond white": (np.full((4, 4, 3), 255.0), vsmax.Error),
    "rows of different lengths": ([[1, 2], [3]], vsmax.Error),
}


@pytest.mark.parametrize("case", sorted(WRONG))
def test_wrong_arrays_raise_a_sentence(case: str) -> None:
    image, expected = WRONG[case]
    with pytest.raises(expected) as caught:
        vsmax.detect(image)
    assert type(caught.value) is expected
    assert str(caught.value).count("\n") == 0


def test_several_images_are_answered_one_by_one() -> None:
    greys = np.stack([255 * drawn_line(t, 5.0, (60, 80)) for t in (0.3, 1.2, 2.2, 3.0)])
    colours = np.stack([greys] * 3, -1)
    for images in (greys, colours):
        expected = [vsmax.detect(image) for image in images]
        assert all(expected)
        for threads in (1, 3):
            assert vsmax.detect(images, threads=threads) == expected
            assert vsmax.detect(list(images), threads=threads) == expected
        assert vsmax.detect(images[::-2]) == expected[::-2]
    mixed = [greys[0], colours[1], greys[2].astype(float)]
    assert vsmax.detect(mixed) == [vsmax.detect(image) for image in mixed]
    assert vsmax.detect([]) == []
    assert vsmax.detect(np.zeros((0, 60, 80))) == []


def test_the_wrong_one_of_several_images_is_named() -> None:
    good = np.eye(9)
    with pytest.raises(vsmax.Error, match=r"image 2: .*nan"):
        vsmax.detect([good, good, np.full((4, 4), np.nan), good])
    with pytest.raises(TypeError, match=r"image 1: .*object"):
        vsmax.detect([good, None])


def test_threads_share_a_model() -> None:
    images = [255 * drawn_line(0.1 * k, 3.0, (40 + k, 50)) for k in range(1, 12)]
    expected = [vsmax.detect(image) for image in images]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(vsmax.detect, images)) == expected


def test_works_after_a_fork() -> None:
    expected = vsmax.detect(GREY, threads=2)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(vsmax.detect, [GREY, GREY]).get(timeout=300) == [expected] * 2


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"lines": 0}, "not 0"),
        ({"lines": 1001}, "not 1001"),
        ({"lines": "all"}, "'all'"),
        ({"min_confidence": 1.5}, "not 1.5"),
        ({"min_confidence": float("nan")}, "nan"),
        ({"threads": -1}, "not -1"),
    ],
)
def test_wrong_options_are_named(asked: dict, named: str) -> None:
    with pytest.raises(vsmax.Error, match=named):
        vsmax.detect(GREY, **asked)
