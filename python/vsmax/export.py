# SPDX-License-Identifier: Apache-2.0
"""The whole pipeline as an ONNX graph of standard operators."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import torch

from ._library import is_double, ops
from .model import LineModel
from .refine import RefineNet

_OPSET = 13
_IR_VERSION = 8  # from the time of opset 13, so that older runtimes can read the file
_LEAST_PIXELS = 8  # of a cell that counts as evidence (Eq. 11), as Whitening::kLeastPixels
_REACH = 2  # bins around a line whose mass makes its concentration (Eq. 25)
# Squaring the matrix 24 times is 2^24 steps of the power method: enough for a gap of 1e-6.
_SQUARINGS = 24


class _Graph:
    """Collects nodes and constants; a value is the name of its edge."""

    def __init__(self, onnx: Any) -> None:
        self._onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any, dtype: Any = np.float64) -> str:
        name = f"c{len(self.constants)}"
        array = np.array(value, dtype=dtype, order="C")
        self.constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def __call__(self, operator: str, *inputs: Any, **attributes: Any) -> str:
        """Adds a node; numbers among its inputs become constants."""
        edges = [x if isinstance(x, str) else self.constant(x) for x in inputs]
        name = f"v{len(self.nodes)}"
        self.nodes.append(self._onnx.helper.make_node(operator, edges, [name], **attributes))
        return name

    def indices(self, *values: int) -> str:
        return self.constant(list(values), np.int64)

    def cast(self, value: str, dtype: Any) -> str:
        kind = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self("Cast", value, to=int(kind))

    def slice(self, value: str, axis: int, begin: int, end: int, step: int = 1) -> str:
        bounds = [self.indices(x) for x in (begin, end, axis, step)]
        return self("Slice", value, *bounds)

    def flip(self, value: str, axis: int) -> str:
        return self.slice(value, axis, -1, -(2**31), -1)

    def sum(self, value: str, *axes: int, keep: int = 0) -> str:
        return self("ReduceSum", value, self.indices(*axes), keepdims=keep)

    def take(self, value: str, index: int) -> str:
        """One entry of the last axis, which is dropped."""
        return self("Gather", value, self.constant(index, np.int64), axis=-1)


def _edges(model: LineModel) -> tuple[np.ndarray, np.ndarray]:
    """Where the bins of every row begin, [T, H, R + 1], and whether they run to the right, [T].

    Along a row the bin index is monotone (Eq. 10), so the pixels below a bin are the row's first
    ones, or its last ones where the cosine is negative.
    """
    height, width = model.size
    if width > np.iinfo(np.uint16).max:
        raise ValueError(f"export_onnx takes images of up to 65535 columns, not {width}")
    thetas, rhos = model.hough.thetas, model.hough.rhos
    bins = ops.vote_table(width, height, thetas, rhos).long()
    counts = torch.zeros(thetas, height, rhos + 1, dtype=torch.long)
    counts.scatter_add_(2, bins + 1, torch.ones_like(bins))
    below = counts.cumsum(2)  # pixels of the row in bins below r
    rightwards = (bins[:, :, -1] >= bins[:, :, 0]).all(1)
    edges = torch.where(rightwards[:, None, None], below, width - below)
    return edges.numpy().astype(np.uint16), rightwards.numpy()


def _write_atomically(content: bytes, path: str) -> None:
    """Leaves either the old file or the complete new one."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def _hough(g: _Graph, model: LineModel, images: str) -> str:
    """[B, H, W] -> [B, T, R]: prefix sums along the rows, gathered at the bins' edges (Eq. 10)."""
    height, width = model.size
    edges, rightwards = _edges(model)
    sums = g("CumSum", images, g.constant(2, np.int64))
    pads = g.constant([0, 0, 1, 0, 0, 0], np.int64)
    prefix = g("Reshape", g("Pad", sums, pads), g.indices(0, height * (width + 1)))
    rows = g.constant((width + 1) * np.arange(height)[None, :, None], np.int32)
    where = g("Add", g.cast(g.constant(edges, np.uint16), np.int32), rows)
    at_edges = g.sum(g("Gather", prefix, where, axis=1), 2)  # [B, T, R + 1]
    runs = g("Sub", g.slice(at_edges, 2, 1, 2**31), g.slice(at_edges, 2, 0, -1))
    return g("Mul", runs, np.where(rightwards, 1.0, -1.0)[:, None])


