# SPDX-License-Identifier: Apache-2.0
"""What libvsmax.so shows to the outside: the functions of its header, and nothing else."""

import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = (ROOT / "src/vsmax/c/vsmax.h").read_text()
LIBRARY = os.environ["LIBVSMAX"]


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Exports(unittest.TestCase):
    def test_exactly_the_functions_of_the_header(self):
        declared = re.findall(r"^[a-z][\w* ]*[ *](vsmax_\w+)\(", HEADER, re.MULTILINE)
        self.assertGreater(len(declared), 10)
        symbols = output_of("nm", "--dynamic", "--defined-only", LIBRARY).splitlines()
        exported = [line.split()[2] for line in symbols if line.split()[1] != "A"]
        self.assertEqual(sorted(exported), sorted(f"{name}@@VSMAX_0.1" for name in declared))

    def test_the_name_carries_the_abi_version(self):
        abi = re.search(r"#define VSMAX_ABI_VERSION (\d+)", HEADER)[1]
        self.assertIn(f"[libvsmax.so.{abi}]", output_of("readelf", "--dynamic", LIBRARY))

    def test_needs_no_libtorch(self):
        needed = re.findall(r"NEEDED.*\[(.*)\]", output_of("readelf", "--dynamic", LIBRARY))
        self.assertIn("libc.so.6", needed)
        self.assertFalse([name for name in needed if "torch" in name or "c10" in name])


if __name__ == "__main__":
    unittest.main()
