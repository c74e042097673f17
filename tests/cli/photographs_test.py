# SPDX-License-Identifier: Apache-2.0
"""The example photographs: small, credited, and answered as their README says."""

import math
import re
import unittest
from pathlib import Path

from support import CommandLineTest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples/photos"
README = (FOLDER / "README.md").read_text()
PHOTOGRAPHS = sorted(path.relative_to(ROOT) for path in FOLDER.glob("*.jpg"))
ANSWER = re.compile(
    r"(?P<image>\S+): (?:no line|theta (?P<theta>[\d.]+) deg, rho (?P<rho>[-\d.]+) px, "
    r"confidence (?P<confidence>[\d.]+) \((?P<model>[\w-]+)\), .*)$"
)


class Photographs(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.folder = ROOT

    def test_every_one_is_small_and_credited(self):
        sizes = [(ROOT / path).stat().st_size for path in PHOTOGRAPHS]
        self.assertLessEqual(max(sizes), 100_000)
        self.assertLessEqual(sum(sizes), 500_000)
        rows = re.findall(r"^\| `(\S+)` \|.*\| (.+) \|$", README, re.MULTILINE)
        self.assertEqual([name for name, _ in rows], [path.name for path in PHOTOGRAPHS])
        for name, licence in rows:
            self.assertRegex(licence, r"CC0|CC BY|public domain", name)

    def test_answers_are_those_of_the_readme(self):
        told = [line[4:] for line in README.splitlines() if line.startswith("    examples/photos/")]
        found = self.succeed("detect", *PHOTOGRAPHS).splitlines()
        self.assertEqual(len(found), len(told), "\n".join(found))
        for line, expected in zip(found, told, strict=True):
            ours, theirs = (ANSWER.match(text).groupdict() for text in (line, expected))
            # The last digits may depend on the processor and on the JPEG decoder.
            for key, tolerance in (("theta", 0.05), ("rho", 0.5), ("confidence", 0.03)):
                a, b = (float(answer.pop(key) or -1) for answer in (ours, theirs))
                self.assertAlmostEqual(a, b, delta=tolerance, msg=line)
            self.assertEqual(ours, theirs)

    def test_the_added_trail_is_found_where_it_was_drawn(self):
        drawn = re.search(r"trail lies at theta (\d+)°, rho (\d+) px", README)
        (found,) = self.detect_json("examples/photos/streak.jpg")
        (line,) = found["lines"]
        self.assertAlmostEqual(math.degrees(line["theta"]), float(drawn[1]), delta=0.5)
        self.assertAlmostEqual(line["rho"], float(drawn[2]), delta=1.0)


if __name__ == "__main__":
    unittest.main()
