# SPDX-License-Identifier: Apache-2.0
"""From a configuration to a line in an image, with a kill -9 in between."""

import json
import math
import random
import shutil
import time

from train_support import CONFIGS, VSMAX, VSMAX_TORCH, TrainTest, main

# EA-scores that a short training must reach; an untrained model has about 0.2.
LEARNED = {"vsmax-vs": 0.9, "softargmax-vs": 0.9, "softargmax-polar": 0.9, "vsmax-polar": 0.7}
LEARNED |= {"rht": 0.35}


class EndToEnd(TrainTest):
    def test_a_killed_run_is_resumed_and_its_model_finds_lines(self):
        tiny = CONFIGS / "tiny.yaml"
        self.train(tiny, "whole", "--epochs", 4)
        self.assertTrue(self.kill_after_epoch(tiny, "killed", "--epochs", 4), "it ended before")
        self.train(tiny, "killed", "--epochs", 4, "--resume")
        self.assert_same_run("whole", "killed")

        model = self.folder / "killed" / "model.safetensors"
        self.check_detection(model)
        self.check_accuracy(model)

    def check_detection(self, model):
        for theta, rho in ((0.02, 5.0), (0.8, -6.0), (1.6, 3.0), (2.4, 9.0)):
            line = ("--theta", theta, "--rho", rho, "--sigma", 0.2, "--size", "32x32")
            self.run_program(VSMAX, "synth", *line, "line.png")
            one = ("--lines", 1, "--min-confidence", 0)
            output, _ = self.run_program(
                VSMAX, "detect", "--json", *one, "--model", model, "line.png"
            )
            (found,) = json.loads(output)["lines"]
            # (theta, rho) and (theta + pi, -rho) are one line.
            turned = round((found["theta"] - theta) / math.pi)
            self.assertAlmostEqual(found["theta"] - turned * math.pi, theta, delta=0.15)
            self.assertAlmostEqual(found["rho"] * (-1) ** turned, rho, delta=2.0)

    def check_accuracy(self, model):
        scores = ("evaluate", "--model", model, "--sigma", "0,0.3", "--json")
        plain = json.loads(self.run_program(VSMAX, *scores)[0])
        torch = json.loads(self.run_program(VSMAX_TORCH, *scores, "--scores", "cells.json")[0])
        self.assertGreaterEqual(plain["results"][0]["all"]["mean"], 0.9)
        for ours, theirs in zip(plain["results"], torch["results"], strict=True):
            for part in ("all", "seam", "interior"):
                self.assertEqual(ours[part]["count"], theirs[part]["count"])
                self.assertAlmostEqual(ours[part]["mean"], theirs[part]["mean"], delta=1e-4)

        cells = json.loads((self.folder / "cells.json").read_text())
        self.assertEqual((cells["T"], cells["R"], cells["W"], cells["H"]), (31, 31, 32, 32))
        for result, score in zip(cells["maps"], torch["results"], strict=True):
            self.assertEqual(result["sigma"], score["sigma"])
            known = [ea for row in result["cells"] for ea in row if ea is not None]
            self.assertEqual(len(known), score["all"]["count"])
            self.assertAlmostEqual(sum(known) / len(known), score["all"]["mean"])
            self.assertEqual(sum(angle["count"] for angle in result["theta"]), len(known))

    def test_a_storm_of_kills_changes_nothing(self):
        self.train("fast.yaml", "whole")
        dice = random.Random("storm")
        begin = time.monotonic()
        self.train("fast.yaml", "short", "--epochs", 1)
        start = time.monotonic() - begin  # of the program; the epochs come after
        # Without --resume for as long as the kill comes before the run's first file.
        kills = 0
        for _ in range(8):
            resume = ["--resume"] if (self.folder / "killed").exists() else []
            kills += self.kill_after(start * dice.uniform(0.5, 1.2), "fast.yaml", "killed", *resume)
        self.train("fast.yaml", "killed", "--resume")
        self.assertGreater(kills, 0)
        self.assert_same_run("whole", "killed")

    def test_two_runs_are_the_same_and_another_seed_is_not(self):
        for out in ("one", "two"):
            self.train("fast.yaml", out, threads=2)
        self.train("fast.yaml", "other", "--seed", 43, threads=2)
        self.assert_same_run("one", "two")
        self.assertNotEqual(self.model("one"), self.model("other"))
        written = (self.folder / "other" / "config.yaml").read_text()
        self.assertIn("seed: 43", written)

    def test_every_model_trains_resumes_and_is_scored(self):
        for path in sorted(CONFIGS.glob("*.yaml")):
            name = path.stem
            if name == "tiny" or "evidence: learned" in path.read_text():
                continue  # those have tests of their own
            with self.subTest(model=name):
                text = f"model: {name}\nimage: [34, 33]\ngrid: [7, 9]\nbatch: 16\n"
                text += f"max_epochs: {3 if name.startswith('mlp') else 12}\n"
                text += "data: {validation_samples: 8, sigma_max: 0.1}\nscale: 0.1\n"
                text += "optimiser: {learning_rate: 3.0e-3}\n"
                config = self.config(f"{name}.yaml", text)
                self.train(config, name, "--epochs", 1)
                if name != "mlp-polar":  # large, and mlp-vs does the same
                    self.train(config, name, "--resume")
                    self.train(config, "whole")
                    self.assert_same_run("whole", name)
                    shutil.rmtree(self.folder / "whole")
                score = ("evaluate", "--sigma", 0, "--json", "--model", f"{name}/model.safetensors")
                result = json.loads(self.run_program(VSMAX_TORCH, *score)[0])
                self.assertEqual(result["name"], name)
                log = (self.folder / name / "log.jsonl").read_text().splitlines()
                losses = [json.loads(line)["train_loss"] for line in log]
                if name in LEARNED:
                    self.assertGreater(result["results"][0]["all"]["mean"], LEARNED[name])
                elif len(losses) > 1:
                    self.assertLess(losses[-1], 0.5 * losses[0])


if __name__ == "__main__":
    main()