def _seam_pad(g: _Graph, features: str, moebius: bool) -> str:
    edge = g.flip(features, 3) if moebius else features
    last = g.slice(edge, 2, -1, 2**31)
    return g("Concat", last, features, g.slice(edge, 2, 0, 1), axis=2)


def _network(g: _Graph, net: RefineNet, votes: str) -> str:
    """[B, T, R] -> [B, T or 2T, R], in float32 (Eq. 14)."""
    double = is_double(net.cover)
    features = g.cast(g("Mul", votes, net.scale), np.float32)
    if double:
        features = g("Concat", features, g.flip(features, 2), axis=1)
    features = g("Unsqueeze", features, g.indices(1))
    for layer in net.refine:
        if layer is not net.refine[0]:
            features = g("Relu", features)
        weight = g.constant(layer.weight.detach().cpu().numpy(), np.float32)
        bias = g.constant(layer.bias.detach().cpu().numpy(), np.float32)
        padded = _seam_pad(g, features, not double)
        features = g("Conv", padded, weight, bias, pads=[0, 1, 0, 1], kernel_shape=[3, 3])
    return g.cast(g("Squeeze", features, g.indices(1)), np.float64)


def _whitening(g: _Graph, model: LineModel, votes: str, images: str) -> str:
    """[B, T, R] -> [B, T, R] (Eq. 11, 24)."""
    counts = model.hough(torch.ones(model.size, dtype=torch.float64)).numpy()
    sound = counts >= _LEAST_PIXELS
    mean = g("ReduceMean", images, axes=[1, 2], keepdims=1)
    apart = g("Sub", images, mean)
    variance = g("ReduceMean", g("Mul", apart, apart), axes=[1, 2], keepdims=1)
    # Rounding may give a constant image a variance.
    most, least = (g(op, images, axes=[1, 2], keepdims=1) for op in ("ReduceMax", "ReduceMin"))
    flat = g("Or", g("Equal", most, least), g("Equal", variance, 0.0))
    spread = g("Sqrt", g("Where", flat, 1.0, variance))
    root = np.where(sound, 1 / np.sqrt(np.maximum(counts, 1)), 0.0)
    z = g("Div", g("Mul", g("Sub", votes, g("Mul", mean, counts)), root), spread)
    z = g("Where", flat, 0.0, g("Max", z, 0.0))
    return g("Mul", g("Mul", z, z), 0.5)


def _mean_matrix(g: _Graph, model: LineModel, p: str, rows: int) -> str:
    """[B, cells] -> [B, 3, 3]: the mean of ll', from the moments of every row (Eq. 17, 18)."""
    theta = np.arange(rows) * math.pi / model.hough.thetas
    rho = np.linspace(-1, 1, model.hough.rhos)
    moments = np.stack([rho**0, rho, rho**2], -1) / (1 + rho**2)[:, None]
    c, s, nil, one = np.cos(theta), np.sin(theta), 0 * theta, 1 + 0 * theta
    # How the moments 0, 1 and 2 of a row enter the nine entries.
    shares = [
        [c * c, c * s, nil, c * s, s * s, nil, nil, nil, nil],
        [nil, nil, -c, nil, nil, -s, -c, -s, nil],
        [nil, nil, nil, nil, nil, nil, nil, nil, one],
    ]
    table = np.asarray(shares).transpose(2, 0, 1).reshape(3 * rows, 9)
    by_row = g("Reshape", p, g.indices(0, rows, model.hough.rhos))
    flat = g("Reshape", g("MatMul", by_row, moments), g.indices(0, 3 * rows))
    return g("Reshape", g("MatMul", flat, table), g.indices(0, 3, 3))


