# SPDX-License-Identifier: Apache-2.0
"""`vsmax scenes` draws folders that can be trained on and scored."""

import csv
import json
import signal
import time

from train_support import VSMAX, TrainTest, main

KINDS = {"horizons": "horizon", "cuts": "lines", "crop-rows": "guide", "blanks": "lines"}
SMALL = ("--count", 3, "--size", "64x48")


class Scenes(TrainTest):
    def scenes(self, *arguments, code=0):
        return self.run_program(VSMAX, "scenes", *arguments, code=code)

    def labels(self, folder):
        with (self.folder / folder / "labels.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def test_every_kind_can_be_scored(self):
        for kind, protocol in KINDS.items():
            output, _ = self.scenes(kind, *SMALL, "--out", kind)
            self.assertEqual(output, f"{kind}: 3 images with labels\n")
            score = ("evaluate", "--data", kind, "--protocol", protocol, "--model", "edges")
            report = json.loads(self.run_program(VSMAX, *score, "--json")[0])
            if kind == "blanks":
                self.assertEqual((report["labelled"], report["blank_images"]), (0, 3))
            elif protocol != "lines":
                self.assertEqual(report["images"], 3)
        self.assertEqual(len(self.labels("horizons")), 3)
        guides = [row["image"] for row in self.labels("crop-rows") if row["guide"] == "1"]
        self.assertEqual(guides, ["000001.png", "000002.png", "000003.png"])

    def test_the_seed_decides(self):
        for out, seed in (("a", 1), ("b", 1), ("c", 2)):
            self.scenes("cuts", *SMALL, "--out", out, "--seed", seed)
        drawn = [
            [(self.folder / out / "images" / f"00000{i}.png").read_bytes() for i in (1, 2, 3)]
            for out in "abc"
        ]
        self.assertEqual(drawn[0], drawn[1])
        self.assertEqual(self.labels("a"), self.labels("b"))
        self.assertEqual(len({*drawn[0], *drawn[2]}), 6)

    def test_nothing_is_overwritten(self):
        self.scenes("blanks", *SMALL, "--out", "a")
        before = (self.folder / "a" / "labels.csv").read_bytes()
        _, complaint = self.scenes("cuts", *SMALL, "--out", "a", code=1)
        self.assertIn("a exists and is not an empty folder", complaint)
        self.assertEqual((self.folder / "a" / "labels.csv").read_bytes(), before)

    def test_a_folder_that_looks_unfinished_is_left_alone(self):
        (self.folder / "a.partial").mkdir()
        (self.folder / "a.partial" / "thesis").write_text("x")
        _, complaint = self.scenes("cuts", *SMALL, "--out", "a", code=1)
        self.assertIn("a.partial exists", complaint)
        self.assertTrue((self.folder / "a.partial" / "thesis").exists())

    def test_an_interrupted_one_leaves_nothing(self):
        process = self.start(VSMAX, "scenes", "cuts", "--count", 100000, "--out", "a")
        while not list(self.folder.glob("a.partial/images/*")):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(list(self.folder.glob("a*")), [])

    def test_bad_arguments(self):
        for arguments, reason in (
            (("lakes",), "lakes"),
            (("cuts", "--size", "64"), "'64'"),
            (("cuts", "--count", 0), "--count must be a whole number from 1 to 1000000, not '0'"),
            (("cuts", "--count", 2.5), "from 1 to 1000000, not '2.5'"),
            (("cuts", "--seed", "abc"), "not 'abc'"),
            (("horizons", "--size", "64x15"), "64x15"),
            (("crop-rows", "--size", "64x90"), "64x90"),
        ):
            _, complaint = self.scenes(*arguments, "--out", "a", code=2)
            self.assertIn(reason, complaint)
        self.assertFalse((self.folder / "a").exists())


main()
