# SPDX-License-Identifier: Apache-2.0
"""Runs the command line tool in a folder of its own."""

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
