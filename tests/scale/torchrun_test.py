# SPDX-License-Identifier: Apache-2.0
"""Training in several processes, with torchrun and without it: the same run as in one process, and
how it ends. Called as: torchrun_test.py VSMAX VSMAX-TORCH CONFIGS.
"""

import pathlib
import resource
import signal
import subprocess
import sys

import PIL.Image

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "torch/train"))
from process_support import ProcessTest, free_port
from train_support import ENVIRONMENT, FAST, VSMAX, main

# The options repair the torchrun of Debian 12, whose defaults fail with Python 3.11.
TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "-r", "9:1", "-t", "9:1", "--no_python")

PHOTOS = """
model: vsmax-vs
evidence: learned
image: [32, 24]
grid: [15, 15]
scale: 0.0625
loss: {likelihood: 0.1, presence: 0.05}
data: {labels: LABELS, scenes: 0.3, blanks: 0.2, steps: 3, validation: 0.4}
augmentation: {rotation: 15, scale: [0.9, 1.2], shift: 0.1, mirror: true, noise: 0.05}
optimiser: {learning_rate: 1.0e-3, clip: 1.0, average: 0.9}
schedule: {cosine_epochs: 3, warm_up: 2}
batch: 7
max_epochs: 2
"""
LONG = FAST.replace("max_epochs: 20", "max_epochs: 1000000")
LOST = "lost contact with another one, which was killed"


class SameRun(ProcessTest):
    def torchrun(self, count, *arguments, code=0):
        port = ("--master_port", free_port(), "--nproc_per_node", count)
        command = (*TORCHRUN, *port, VSMAX, "train", *arguments, "--threads", 1)
        return self.run_program(*command, code=code, env={**ENVIRONMENT, "OMP_NUM_THREADS": "1"})

    def photographs(self):
        """Dark above an edge, bright below it."""
        images = self.folder / "photos/images"
        images.mkdir(parents=True)
        rows = ["image,x0,y0,x1,y1,guide"]
        for i in range(12):
            picture = PIL.Image.new("L", (40, 30), 50)
            picture.paste(200, (0, 10 + i, 40, 30))
            picture.save(images / f"p{i:02}.png")
            rows.append(f"p{i:02}.png,0,{9.5 + i},39,{9.5 + i},1")
        (self.folder / "photos/lines.csv").write_text("\n".join(rows) + "\n")

    def test_torchrun_starts_it(self):
        self.train("fast.yaml", "one", "--epochs", 2)
        output, _ = self.torchrun(2, "fast.yaml", "--out", "two", "--epochs", 2)
        self.assertEqual(output.count("epoch 2:"), 1, output)
        self.assert_same_curve("one", "two")

    def test_photographs_of_one_line_and_of_several(self):
        self.photographs()
        for labels in ("one", "all"):
            config = self.config(f"{labels}.yaml", PHOTOS.replace("LABELS", labels))
            self.train(config, f"{labels}-1", "--data", "photos")
            for count in (2, 3):
                out = f"{labels}-{count}"
                self.together(count, config, out, "--data", "photos")
                self.assert_same_curve(f"{labels}-1", out)

    def test_other_models_of_lines(self):
        for model in ("softargmax-vs", "rht"):
            text = FAST.replace("vsmax-vs", model).replace("batch: 8", "batch: 9")
            config = self.config(f"{model}.yaml", text)
            self.train(config, f"{model}-1", "--epochs", 2)
            self.together(2, config, f"{model}-2", "--epochs", 2)
            self.assert_same_curve(f"{model}-1", f"{model}-2")

    def test_batch_norm_has_statistics_of_its_own_but_one_result(self):
        text = FAST.replace("vsmax-vs", "mlp-vs").replace("[12, 10]", "[34, 33]")
        config = self.config("mlp.yaml", text)
        self.together(2, config, "run", "--epochs", 1)
        printed = self.together(2, config, "run", "--epochs", 2, "--resume")
        self.assertEqual([complaint for _, complaint in printed], ["", ""])
        self.together(2, config, "whole", "--epochs", 2)
        self.assert_same_run("run", "whole")

    def test_resuming_with_another_number_of_processes(self):
        self.train("fast.yaml", "whole", "--epochs", 4)
        for first, then in ((2, 1), (1, 2), (3, 2)):
            out = f"{first}-{then}"
            self.together(first, "fast.yaml", out, "--epochs", 2)
            (_, note), *others = self.together(then, "fast.yaml", out, "--epochs", 4, "--resume")
            self.assertIn("its last bits will differ", note)
            self.assertEqual(others, [("", "")] * (then - 1))
            self.assert_same_curve("whole", out)

    def test_the_same_number_of_processes_gives_the_same_files(self):
        self.together(2, "fast.yaml", "whole", "--epochs", 4)
        self.together(2, "fast.yaml", "parts", "--epochs", 2)
        self.together(2, "fast.yaml", "parts", "--epochs", 4, "--resume")
        self.assert_same_run("whole", "parts")