def _leading(g: _Graph, matrix: str) -> tuple[str, str]:
    """[B, 3, 3] -> its leading eigenvector [B, 3] and the gap to the next eigenvalue [B]."""
    eye = np.eye(3)
    power = matrix
    for _ in range(_SQUARINGS):
        power = g("MatMul", power, power)
        trace = g.sum(g("Mul", power, eye), 1, 2, keep=1)
        power = g("Div", power, trace)
    # The power is uu' by now: its longest column is the best scaled copy of u.
    lengths = g.sum(g("Mul", power, power), 1)
    longest = g("ArgMax", lengths, axis=1, keepdims=1)
    chosen = g.cast(g("Equal", longest, g.indices(0, 1, 2)), np.float64)
    column = g("Unsqueeze", chosen, g.indices(1))
    u = g.sum(g("Mul", power, column), 2)
    u = g("Div", u, g("Sqrt", g.sum(g("Mul", u, u), 1, keep=1)))
    # The other two eigenvalues from what is left of the trace and of the sum of squares.
    along = g("Squeeze", g("MatMul", matrix, g("Unsqueeze", u, g.indices(2))), g.indices(2))
    first = g.sum(g("Mul", along, u), 1)
    rest = g("Sub", g.sum(g("Mul", matrix, eye), 1, 2), first)
    squares = g("Sub", g.sum(g("Mul", matrix, matrix), 1, 2), g("Mul", first, first))
    spread = g("Max", g("Sub", g("Mul", squares, 2.0), g("Mul", rest, rest)), 0.0)
    second = g("Mul", g("Add", rest, g("Sqrt", spread)), 0.5)
    return u, g("Sub", first, second)


def _polar(g: _Graph, u: str) -> tuple[str, str]:
    """A line's vector [B, 3] -> theta in [0, pi) and rho / D (Eq. 22)."""
    x, y, z = (g.take(u, i) for i in range(3))
    # Where y is 0, theta is 0 for x > 0 and has to be turned for x < 0.
    turned = g("Or", g("Less", y, 0.0), g("And", g("Equal", y, 0.0), g("Less", x, 0.0)))
    sign = g("Where", turned, -1.0, 1.0)
    x, y, z = (g("Mul", value, sign) for value in (x, y, z))
    length = g("Max", g("Sqrt", g("Add", g("Mul", x, x), g("Mul", y, y))), 1e-300)
    # 2 atan(y / (length + x)) cancels where x is negative; its reciprocal form does not.
    flat = g("Less", x, 0.0)
    small = g("Div", g("Where", flat, g("Sub", length, x), y),
              g("Max", g("Where", flat, y, g("Add", length, x)), 1e-300))  # fmt: skip
    angle = g.cast(g("Atan", g.cast(small, np.float32)), np.float64)  # no float64 Atan
    theta = g("Mul", angle, 2.0)
    # In float32 pi / 2 rounds up, so theta may exceed pi: then take the same line at 0.
    over = g("Less", math.pi, theta)
    theta = g("Where", over, 0.0, theta)
    return theta, g("Mul", g("Where", over, 1.0, -1.0), g("Div", z, length))


