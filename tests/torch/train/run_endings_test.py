# SPDX-License-Identifier: Apache-2.0
"""How a run ends when it is not let finish, and what is refused before it begins."""

import os
import pty
import resource
import select
import signal
import subprocess
import time

from train_support import CONFIGS, ENVIRONMENT, FAST, VSMAX, VSMAX_TORCH, TrainTest, main


class Refusals(TrainTest):
    def test_an_existing_run_is_not_overwritten(self):
        self.train("fast.yaml", "run", "--epochs", 1)
        before = self.fingerprint("run")
        message = self.refusal("fast.yaml", "run")
        self.assertIn("run/checkpoint.safetensors: exists already", message)
        self.assertEqual(self.fingerprint("run"), before)

    def test_a_checkpoint_of_another_model_or_configuration(self):
        self.train("fast.yaml", "run", "--epochs", 1)
        before = self.fingerprint("run")
        other = self.config("other.yaml", FAST.replace("vsmax-vs", "softargmax-vs"))
        self.assertIn("model vsmax-vs", self.refusal(other, "run", "--resume"))
        other = self.config("other.yaml", FAST.replace("batch: 8", "batch: 9"))
        self.assertIn("batch 8", self.refusal(other, "run", "--resume"))
        self.assertIn("seed 42", self.refusal("fast.yaml", "run", "--resume", "--seed", 1))
        self.assertEqual(self.fingerprint("run"), before)

    def test_a_damaged_checkpoint(self):
        self.train("fast.yaml", "run", "--epochs", 1)
        path = self.folder / "run" / "checkpoint.safetensors"
        whole = path.read_bytes()
        for place in (3, 200, len(whole) // 2, len(whole) - 1):
            damaged = bytearray(whole)
            damaged[place] ^= 4
            path.write_bytes(damaged)
            before = self.fingerprint("run")
            message = self.refusal("fast.yaml", "run", "--resume")
            self.assertIn("checkpoint.safetensors", message)
            self.assertEqual(self.fingerprint("run"), before)
        path.write_bytes(whole)
        self.train("fast.yaml", "run", "--resume")

    def test_bad_configurations_leave_no_folder(self):
        for text, part in (
            (FAST + "extra: 1\n", "'extra'"),
            (FAST.replace("batch: 8", "batch: eight"), "eight"),
            (FAST.replace("batch: 8", "batch: 1000"), "batch (= 1000)"),
            (FAST.replace("vsmax-vs", "argmax"), "argmax"),
        ):
            config = self.config("bad.yaml", text)
            message = self.refusal(config, "run")
            self.assertIn("bad.yaml", message)
            self.assertIn(part, message)
            self.assertFalse((self.folder / "run").exists())
        self.assertIn("missing.yaml", self.refusal("missing.yaml", "run"))
        (self.folder / "picture.png").write_bytes(b'\x89PNG\n"\\\0\xff')
        self.assertTrue(self.refusal("picture.png", "run").isascii())

    def test_a_missing_cuda_device(self):
        hidden = {**ENVIRONMENT, "CUDA_VISIBLE_DEVICES": ""}
        command = [VSMAX, "train", "fast.yaml", "--out", "run", "--device", "cuda"]
        result = subprocess.run(
            command, cwd=self.folder, env=hidden, capture_output=True, text=True, check=False
        )
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("CUDA", result.stderr)
        self.assertFalse((self.folder / "run").exists())

    def test_wrong_usage_and_help(self):
        for arguments in (["train", "fast.yaml"], ["train", "--nonsense"], ["evaluate"], []):
            self.run_program(VSMAX_TORCH, *arguments, code=2)
        self.assertIn("--out is missing", self.run_program(VSMAX, "train", "x", code=2)[1])
        for value in (
            "--fold=1",
            "--fold=0",
            "--epochs=0",
            "--time-limit=-1",
            "--epochs=1e3",
            "--seed=x",
            "--data=x",
        ):
            _, complaint = self.train("fast.yaml", "run", value, code=2)
            self.assertIn(value[2:6], complaint)
        self.assertFalse((self.folder / "run").exists())
        for command in ("train", "evaluate"):
            self.assertIn("Example", self.run_program(VSMAX_TORCH, command, "--help")[0])

    def test_lost_output_is_no_success(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [VSMAX_TORCH, "train", "--help"], stdout=full, stderr=subprocess.PIPE, text=True
            )
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "vsmax: standard output cannot be written\n")

    def test_evaluate_refuses_what_it_cannot_score(self):
        self.train("fast.yaml", "run", "--epochs", 1)
        for model, part in (
            ("vsmax-vs", "weights"),
            ("run/checkpoint.safetensors", "checkpoint.safetensors"),
            ("run/log.jsonl", "log.jsonl"),
        ):
            _, complaint = self.run_program(VSMAX_TORCH, "evaluate", "--model", model, code=1)
            self.assertEqual(len(complaint.splitlines()), 1, complaint)
            self.assertIn(part, complaint)
        classic = (VSMAX_TORCH, "evaluate", "--model", "classic")
        self.assertIn("'vsmax evaluate", self.run_program(*classic, code=2)[1])

    def test_an_unknown_model_is_wrong_usage_in_every_program(self):
        for arguments in (
            (VSMAX, "detect", "x.png", "--model"),
            (VSMAX, "evaluate", "--model"),
            (VSMAX_TORCH, "evaluate", "--model"),
        ):
            for name in ("nonsense", "missing.safetensors"):
                _, complaint = self.run_program(*arguments, name, code=2)
                self.assertEqual(len(complaint.splitlines()), 1, complaint)
                self.assertIn("argmax", complaint)
                self.assertIn(f"not '{name}'", complaint)

    def test_an_unknown_name_is_bad_input_in_every_program(self):
        suite = CONFIGS.parent / "suites/paper.yaml"
        for arguments in (
            (VSMAX, "train", "nonsense", "--out", "run"),
            (VSMAX, "train", "fast.yaml", "--pretrained", "nonsense", "--out", "run"),
            (VSMAX, "reproduce", "nonsense", "--out", "run"),
            (VSMAX, "reproduce", suite, "nonsense", "--out", "run"),
            (VSMAX, "reproduce", suite, "--only", "nonsense", "--out", "run"),
            (VSMAX, "reproduce", suite, "--scale", "nonsense", "--out", "run"),
        ):
            _, complaint = self.run_program(*arguments, code=1)
            self.assertEqual(len(complaint.splitlines()), 1, complaint)
            self.assertIn("nonsense", complaint)
        self.assertFalse((self.folder / "run").exists())

    def test_a_preview_needs_no_folder_and_says_what_it_wrote(self):
        output, _ = self.run_program(VSMAX, "train", "fast.yaml", "--preview", "batch.png")
        self.assertEqual(output, "batch.png: the first batch, 8 images with their true lines\n")
        self.assertTrue((self.folder / "batch.png").read_bytes().startswith(b"\x89PNG"))
        names = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(names, ["batch.png", "fast.yaml"])


