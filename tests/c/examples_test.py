# SPDX-License-Identifier: Apache-2.0
"""The examples of examples/c: they print what the program prints."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PHOTOS = [str(ROOT / "examples/photos" / name) for name in ("streak.jpg", "sea.jpg")]


def run(*command):
    environment = {**os.environ, "VSMAX_LIBRARY": os.environ["LIBVSMAX"]}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


class Examples(unittest.TestCase):
    def expect_the_programs_answer(self, *command):
        if "VSMAX" not in os.environ:
            self.skipTest("the program vsmax was not built")
        images = [*PHOTOS, "no/such.png"]
        expected = run(os.environ["VSMAX"], "detect", *images)
        result = run(*command, *images)
        self.assertIn("theta", expected.stdout)
        self.assertEqual(result.stdout, expected.stdout)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no/such.png: cannot be read", result.stderr)

    def test_c(self):
        self.expect_the_programs_answer(os.environ["EXAMPLE_C"])

    def test_ctypes(self):
        if "SANITIZED" in os.environ:
            self.skipTest("Python is not built with the sanitizers")
        script = ROOT / "examples/c/ctypes_detect.py"
        self.expect_the_programs_answer(sys.executable, str(script))

    @unittest.skipUnless("EXAMPLE_OPENCV" in os.environ, "OpenCV's core is not installed")
    def test_opencv(self):
        result = run(os.environ["EXAMPLE_OPENCV"])
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        (line,) = result.stdout.splitlines()
        theta, _, rho, _ = (float(number) for number in re.findall(r"\d+\.\d+", line))
        self.assertAlmostEqual(theta, 1.2, delta=0.005)
        self.assertAlmostEqual(rho, 40.0, delta=0.2)


if __name__ == "__main__":
    unittest.main()