def _mass_near(g: _Graph, model: LineModel, p: str, theta: str, rho: str) -> str:
    """The probability within two bins of the line, across the seam as well: [B] (Eq. 25)."""
    thetas, rhos = model.hough.thetas, model.hough.rhos
    half = (rhos - 1) // 2
    t = g("Floor", g("Add", g("Mul", theta, thetas / math.pi), 0.5))
    over = g("Equal", t, float(thetas))
    t = g("Where", over, 0.0, t)
    rho = g("Where", over, g("Neg", rho), rho)
    bins = g("Min", g("Max", g("Mul", rho, float(half)), -2.0 * half), 2.0 * half)
    rounded = g("Mul", g("Sign", bins), g("Floor", g("Add", g("Abs", bins), 0.5)))
    t, r = (g("Unsqueeze", value, g.indices(1, 2)) for value in (t, rounded))
    rows = np.arange(thetas, dtype=np.float64)[:, None]
    columns = np.arange(rhos, dtype=np.float64)[None, :] - half
    reach = min(_REACH, (thetas - 1) // 2) + 0.5
    apart = g("Abs", g("Sub", t, rows))
    here = g("And", g("Less", apart, reach),
             g("Less", g("Abs", g("Sub", r, columns)), _REACH + 0.5))  # fmt: skip
    beyond = g("And", g("Less", g("Abs", g("Sub", apart, float(thetas))), reach),
               g("Less", g("Abs", g("Add", r, columns)), _REACH + 0.5))  # fmt: skip
    return g.sum(g("Where", g("Or", here, beyond), p, 0.0), 1, 2)


def _build(g: _Graph, model: LineModel, images: str) -> tuple[str, str, str]:
    thetas, rhos = model.hough.thetas, model.hough.rhos
    wide = g.cast(images, np.float64)  # for differences of sums over 65,536 pixels
    votes = _hough(g, model, wide)
    if isinstance(model.refinement, RefineNet):
        logits = _network(g, model.refinement, votes)
    else:
        logits = _whitening(g, model, votes, wide)
    double = is_double(model.veronese.cover)
    rows = 2 * thetas if double else thetas
    flat = g("Reshape", logits, g.indices(0, rows * rhos))
    p = g("Softmax", g("Div", flat, float(model.veronese.temperature)), axis=1)
    u, gap = _leading(g, _mean_matrix(g, model, p, rows))
    if double:
        p = g("Reshape", p, g.indices(0, 2, thetas, rhos))
        sheets = [g("Gather", p, g.constant(i, np.int64), axis=1) for i in range(2)]
        p = g("Add", sheets[0], g.flip(sheets[1], 2))
    else:
        p = g("Reshape", p, g.indices(0, thetas, rhos))
    if model.soft_argmax is None:
        theta, rho = _polar(g, u)
    else:
        theta = g("MatMul", g.sum(p, 2), np.arange(thetas) * math.pi / thetas)
        rho = g("MatMul", g.sum(p, 1), np.linspace(-1, 1, rhos))
    mass = _mass_near(g, model, p, theta, rho)
    confidence = g("Mul", *(g("Min", g("Max", x, 0.0), 1.0) for x in (gap, mass)))
    return theta, g("Mul", rho, model.half_diagonal), confidence


def export_onnx(model: LineModel, path: str | os.PathLike[str]) -> None:
    """Writes ``image`` [B, H, W] to ``theta``, ``rho`` (pixels) and ``confidence``, each [B].

    Computes what :meth:`LineModel.predict` does, with float32 inputs and outputs. Where an image
    has no line, such as a blank one, only the confidence agrees. Uses only standard operators of
    opset 13: prefix sums and Gather for the Hough transform, and a fixed number of steps for the
    eigenvector. Needs the package ``onnx``.

    >>> import os, tempfile, vsmax
    >>> folder = tempfile.mkdtemp()
    >>> path = os.path.join(folder, "lines.onnx")
    >>> vsmax.export_onnx(vsmax.load("classic", size=(48, 64)), path)  # doctest: +SKIP
    """
    if not isinstance(model, LineModel):
        raise TypeError(f"export_onnx takes a vsmax.LineModel, not a {type(model).__name__}")
    try:
        import onnx
        import onnx.numpy_helper
    except ImportError:
        # A newer onnx requires NumPy 2, which torch 1 cannot use.
        package = "onnx" if torch.__version__ >= "2" else "'onnx<1.17' 'numpy<2'"
        raise ImportError(f"export_onnx needs the package onnx: pip install {package}") from None
    kind = onnx.TensorProto.FLOAT
    g = _Graph(onnx)
    names = ["theta", "rho", "confidence"]
    for name, value in zip(names, _build(g, model, "image"), strict=True):
        g.nodes.append(onnx.helper.make_node("Cast", [value], [name], to=kind))
    describe = onnx.helper.make_tensor_value_info
    inputs = [describe("image", kind, ["B", *model.size])]
    outputs = [describe(name, kind, ["B"]) for name in names]
    graph = onnx.helper.make_graph(g.nodes, "vsmax", inputs, outputs, g.constants)
    versions = {"ir_version": _IR_VERSION, "opset_imports": [onnx.helper.make_opsetid("", _OPSET)]}
    whole = onnx.helper.make_model(graph, producer_name="vsmax", **versions)
    onnx.checker.check_model(whole)
    _write_atomically(whole.SerializeToString(), os.fspath(path))
