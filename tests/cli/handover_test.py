# SPDX-License-Identifier: Apache-2.0
"""What is handed over to vsmax-torch and to Python, played by scripts, and what is said without."""

import os
import shutil
import subprocess
import sys
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
        for arguments in (("train", "x.yaml"), ("scenes",), ("reproduce",), evaluate_rht):
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
        other = self.write_model("vsmax-vs")
        for file, expected in ((other, 1), ("damaged.safetensors", 1), ("missing.safetensors", 2)):
            code, _, complaints = self.run_copy("evaluate", "--model", file)
            self.assertEqual(code, expected)
            self.assertIn(file, complaints)

    def test_models_that_need_torch_do_not_detect(self):
        self.synth("line.png")
        message = self.fail_with(1, "detect", "--model", self.write_model("rht"), "line.png")
        self.assertIn("rht", message)
        self.assertIn("LibTorch", message)


class RayHandover(CommandLineTest):
    """'detect --ray', with Python played by a script, and what is said without the package."""

    def run_with(self, python, *arguments):
        environment = {**os.environ, "VSMAX_PYTHON": str(python)}
        environment.pop("PYTHONPATH", None)
        return self.run_vsmax("detect", "--ray", "auto", *arguments, env=environment)

    def test_options_and_images_are_handed_over(self):
        python = self.folder / "python"
        python.write_text(
            '#!/bin/sh\nshift 2\nfor word; do case "$word" in\n'
            '--images=*) cat <&"${word#--images=}" | tr "\\0" "|" ;;\n*) echo "$word" ;;\n'
            "esac; done\nexit 7\n"
        )
        python.chmod(0o755)
        (self.folder / "list").write_text("b c.png\n-\n")
        (self.folder / "x.safetensors").touch()
        options = ("--model", "x.safetensors", "--lines", "2", "--dark", "--threads", "3")
        inputs = ("a.png", "no*", "--files-from", "list", "--out", "o.parquet")
        done = self.run_with(python, *options, *inputs)
        self.assertEqual((done.returncode, done.stderr), (7, b""))
        images = "a.png||no*|no*: no file matches the pattern|b c.png||./-||"
        self.assertEqual(
            done.stdout.decode(),
            f"--address=auto\n{images}--model=x.safetensors\n--lines=2\n--min-confidence=0.5\n"
            "--workers=3\n--dark\n--out=o.parquet\n",
        )

    def test_without_python_or_the_package_it_says_what_to_install(self):
        for python, words in (
            ("/no/python", "--ray needs Python, and /no/python cannot be started"),
            (self.isolated_python(), "vsmax with Ray (docs/ray.md): No module named 'vsmax'"),
        ):
            done = self.run_with(python, "a.png")
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr.decode())
            self.assertEqual(done.stderr.count(b"\n"), 1)

    def isolated_python(self):
        """The interpreter without any package that may be installed."""
        python = self.folder / "isolated"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
        python.chmod(0o755)
        return python

    def test_options_that_make_no_sense_are_refused(self):
        for wrong in (
            *(("--overlay", "o"), ("--explain", "o"), ("--gallery", "o"), ("--shard", "0/2")),
            *(("--grid", "9x9"), ("--csv",), ("--out", "o.jsonl"), ("--out", ".parquet")),
            *(("--out", "o.parquet", "--resume"), ("--out", "o.parquet", "--json"), ("-",)),
        ):
            with self.subTest(wrong=wrong):
                done = self.run_with("/no/python", "a.png", *wrong)
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))
                self.assertIn(b"--ray", done.stderr)
        self.assertEqual(self.run_with("/no/python").returncode, 2)
        message = self.fail_with(1, "detect", "--ray=x", "--files-from=none")
        self.assertIn("none: the list cannot be read", message)


if __name__ == "__main__":
    unittest.main()
