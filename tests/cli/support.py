# SPDX-License-Identifier: Apache-2.0
"""Runs the command line tool in a folder of its own."""

import csv
import json
import os
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

VSMAX = os.environ.get("VSMAX", "build/vsmax")


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def run_vsmax(self, *arguments, **options):
        return subprocess.run(
            [VSMAX, *map(str, arguments)],
            cwd=self.folder,
            capture_output=True,
            timeout=300,
            check=False,
            **options,
        )

    def succeed(self, *arguments, **options):
        result = self.run_vsmax(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode()

    def fail_with(self, code, *arguments, **options):
        result = self.run_vsmax(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stdout.decode() + result.stderr.decode())
        return result.stderr.decode()

    def detect_json(self, *arguments, **options):
        lines = self.succeed("detect", "--json", *arguments, **options).splitlines()
        return [json.loads(line) for line in lines]

    def synth(self, name, theta=0.7, rho=10.0, *options):
        self.succeed("synth", "--theta", theta, "--rho", rho, *options, name)
        return name


class BatchTest(CommandLineTest):
    """With a folder of images, searched by the fastest model."""

    FAST = ("detect", "--model", "classic", "--lines", "1")

    def make_images(self, count=6):
        """shots/0.png, ..., the last in a folder below."""
        (self.folder / "shots/more").mkdir(parents=True)
        names = [f"shots/{i}.png" for i in range(count - 1)] + [f"shots/more/{count - 1}.png"]
        for i, name in enumerate(names):
            self.synth(name, 0.3 + 0.1 * i, 2 * i, "--size", "64x48")
        return names

    def images_of(self, *arguments, **options):
        """The names in the output, in its order."""
        rows = self.succeed(*self.FAST, "--json", *arguments, **options).splitlines()
        return [json.loads(row)["image"] for row in rows]

    def records(self, name="out.jsonl"):
        text = (self.folder / name).read_text()
        self.assertTrue(text.endswith("\n"))
        return [json.loads(row) for row in text.splitlines()]

    def table(self, name="out.csv"):
        with open(self.folder / name, newline="", errors="surrogateescape") as file:
            return list(csv.DictReader(file, strict=True))


def png_bytes(width, height, rows, bits=8):
    """A grey PNG from the bytes of its rows, written without the code under test."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    data = b"".join(b"\0" + bytes(row) for row in rows)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(data))
        + chunk(b"IEND", b"")
    )


def png_size(path):
    """Width and height as the file's header has them."""
    return struct.unpack(">II", Path(path).read_bytes()[16:24])


def safetensors_bytes(metadata):
    """A weights file without tensors, written without the code under test."""
    header = json.dumps({"__metadata__": metadata}).encode()
    return struct.pack("<Q", len(header)) + header
