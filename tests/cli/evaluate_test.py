# SPDX-License-Identifier: Apache-2.0
"""The accuracy of the built-in models and of the posterior, on all 14,395 lines."""

import json
import unittest

from support import CommandLineTest


class Evaluate(CommandLineTest):
    def scores(self, model, sigmas):
        text = self.succeed("evaluate", "--model", model, "--sigma", sigmas, "--json")
        return {entry["sigma"]: entry for entry in json.loads(text)["results"]}

    def listed(self, model):
        entries = json.loads(self.succeed("models", "--json"))
        return next(entry for entry in entries if entry["name"] == model)

    def test_classic(self):
        scores = self.scores("classic", "0,0.6")
        self.assertEqual(scores[0]["all"]["count"], 14395)
        self.assertEqual(scores[0]["seam"]["count"], 940)
        self.assertGreaterEqual(scores[0]["all"]["mean"], 0.990)
        self.assertGreaterEqual(scores[0.6]["all"]["mean"], 0.960)
        for entry in scores.values():
            self.assertGreaterEqual(entry["seam"]["mean"], entry["interior"]["mean"])
        listed = self.listed("classic")
        self.assertAlmostEqual(scores[0]["all"]["mean"], listed["ea_clean"], delta=0.001)
        self.assertAlmostEqual(scores[0.6]["all"]["mean"], listed["ea_sigma_0.6"], delta=0.001)

    def test_argmax_agrees_with_the_known_figures(self):
        scores = self.scores("argmax", "0,0.6")
        self.assertAlmostEqual(scores[0]["all"]["mean"], 0.985, delta=0.01)
        self.assertAlmostEqual(scores[0.6]["all"]["mean"], 0.600, delta=0.01)
        listed = self.listed("argmax")
        self.assertAlmostEqual(scores[0]["all"]["mean"], listed["ea_clean"], delta=0.001)
        self.assertAlmostEqual(scores[0.6]["all"]["mean"], listed["ea_sigma_0.6"], delta=0.001)

    def test_temperature_widens_the_distribution(self):
        small = ("--size", "32x32", "--line-grid", "31x31", "--sigma", "0.3", "--json")
        (usual,) = json.loads(self.succeed("evaluate", *small))["results"]
        (wide,) = json.loads(self.succeed("evaluate", *small, "--temperature", "30"))["results"]
        self.assertLess(wide["all"]["mean"], usual["all"]["mean"] - 0.1)
        self.fail_with(2, "evaluate", "--temperature", "0")
        self.fail_with(2, "evaluate", "--model", "posterior", "--temperature", "2")

    def test_only_lines_near_the_seam(self):
        small = ("--size", "32x32", "--line-grid", "15x15", "--sigma", "0.3", "--scores", "c.json")
        self.succeed("evaluate", *small)
        (whole,) = json.loads((self.folder / "c.json").read_text())["maps"]
        self.succeed("evaluate", *small, "--near-seam", "2")
        (near,) = json.loads((self.folder / "c.json").read_text())["maps"]
        for t, row in enumerate(near["cells"]):
            scored = t <= 2 or t >= 13
            self.assertEqual(row, whole["cells"][t] if scored else [None] * 15)
            self.assertEqual(near["theta"][t]["count"] > 0, scored)
        fine = ("--size", "32x32", "--line-grid", "63x15", "--sigma", "0.3", "--near-seam", "1")
        table = self.succeed("evaluate", *fine)
        self.assertEqual(table.split()[-1], "-", "no line of the interior was scored")
        message = self.fail_with(2, "evaluate", "--near-seam", "2", "--lines", "continuous")
        self.assertIn("--near-seam", message)

    def test_a_sample_of_more_lines_than_there_are_is_refused(self):
        small = ("evaluate", "--size", "8x8", "--line-grid", "5x5", "--sigma", "0", "--json")
        everything = json.loads(self.succeed(*small))["results"]
        count = everything[0]["all"]["count"]
        self.assertEqual(json.loads(self.succeed(*small, "--sample", count))["results"], everything)
        for more in ((), ("--lines", "continuous"), ("--model", "posterior")):
            message = self.fail_with(2, *small, *more, "--sample", count + 1)
            self.assertIn(f"--sample must be at most {count}, which is how many lines", message)
            self.assertIn(f"not '{count + 1}'", message)
        near = self.fail_with(2, *small, "--near-seam", "1", "--sample", count)
        self.assertNotIn(f"at most {count},", near)

    def test_a_file_that_cannot_be_written_is_told_before_the_work(self):
        message = self.fail_with(1, "evaluate", "--scores", "no/such/folder.json")
        self.assertIn("no/such/folder.json", message)

    def test_posterior_is_the_ceiling(self):
        arguments = ("--model", "posterior", "--sigma", "0.6", "--scores", "cells.json", "--json")
        report = json.loads(self.succeed("evaluate", *arguments))
        self.assertEqual((report["model"], report["lines"]), ("posterior", "grid"))
        known = {"results": 0.9963, "maximum": 0.9962, "barycentre": 0.9908}
        for answer, mean in known.items():
            (entry,) = report[answer]
            self.assertEqual(entry["sigma"], 0.6)
            self.assertEqual(entry["seam"]["count"], 940)
            self.assertAlmostEqual(entry["all"]["mean"], mean, delta=0.0005)
        self.check_cells(json.loads((self.folder / "cells.json").read_text()), report)

    def check_cells(self, file, report):
        for key, value in report.items():
            self.assertEqual(file[key], value)
        self.assertEqual([file[key] for key in "WHTR"], [256, 256, 127, 127])
        (ceiling,) = file["maps"]
        self.assertEqual(ceiling["sigma"], 0.6)
        self.assertEqual([len(row) for row in ceiling["cells"]], [127] * 127)
        scores = [[score for score in row if score is not None] for row in ceiling["cells"]]
        self.assertEqual(sum(map(len, scores)), 14395)
        mean = sum(map(sum, scores)) / 14395
        self.assertAlmostEqual(mean, report["results"][0]["all"]["mean"], delta=1e-9)
        for row, summary in zip(scores, ceiling["theta"], strict=True):
            self.assertEqual(summary["count"], len(row))
            self.assertAlmostEqual(summary["mean"], sum(row) / len(row), delta=1e-9)

    def test_combinations_without_a_sense_are_refused(self):
        continuous = ("--lines", "continuous")
        for arguments in (
            ("--model", "posterior", *continuous),
            ("--model", "posterior", "--grid", "127x253"),
            ("--model", "posterior", "--line-width", "3"),
        ):
            message = self.fail_with(2, "evaluate", *arguments)
            self.assertIn(arguments[-2], message)
            self.assertEqual(message.count("\n"), 1)

    def test_the_posterior_is_no_detector(self):
        self.synth("line.png")
        message = self.fail_with(2, "detect", "--model", "posterior", "line.png")
        self.assertIn("noise", message)
        self.assertIn("evaluate", message)
        self.assertNotIn("posterior", self.succeed("models"))

    def test_negative_noise_is_refused(self):
        self.assertIn("-1", self.fail_with(2, "evaluate", "--sigma=-1"))
        huge = "2000000000x2000000000"
        self.assertIn(huge, self.fail_with(2, "evaluate", "--size", huge))


if __name__ == "__main__":
    unittest.main()
