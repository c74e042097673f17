# SPDX-License-Identifier: Apache-2.0
"""Training in several processes that find each other as torchrun would tell them to."""

import math
import socket
import time

from train_support import ENVIRONMENT, VSMAX, TrainTest

LAUNCHER = ("RANK", "WORLD_SIZE", "MASTER", "LOCAL_", "TORCHELASTIC")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class ProcessTest(TrainTest):
    def start_processes(self, count, config, out, *arguments, last=(), **options):
        """All of them; the first leads, and the last has more arguments."""
        shared = {
            **{name: value for name, value in ENVIRONMENT.items() if not name.startswith(LAUNCHER)},
            "WORLD_SIZE": str(count),
            "LOCAL_WORLD_SIZE": str(count),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(free_port()),
        }
        command = (VSMAX, "train", config, "--out", out, "--threads", 1, *arguments)
        processes = []
        for rank in range(count):
            environment = {**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)}
            more = last if rank + 1 == count else ()
            processes.append(self.start(*command, *more, env=environment, **options))
            self.addCleanup(self.end, processes[-1])
        return processes

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def finish(self, processes, code=0, seconds=500):
        """What each has printed, as (output, complaint); all end with this code."""
        printed = [process.communicate(timeout=seconds) for process in processes]
        codes = [process.returncode for process in processes]
        self.assertEqual(codes, [code] * len(processes), printed)
        return printed

    def together(self, count, config, out, *arguments, code=0, **options):
        return self.finish(self.start_processes(count, config, out, *arguments, **options), code)

    def only_sentence(self, printed):
        """The one sentence that all processes have printed together."""
        complaints = [line for _, complaint in printed for line in complaint.splitlines()]
        self.assertEqual(len(complaints), 1, complaints)
        self.assertTrue(complaints[0].startswith("vsmax: "), complaints)
        return complaints[0]

    def wait_for_epoch(self, out, processes):
        log = self.folder / out / "log.jsonl"
        while not (log.exists() and log.stat().st_size > 0):
            self.assertTrue(all(process.poll() is None for process in processes))
            time.sleep(0.01)

    def assert_same_curve(self, one, other):
        """To rounding, which Adam soon makes larger: it takes full steps along tiny gradients."""
        ours, theirs = self.log(one), self.log(other)
        self.assertEqual(len(ours), len(theirs))
        for a, b in zip(ours, theirs, strict=True):
            self.assertEqual((a["epoch"], a["lr"]), (b["epoch"], b["lr"]))
            tolerance = 1e-5 if a["epoch"] == 1 else 2e-3
            for key in ("train_loss", "validation_loss"):
                close = math.isclose(a[key], b[key], rel_tol=tolerance)
                self.assertTrue(close, f"epoch {a['epoch']}: {key} {a[key]} and {b[key]}")
