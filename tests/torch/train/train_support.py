# SPDX-License-Identifier: Apache-2.0
"""What the tests of `vsmax train` share. Called as: TEST.py VSMAX VSMAX-TORCH CONFIGS."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

VSMAX, VSMAX_TORCH, CONFIGS = (pathlib.Path(name).resolve() for name in sys.argv[1:4])

# A model that trains an epoch in a few milliseconds.
FAST = """
model: vsmax-vs
image: [12, 10]
grid: [7, 9]
data: {validation_samples: 8}
optimiser: {learning_rate: 1.0e-3}
batch: 8
max_epochs: 20
"""

# Threads that wait without spinning: the tests may share the processors with others.
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}


class TrainTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="vsmax-train-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.config("fast.yaml", FAST)

    def config(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def start(self, *arguments, env=ENVIRONMENT, **options):
        return subprocess.Popen(
            [str(argument) for argument in arguments],
            cwd=self.folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def run_program(self, *arguments, code=0, **options):
        process = self.start(*arguments, **options)
        output, complaint = process.communicate(timeout=500)
        self.assertEqual(process.returncode, code, f"{arguments}: {output}{complaint}")
        return output, complaint

    def train(self, config, out, *arguments, threads=1, **options):
        command = (VSMAX, "train", config, "--out", out, "--threads", threads, *arguments)
        return self.run_program(*command, **options)

    def refusal(self, config, out, *arguments, **options):
        """The one sentence with which a run is refused."""
        _, complaint = self.train(config, out, *arguments, code=1, **options)
        self.assertEqual(len(complaint.splitlines()), 1, complaint)
        self.assertTrue(complaint.startswith("vsmax: "), complaint)
        return complaint

    def kill_after(self, seconds, config, out, *arguments):
        """kill -9 of a run that is under way; false if it was done before."""
        return self._kill(lambda process: time.sleep(seconds), config, out, *arguments)

    def kill_after_epoch(self, config, out, *arguments):
        """kill -9 of a run as soon as its first epoch is logged."""

        def wait(process):
            log = self.folder / out / "log.jsonl"
            while process.poll() is None and not (log.exists() and log.stat().st_size > 0):
                time.sleep(0.01)

        return self._kill(wait, config, out, *arguments)

    def _kill(self, wait, config, out, *arguments):
        command = (VSMAX, "train", config, "--out", out, "--threads", 1, *arguments)
        process = self.start(*command)
        wait(process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return process.returncode == -signal.SIGKILL

    def log(self, out):
        """The log without its times."""
        lines = (self.folder / out / "log.jsonl").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        for record in records:
            del record["seconds"], record["images_per_second"]
        return records

    def model(self, out):
        return (self.folder / out / "model.safetensors").read_bytes()

    def fingerprint(self, out):
        """Changes with any file of a folder."""
        files = sorted(path for path in (self.folder / out).rglob("*") if path.is_file())
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

    def assert_same_run(self, one, other):
        self.assertEqual(self.log(one), self.log(other))
        self.assertEqual(self.model(one), self.model(other))
        self.assertEqual(self.fingerprint(one).keys(), self.fingerprint(other).keys())


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
