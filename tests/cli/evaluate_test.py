# SPDX-License-Identifier: Apache-2.0
"""The accuracy of the built-in models, on all 14,395 lines."""

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

    def test_negative_noise_is_refused(self):
        self.assertIn("-1", self.fail_with(1, "evaluate", "--sigma=-1"))


if __name__ == "__main__":
    unittest.main()
