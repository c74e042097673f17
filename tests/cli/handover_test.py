# SPDX-License-Identifier: Apache-2.0
"""What is handed over to vsmax-torch, played here by a script, and what is said without it."""

import shutil
import subprocess
import unittest

from support import VSMAX, CommandLineTest, safetensors_bytes


class Handover(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.vsmax = self.folder / "bin" / "vsmax"
        self.vsmax.parent.mkdir()
        shutil.copy(VSMAX, self.vsmax)

    def put_other_program_beside(self):
        other = self.vsmax.parent / "vsmax-torch"
        other.write_text('#!/bin/sh\necho "got $*"\nexit 7\n')
        other.chmod(0o755)

    def write_model(self, model):
        name = f"{model}.safetensors"
        readouts = {"rht": "rht", "mlp-vs": "mlp", "mlp-polar": "mlp"}
        grid = {"W": "16", "H": "16", "T": "15", "R": "15"}
        metadata = {"model": model, "readout": readouts.get(model, "vsmax"), "scale": "1", **grid}
        (self.folder / name).write_bytes(safetensors_bytes(metadata))
        return name

    def run_copy(self, *arguments):
        result = subprocess.run(
            [self.vsmax, *arguments], cwd=self.folder, capture_output=True, check=False
        )
        return result.returncode, result.stdout.decode(), result.stderr.decode()

    def test_without_the_other_program_its_commands_say_how_to_get_it(self):
        evaluate_rht = ("evaluate", "--model", self.write_model("rht"))
        for arguments in (("train", "x.yaml"), ("reproduce",), evaluate_rht):
            code, _, complaints = self.run_copy(*arguments)
            self.assertEqual(code, 1)
            self.assertIn("vsmax-torch", complaints)
            self.assertIn("make torch", complaints)
            self.assertEqual(complaints.count("\n"), 1)

    def test_its_commands_are_handed_over_as_they_are(self):
        self.put_other_program_beside()
        answer = self.run_copy("train", "--help", "x")
        self.assertEqual(answer, (7, "got train --help x\n", ""))

    def test_models_that_need_torch_are_evaluated_there(self):
        self.put_other_program_beside()
        for model in ("rht", "mlp-vs", "mlp-polar"):
            file = self.write_model(model)
            for choice in ([f"--model={file}"], ["--model", file]):
                arguments = ["evaluate", "--device", "cuda", *choice, "--json"]
                answer = self.run_copy(*arguments)
                self.assertEqual(answer, (7, f"got {' '.join(arguments)}\n", ""))

    def test_other_models_and_damaged_files_stay_here(self):
        self.put_other_program_beside()
        (self.folder / "damaged.safetensors").write_bytes(b"rht")
        for file in (self.write_model("vsmax-vs"), "damaged.safetensors", "missing.safetensors"):
            code, _, complaints = self.run_copy("evaluate", "--model", file)
            self.assertEqual(code, 1)
            self.assertIn(file, complaints)

    def test_models_that_need_torch_do_not_detect(self):
        self.synth("line.png")
        message = self.fail_with(1, "detect", "--model", self.write_model("rht"), "line.png")
        self.assertIn("rht", message)
        self.assertIn("LibTorch", message)


if __name__ == "__main__":
    unittest.main()