class Endings(ProcessTest):
    def setUp(self):
        super().setUp()
        self.config("long.yaml", LONG)

    def under_way(self, count, out, *arguments):
        processes = self.start_processes(count, "long.yaml", out, *arguments)
        self.wait_for_epoch(out, processes)
        return processes

    def assert_resumable(self, out):
        epochs = len(self.log(out)) + 2
        self.together(2, "long.yaml", out, "--resume", "--epochs", epochs)
        self.assertEqual([record["epoch"] for record in self.log(out)][-1], epochs)

    def test_a_signal_to_any_process_stops_all(self):
        for which, number in ((0, signal.SIGINT), (1, signal.SIGTERM)):
            processes = self.under_way(2, number.name)
            processes[which].send_signal(number)
            (output, _), other = self.finish(processes, code=130)
            self.assertIn("interrupted", output)
            self.assertEqual(other, ("", ""))
            self.assert_resumable(number.name)

    def test_a_time_limit_stops_all(self):
        (output, _), _ = self.together(2, "long.yaml", "run", last=["--time-limit", 1])
        self.assertIn("time limit reached", output)
        self.together(2, "long.yaml", "run", "--resume", "--time-limit", 1)

    def test_a_killed_process_ends_the_others(self):
        for which in (0, 1, 2):
            processes = self.under_way(3, f"run{which}")
            processes.pop(which).kill()
            printed = self.finish(processes, code=1)
            complaints = [complaint for _, complaint in printed if complaint]
            # The first process keeps the list of who has told what.
            self.assertEqual(len(complaints), 1 if which else 2, complaints)
            for complaint in complaints:
                self.assertIn(LOST, complaint)
                self.assertEqual(len(complaint.splitlines()), 1)
            self.assert_resumable(f"run{which}")

    def test_a_hung_process_is_given_up(self):
        processes = self.under_way(2, "run", "--peer-timeout", 2)
        processes[1].send_signal(signal.SIGSTOP)
        sentence = self.only_sentence(self.finish(processes[:1], code=1))
        self.assertIn("not answered for 2 s", sentence)
        self.end(processes[1])
        self.assert_resumable("run")

    def test_a_process_that_never_starts(self):
        processes = self.start_processes(2, "fast.yaml", "run", "--peer-timeout", 3)
        processes.pop().kill()
        self.assertIn("only 1 of 2", self.only_sentence(self.finish(processes, code=1)))
        self.assertFalse((self.folder / "run").exists())

    def test_a_full_disk_is_told_once(self):
        self.train("fast.yaml", "run", "--epochs", 1)
        path = self.folder / "run/checkpoint.safetensors"
        before, half = path.read_bytes(), path.stat().st_size // 2

        def limit_file_size():
            resource.setrlimit(resource.RLIMIT_FSIZE, (half, half))

        processes = self.start_processes(
            2, "fast.yaml", "run", "--resume", preexec_fn=limit_file_size
        )
        printed = self.finish(processes, code=1)
        complaints = [line for _, text in printed for line in text.splitlines()]
        complaints = [line for line in complaints if "last bits will differ" not in line]
        self.assertEqual(len(complaints), 1, complaints)
        self.assertIn("cannot be written", complaints[0])
        self.assertEqual(path.read_bytes(), before)

    def test_processes_with_different_work(self):
        printed = self.together(2, "fast.yaml", "run", last=["--seed", 1], code=1)
        sentence = self.only_sentence(printed)
        self.assertIn("process 1 has a different configuration from process 0", sentence)

    def test_torchrun_ends_with_its_processes(self):
        command = (*TORCHRUN, "--master_port", free_port(), "--nproc_per_node", 2)
        run = self.folder / "run"
        launcher = self.start(*command, VSMAX, "train", "long.yaml", "--out", run)
        self.wait_for_epoch("run", [launcher])
        launcher.send_signal(signal.SIGTERM)
        launcher.communicate(timeout=60)
        self.assertNotEqual(launcher.returncode, 0)
        alive = subprocess.run(
            ["pgrep", "-f", f"train long.yaml --out {run}"], capture_output=True
        ).stdout
        self.assertEqual(alive, b"")
        self.assert_resumable("run")


if __name__ == "__main__":
    main()
