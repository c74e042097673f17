# SPDX-License-Identifier: Apache-2.0
"""`vsmax reproduce` from outside: a tiny suite, killed and resumed. Called as: TEST.py VSMAX."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from report_support import photo_run, rendered, scored_run

from results import Results  # isort: skip

VSMAX = pathlib.Path(sys.argv[1]).resolve()
SUITES = pathlib.Path(__file__).resolve().parents[2] / "suites"
BEFORE_ANY_RUN = ("--time-limit", "1e-6")
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}

SUITE = f"""
title: A tiny suite
ceiling: posterior
evaluate: {{sigmas: [0, 0.6]}}
changes: {{image: [16, 16], grid: [15, 15], data: {{validation_samples: 16}}, max_epochs: 2}}
scales: {{full: , other: {{sigmas: [0]}}}}
runs:
  posterior: {{model: posterior}}
  argmax: {{model: argmax}}
  vsmax: {{config: {SUITES}/../configs/vsmax-vs.yaml, changes: {{batch: 8}}, seeds: [1, 2]}}
  rht: {{config: {SUITES}/../configs/rht.yaml, changes: {{batch: 8}}}}
items:
  noise:
    kind: noise
    title: Noise
    lines: all
    panels: [{{curves: [{{run: argmax}}, {{run: vsmax}}]}}]
  seeds: {{kind: seeds, title: Seeds, sigma: 0.6, groups: [{{seeds: vsmax}}]}}
"""


PHOTO_SUITE = f"""
title: Photographs
evaluate: {{sigmas: [0]}}
changes: &small
  image: [16, 16]
  grid: [15, 15]
  data: {{scenes: 0, blanks: 0, steps: 1, validation: 0.25}}
  batch: 2
  max_epochs: 1
runs:
  vsmax: &vsmax
    config: {SUITES}/../configs/horizon.yaml
    photos: {{folder: lines, rotations: 4}}
    changes: {{loss: {{presence: 0}}, augmentation: {{rotation: 180, disc: true}}}}
    seeds: [1, 2]
  regression:
    <<: *vsmax
    changes: {{model: mlp-vs, cover: , loss: , precision: float32}}
    seeds: [1]
items:
  photos: {{kind: photos, title: P, runs: [{{seeds: vsmax, colour: blue}}, {{seeds: regression}}]}}