class Endings(TrainTest):
    def test_a_full_disk_leaves_the_old_checkpoint(self):
        self.train("fast.yaml", "whole", "--epochs", 3)
        self.train("fast.yaml", "run", "--epochs", 2)
        size = (self.folder / "run" / "checkpoint.safetensors").stat().st_size
        before = (self.folder / "run" / "checkpoint.safetensors").read_bytes()

        def limit_file_size():  # stands in for a full disk: the write fails half way
            resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))

        message = self.refusal(
            "fast.yaml", "run", "--resume", "--epochs", 3, preexec_fn=limit_file_size
        )
        self.assertIn("checkpoint.safetensors: cannot be written", message)
        self.assertEqual((self.folder / "run" / "checkpoint.safetensors").read_bytes(), before)
        self.train("fast.yaml", "run", "--resume", "--epochs", 3)
        self.assert_same_run("whole", "run")

    def test_a_loss_that_is_no_number_saves_its_batch(self):
        config = self.config("huge.yaml", FAST + "scale: 1.0e+30\n")
        message = self.refusal(config, "run")
        self.assertIn("epoch 1, step 1", message)
        self.assertIn("run/nan-batch.safetensors", message)
        self.assertIn(b'"images"', (self.folder / "run" / "nan-batch.safetensors").read_bytes())

    def test_an_interrupt_ends_after_the_step_and_can_be_resumed(self):
        tiny = CONFIGS / "tiny.yaml"
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start(VSMAX, "train", tiny, "--out", number.name, "--threads", 1)
            folder = self.folder / number.name
            while not (folder / "config.yaml").exists() and process.poll() is None:
                time.sleep(0.05)
            time.sleep(0.5)
            process.send_signal(number)
            output, complaint = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, output + complaint)
            self.assertIn("interrupted", output)
            self.assertIn("--resume", output)

    def test_a_time_limit_ends_well_and_can_be_resumed(self):
        self.train("fast.yaml", "whole")
        output, _ = self.train("fast.yaml", "run", "--time-limit", 0.1)
        self.assertIn("time limit reached", output)
        self.assertIn("--resume", output)
        self.train("fast.yaml", "run", "--resume")
        self.assert_same_run("whole", "run")

    def test_a_finished_run_says_so(self):
        self.train("fast.yaml", "run")
        before = self.fingerprint("run")
        output, _ = self.train("fast.yaml", "run", "--resume")
        self.assertIn("all epochs done after 20 complete epochs", output)
        self.assertEqual(self.fingerprint("run"), before)

    def test_a_pipe_gets_one_line_an_epoch_and_no_bar(self):
        output, complaint = self.train("fast.yaml", "run", "--epochs", 3)
        self.assertEqual(complaint, "")
        self.assertEqual(sum(line.startswith("epoch ") for line in output.splitlines()), 3)
        self.assertNotIn("\r", output)

    def test_a_terminal_gets_a_bar(self):
        terminal, other_end = pty.openpty()
        process = subprocess.Popen(
            [VSMAX, "train", "fast.yaml", "--out", "run", "--threads", "1"],
            cwd=self.folder,
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=other_end,
        )
        os.close(other_end)
        shown = b""
        while select.select([terminal], [], [], 60)[0]:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # the other end is closed
                break
        os.close(terminal)
        self.assertEqual(process.wait(60), 0)
        for part in (b"epoch 1/20 [", b"loss ", b"val ", b"lr 1.0e-03", b" left"):
            self.assertIn(part, shown)


if __name__ == "__main__":
    main()
