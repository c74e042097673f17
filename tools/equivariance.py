#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Is the refinement network equivariant to rotation? With Moebius padding, and on the double cover.

tools/equivariance.py models results/paper/equivariance.json

Turning the lines of an image shifts its accumulator along theta, with rho reversed for rows that
cross the seam. For trained networks and accumulators of noisy lines, this compares the logits of
the shifted accumulator with the shifted logits, in double precision: the largest difference, in
standard deviations of the logits.
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np

ANGLES = OFFSETS = 127
SIZE = 256
SHIFT = 40  # angles; moves the old seam into the interior
REACH = 6  # rows that a 3x3 network of six layers sees on either side
SIGMA = 0.6
LINES = ((0, 70), (1, 30), (126, 50), (20, 63), (64, 90), (100, 40))  # angle and offset bins
MODELS = ("softargmax-vs-s42", "softargmax-vs-raw-s42", "vsmax-vs-s42", "vsmax-vs-raw-s42")


def load(path):
    """The layers' (weight, bias) and the metadata of a safetensors file."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    head = json.loads(data[8 : 8 + length])
    meta = head.pop("__metadata__")
    tensors = {}
    for name, entry in head.items():
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[8 + length + begin : 8 + length + end], "<f4")
        tensors[name] = values.reshape(entry["shape"]).astype(float)
    layers = sorted({name.rsplit(".", 1)[0] for name in tensors})
    return [(tensors[f"{name}.weight"], tensors[f"{name}.bias"]) for name in layers], meta


def accumulators():
    """Votes of noisy lines (Eq. 7, 28, 29 of docs/math.md)."""
    random = np.random.default_rng(42)
    y, x = np.mgrid[:SIZE, :SIZE] - (SIZE - 1) / 2
    delta = np.sqrt(2) * (SIZE - 1) / (OFFSETS - 1)
    for t, r in LINES:
        theta = np.pi * t / ANGLES
        c, s = np.cos(theta), np.sin(theta)
        rho = (r - OFFSETS // 2) * delta
        ink = np.abs(x * c + y * s - rho) <= max(abs(c), abs(s)) / 2
        image = np.clip(ink + SIGMA * random.standard_normal(ink.shape), 0, 1)
        rows = []
        for angle in np.pi * np.arange(ANGLES) / ANGLES:
            bins = np.rint((x * np.cos(angle) + y * np.sin(angle)) / delta).astype(int)
            bins += OFFSETS // 2
            rows.append(np.bincount(bins.ravel(), image.ravel(), minlength=OFFSETS))
        yield np.array(rows)


def logits(votes, layers, scale, double):
    features = (scale * (np.vstack([votes, votes[:, ::-1]]) if double else votes))[None]
    for place, (weight, bias) in enumerate(layers):
        edge = features if double else features[..., ::-1]
        padded = np.concatenate([edge[:, -1:], features, edge[:, :1]], axis=1)
        padded = np.pad(padded, ((0, 0), (0, 0), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
        features = np.einsum("ctrij,ocij->otr", windows, weight, optimize=True)
        features += bias[:, None, None]
        if place + 1 < len(layers):
            features = np.maximum(features, 0)
    return features[0]


def turned(rows, double=False):
    """Turned by SHIFT angles; on the Moebius strip, rows that cross the seam are reversed."""
    moved = np.roll(rows, -SHIFT, axis=0)
    if not double:
        moved[-SHIFT:] = moved[-SHIFT:, ::-1]
    return moved


def measure(name, folder, votes):
    layers, meta = load(folder / f"{name}.safetensors")
    scale, double = float(meta["scale"]), meta["readout"] == "vsmax"
    # Rows that cross the seam, rows that see it before or after, and all others.
    row = np.arange(ANGLES * (2 if double else 1))
    crossed = np.zeros(row.size, bool) if double else row >= ANGLES - SHIFT
    near = ~crossed & ((row < REACH) | (row >= ANGLES - SHIFT - REACH)) & (not double)
    parts = {"crossed": crossed, "near": near, "others": ~crossed & ~near}
    largest = dict.fromkeys(parts, 0.0)
    for one in votes:
        plain = turned(logits(one, layers, scale, double), double)
        apart = np.abs(plain - logits(turned(one), layers, scale, double)).max(axis=1)
        for part, rows in parts.items():
            largest[part] = max(largest[part], (apart[rows] / plain.std()).max(initial=0.0))
    return {"name": name, "cover": "double" if double else "single", **largest}


def main():
    folder, out = map(Path, sys.argv[1:])
    votes = list(accumulators())
    rows = [measure(name, folder, votes) for name in MODELS]
    head = {"shift": SHIFT, "sigma": SIGMA, "lines": LINES}
    out.write_text(json.dumps({**head, "rows": rows}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: tools/equivariance.py MODELS OUT.json")
    main()