"""


class Reproduce(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="vsmax-reproduce-")
        self.addCleanup(scratch.cleanup)
        self.out = pathlib.Path(scratch.name) / "out"
        self.suite = pathlib.Path(scratch.name) / "tiny.yaml"
        self.suite.write_text(SUITE)

    def command(self, *arguments):
        return [str(VSMAX), "reproduce", str(self.suite), *arguments, "--out", str(self.out)]

    def run_command(self, command, code):
        done = subprocess.run(
            command, capture_output=True, text=True, env=ENVIRONMENT, timeout=800, check=False
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def run_program(self, *arguments, code=0):
        return self.run_command(self.command(*arguments), code)[0]

    def refusal(self, *arguments, code=1):
        """The one sentence with which it is refused."""
        error = self.run_command(self.command(*arguments), code)[1]
        self.assertEqual(len(error.splitlines()), 1, error)
        return error

    def run_files(self):
        return {path.name: path.stat().st_mtime_ns for path in (self.out / "runs").glob("*.json")}

    def still_training(self):
        """Whether a process works in the folder of results."""
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self.out).encode() in path.read_bytes():
                    return True
            except OSError:
                pass  # it has ended
        return False

    def read_run(self, name):
        return json.loads((self.out / "runs" / f"{name}.json").read_text())

    def test_it_resumes_after_a_kill_and_keeps_what_is_finished(self):
        process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, env=ENVIRONMENT)
        deadline = time.monotonic() + 300
        while len(self.run_files()) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        while self.still_training() and time.monotonic() < deadline:
            time.sleep(0.05)  # the trainings end with it, each after its step
        before = self.run_files()
        self.assertGreaterEqual(len(before), 3)
        self.assertLess(len(before), 5)
        self.assertIn("posterior                  finished", self.run_program("--list"))

        self.assertIn("5 of 5 runs finished", self.run_program())
        after = self.run_files()
        self.assertEqual(len(after), 5)
        for name, moment in before.items():
            self.assertEqual(after[name], moment, f"{name} was run again")
        report = (self.out / "REPORT.md").read_text()
        self.assertIn("| `seeds` | Seeds | complete |", report)
        self.assertEqual(len(list((self.out / "plots").glob("*.png"))), 2)
        self.assertFalse(list((self.out / "work").glob("*/checkpoint.safetensors")))

        run = self.read_run("vsmax-s1")
        log = (self.out / "logs" / "vsmax-s1.jsonl").read_text().splitlines()
        losses = [json.loads(epoch)["validation_loss"] for epoch in log]
        self.assertEqual(len(log), run["epochs"])
        self.assertEqual(losses[run["best_epoch"] - 1], run["validation_loss"])
        self.assertEqual((run["parameters"], run["end"], run["epochs"]), (37601, "all epochs", 2))
        scores = run["evaluation"]["results"]
        self.assertEqual([entry["sigma"] for entry in scores], [0.0, 0.6])
        for ours, best in zip(
            scores, self.read_run("posterior")["evaluation"]["results"], strict=True
        ):
            self.assertGreater(best["all"]["mean"], ours["all"]["mean"])

        # Nothing is left to do, and another scale is refused.
        self.assertIn("4 of 4 runs finished", self.run_program("seeds", "noise", "--no-plots"))
        self.assertIn("'other'", self.refusal("--scale", "other"))
        self.assertEqual(self.run_files(), after)

        # A damaged file is named; a removed one is made again, without training again.
        (self.out / "runs" / "argmax.json").write_text("{")
        self.assertIn("argmax.json", self.refusal("noise"))
        (self.out / "runs" / "argmax.json").unlink()
        (self.out / "runs" / "vsmax-s1.json").unlink()
        output = self.run_program("--only", "vsmax-s1,argmax", "--no-plots")
        self.assertIn("2 of 2 runs finished", output)
        self.assertEqual(self.read_run("vsmax-s1")["evaluation"], run["evaluation"])

    def make_photographs(self, folder):
        images = folder / "images"
        images.mkdir(parents=True)
        rows = ["image,x0,y0,x1,y1"]
        for number in range(10):
            line = ["--theta", "1.5708", "--rho", str(number - 5), "--size", "24x24"]
            name = f"{number}.png"
            self.run_command([str(VSMAX), "synth", *line, str(images / name)], 0)
            rows.append(f"{name},0,{11.5 + number - 5},23,{11.5 + number - 5}")
        (folder / "lines.csv").write_text("\n".join(rows) + "\n")

    def test_photographs_are_cross_validated(self):
        self.suite.write_text(PHOTO_SUITE)
        self.assertIn("--data", self.refusal())
        data = self.out.parent / "data"
        self.assertIn("lines: is not a folder", self.refusal("--data", str(data)))
        self.make_photographs(data / "lines")
        self.assertIn("3 of 3 runs", self.run_program("--data", str(data)))
        first, second = self.read_run("vsmax-s1"), self.read_run("vsmax-s2")
        self.assertEqual((first["evaluation"]["fold"], second["evaluation"]["fold"]), (1, 2))
        self.assertEqual(first["evaluation"]["images"], 2)
        self.assertEqual(len(first["evaluation"]["views"]["ea"]), 8)
        self.assertEqual(first["evaluation"]["data"], "lines")
        self.assertNotIn(str(data), json.dumps(first))
        self.assertIn("| `photos` | P | complete |", (self.out / "REPORT.md").read_text())
        # Without the photographs the report can still be written.
        self.assertIn("3 of 3 runs", self.run_program())

    def test_a_run_that_fails_says_why(self):
        error = self.run_command(
            self.command("--only", "rht-s42", "--device", "cuda", "--no-plots"), 1
        )[1]
        self.assertIn("rht-s42 failed: vsmax: ", error)

    def test_mistakes_are_one_sentence_before_anything_is_trained(self):
        self.assertIn("'nois'", self.refusal("nois"))
        self.assertIn("'vsmax-s3'", self.refusal("noise", "--only", "vsmax-s3"))
        for right, wrong, parts in (
            ("kind: noise", "kind: nose", ("tiny.yaml: item 'noise'", "'nose'")),
            ("{run: argmax}", "{run: argmax, colour: rde}", ("tiny.yaml: item 'noise'", "'rde'")),
            ("sigma: 0.6", "sigma: 0.5", ("tiny.yaml: items.seeds.sigma", "0.5", "0, 0.6")),
            ("{model: argmax}", "{model: argmax, published: {0: {foo: 1}}}", ("'foo'",)),
        ):
            self.suite.write_text(SUITE.replace(right, wrong))
            for part in parts:
                self.assertIn(part, self.refusal())
        self.suite.write_text(SUITE)
        template = self.suite.with_suffix(".report.md")
        template.write_text('a\n{{ ea("vsmax", "all", 0.45) }}\n')
        self.assertIn("tiny.report.md, line 2: 0.45 is not", self.refusal())
        template.unlink()
        self.assertFalse(self.run_files())
        self.suite.unlink()
        self.assertIn("tiny.yaml", self.refusal())
        for command, missing in (([], "the suite"), (["suite.yaml"], "--out")):
            error = self.run_command([str(VSMAX), "reproduce", *command], 2)[1]
            self.assertEqual(len(error.splitlines()), 1)
            self.assertIn(f"{missing} is missing", error)

    def test_the_suites_of_the_project_are_right(self):
        for name, runs in (("paper", 48), ("example", 3), ("real", 21), ("choices", 68)):
            self.suite = SUITES / f"{name}.yaml"
            listed = self.run_program("--list", "--scale", "smoke").split("Runs\n")[1]
            self.assertEqual(len(listed.splitlines()), runs)
        self.suite = SUITES / "example.yaml"
        # Checks template and items, and makes one run.
        self.assertIn("1 of 1", self.run_program("--only", "posterior", "--scale", "smoke"))
        self.assertIn("– over the seeds", (self.out / "REPORT.md").read_text())  # noqa: RUF001

    def test_a_report_without_any_run(self):
        self.suite = SUITES / "paper.yaml"
        output = self.run_program("fig-theta", "--scale", "smoke", *BEFORE_ANY_RUN)
        self.assertIn("0 of 3 runs finished", output)
        self.assertIn("Not yet run", (self.out / "REPORT.md").read_text())

    def test_every_suite_has_a_report_whatever_is_finished(self):
        data = self.out.parent / "data"
        for folder in ("crop_rows_dev", "ir_horizon_dev"):
            self.make_photographs(data / folder)
        for self.suite in sorted(SUITES.glob("*.yaml")):
            for scale in ((), ("--scale", "smoke")):
                if scale and "  smoke:" not in self.suite.read_text():
                    continue
                self.out = self.out.parent / "-".join([self.suite.stem, *scale])
                self.run_program("--no-plots", "--data", str(data), *scale, *BEFORE_ANY_RUN)
                for part in (slice(0), slice(1), slice(0, None, 2), slice(1, None), slice(None)):
                    with self.subTest(suite=self.suite.stem, scale=scale, part=part):
                        self.render_with_made_up_runs(part, one_noise=bool(scale))

    def render_with_made_up_runs(self, part, one_noise):
        """The report in which only a part of the runs is finished."""
        suite = json.loads((self.out / "suite.json").read_text())
        sigmas = suite["sigmas"][:1] if one_noise else suite["sigmas"]
        on_photographs = any(item["kind"] == "photos" for item in suite["items"].values())
        for path in self.run_files():
            (self.out / "runs" / path).unlink()
        runs = [run for family in suite["runs"].values() for run in family["runs"]]
        for number, run in enumerate(runs[part]):
            name, level = run["name"], 0.9 - 0.001 * number
            content = (
                photo_run(name, level, run["hash"])
                if on_photographs
                else scored_run(name, level, run["hash"], sigmas)
            )
            (self.out / "runs" / f"{name}.json").write_text(json.dumps(content))
        text, figures = rendered(Results(self.out), self.suite.with_suffix(".report.md"))
        self.assertTrue(figures or len(runs[part]) < 2)  # a report may leave out what has no run
        self.assertEqual("Not yet run" in text, len(runs[part]) < len(runs))

    def test_every_choice_of_the_suite_can_be_trained_in_small(self):
        """One run of each experiment; that all are listed is tested above."""
        self.suite = SUITES / "choices.yaml"
        runs = ["vsmax-vs-single", "softargmax-vs-double", "vsmax-x2e2", "softargmax-t4"]
        runs += ["vsmax-pixel", "rht-published", "rht-squares-t0.5", "vsmax-float32"]
        runs += ["vsmax-polar-free", "softargmax-by-score"]
        names = [f"{run}-s42" for run in runs]
        output = self.run_program("--scale", "smoke", "--only", ",".join(["posterior", *names]))
        self.assertIn("11 of 11 runs finished", output)
        for name in names:
            scores = self.read_run(name)
            self.assertEqual(len(scores["angles"][0]["mean"]), 15)
            lines = sum(scores["angles"][0]["count"])
            self.assertEqual(lines, scores["evaluation"]["results"][0]["all"]["count"])
        self.assertEqual(self.read_run("vsmax-pixel-s42")["configuration"]["rho_unit"], "pixel")
        report = (self.out / "REPORT.md").read_text()
        self.assertIn("## E8", report)
        self.assertIn("Not yet run", report)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
