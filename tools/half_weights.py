#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rounds the weights of a model to half precision, which takes half the space.

tools/half_weights.py models/horizon.safetensors half/horizon.safetensors

The program reads the result like any other model: vsmax detect --model half/horizon.safetensors
"""

import hashlib
import json
import struct
import sys
from pathlib import Path


def checksum(tensors: dict[str, tuple[list[int], bytes]], metadata: dict[str, str]) -> str:
    """Of the widened values, as src/vsmax/io/safetensors.cpp defines it."""
    digest = hashlib.sha256()
    for name, (shape, data) in sorted(tensors.items()):
        values = struct.unpack(f"<{len(data) // 2}e", data)
        digest.update(f"{name}\0{','.join(map(str, shape))}\0".encode())
        digest.update(struct.pack(f"<{len(values)}f", *values))
    for key, value in sorted(metadata.items()):
        digest.update(f"{key}\0{value}\0".encode())
    return digest.hexdigest()


def half_precision(file: bytes) -> bytes:
    (size,) = struct.unpack("<Q", file[:8])
    header = json.loads(file[8 : 8 + size])
    data = file[8 + size :]
    metadata = header.pop("__metadata__")
    del metadata["sha256"]
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
        tensors[name] = (entry["shape"], struct.pack(f"<{len(values)}e", *values))
    out = {"__metadata__": {**metadata, "sha256": checksum(tensors, metadata)}}
    offset = 0
    for name, (shape, halves) in sorted(tensors.items()):
        end = offset + len(halves)
        out[name] = {"dtype": "F16", "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(out, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(tensors[n][1] for n in sorted(tensors))


def main() -> None:
    source, target = map(Path, sys.argv[1:])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(half_precision(source.read_bytes()))


if __name__ == "__main__":
    main()
