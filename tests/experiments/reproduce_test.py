# SPDX-License-Identifier: Apache-2.0
"""`vsmax reproduce --scale smoke`, all of it, killed and gone on with. Called as: TEST.py VSMAX."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

VSMAX = pathlib.Path(sys.argv[1]).resolve()
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}


class Reproduce(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="vsmax-reproduce-")
        self.addCleanup(scratch.cleanup)
        self.out = pathlib.Path(scratch.name) / "out"

    def command(self, *arguments):
        return [str(VSMAX), "reproduce", *arguments, "--out", str(self.out)]

    def run_program(self, *arguments, code=0):
        done = subprocess.run(
            self.command(*arguments), capture_output=True, text=True, env=ENVIRONMENT, timeout=800
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def run_files(self):
        return {path.name: path.stat().st_mtime_ns for path in (self.out / "runs").glob("*.json")}

    def test_everything_goes_on_after_a_kill_and_is_kept(self):
        process = subprocess.Popen(
            self.command("--scale", "smoke"), stdout=subprocess.DEVNULL, env=ENVIRONMENT
        )
        deadline = time.monotonic() + 300
        while len(self.run_files()) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = self.run_files()
        self.assertGreaterEqual(len(before), 3)
        self.assertLess(len(before), 31)
        time.sleep(2)  # the trainings end with it, each after its step

        output, _ = self.run_program("--scale", "smoke")
        self.assertIn("31 of 31 runs are finished", output)
        after = self.run_files()
        self.assertEqual(len(after), 31)
        for name, moment in before.items():
            self.assertEqual(after[name], moment, f"{name} was made again")

        for item in (self.out / "items").glob("*.json"):
            self.assertTrue(json.loads(item.read_text())["complete"], item.name)
        self.assertEqual(len(list((self.out / "items").glob("*.json"))), 9)
        self.assertEqual(len(list((self.out / "plots").glob("*.png"))), 7)
        run = json.loads((self.out / "runs" / "vsmax-vs-s42.json").read_text())
        self.assertEqual(run["parameters"], 37601)
        self.assertEqual(run["end"], "all epochs")
        self.assertEqual(run["epochs"], 2)
        self.assertEqual([entry["sigma"] for entry in run["evaluation"]["results"]], [0.0, 0.6])
        ceiling = json.loads((self.out / "runs" / "posterior.json").read_text())
        for entry in ceiling["evaluation"]["results"]:
            ours = next(
                other for other in run["evaluation"]["results"] if other["sigma"] == entry["sigma"]
            )
            self.assertGreater(entry["all"]["mean"], ours["all"]["mean"])

        # Nothing is left to do, and a folder without its trainings is enough to draw from.
        output, _ = self.run_program("fig-boundary", "--scale", "smoke")
        self.assertIn("3 of 3 runs are finished", output)
        self.assertEqual(self.run_files(), after)

        # What only going on would need is gone; the other scale does not come over this one.
        self.assertFalse(list((self.out / "work").glob("*/checkpoint.safetensors")))
        _, complaint = self.run_program("fig-boundary", "--scale", "full", code=1)
        self.assertEqual(len(complaint.splitlines()), 1)
        self.assertIn("'smoke'", complaint)
        self.assertEqual(self.run_files(), after)

        # What has another configuration is made again, and a damaged file is named.
        (self.out / "runs" / "argmax.json").write_text("{")
        _, complaint = self.run_program("fig-end-to-end", "--scale", "smoke", code=1)
        self.assertEqual(len(complaint.splitlines()), 1)
        self.assertIn("argmax.json", complaint)

        # Removed as it says, it is made again; of a trained one only the scores.
        (self.out / "runs" / "argmax.json").unlink()
        (self.out / "runs" / "vsmax-vs-s42.json").unlink()
        output, _ = self.run_program("fig-end-to-end", "--scale", "smoke")
        self.assertIn("4 of 4 runs are finished", output)
        again = json.loads((self.out / "runs" / "vsmax-vs-s42.json").read_text())
        self.assertEqual(again["evaluation"], run["evaluation"])

    def test_bad_arguments_are_one_sentence(self):
        _, complaint = self.run_program("table-2", code=1)
        self.assertEqual(len(complaint.splitlines()), 1)
        self.assertIn("'table-2'", complaint)
        _, complaint = self.run_program("fig-theta", "--only", "vsmax-vs-s1", code=1)
        self.assertEqual(len(complaint.splitlines()), 1)
        self.assertIn("'vsmax-vs-s1'", complaint)
        self.assertFalse(self.out.exists())
        self.out.write_text("a file")
        _, complaint = self.run_program("fig-theta", "--scale", "smoke", code=1)
        self.assertEqual(len(complaint.splitlines()), 1)
        self.assertIn(str(self.out), complaint)

    def test_a_missing_device_fails_the_run_and_says_so(self):
        _, complaint = self.run_program(
            "fig-noise", "--scale", "smoke", "--device", "cuda", "--no-plots", code=1
        )
        self.assertIn("mlp-vs-s42 failed: vsmax: ", complaint)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
