# SPDX-License-Identifier: Apache-2.0
"""Two processes with DistributedDataParallel train what one does with the whole batch."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ddp.py"
# The options repair the torchrun of Debian 12, whose defaults fail with Python 3.11.
TORCHRUN = ("-m", "torch.distributed.run", "-r", "9:1", "-t", "9:1", "--nproc_per_node", "2")

if not torch.distributed.is_available():
    pytest.skip("this torch has no distributed", allow_module_level=True)


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def run(*launcher: str, weights: Path, steps: int) -> list[float]:
    """The losses that the example prints."""
    command = [sys.executable, *launcher, EXAMPLE, weights, str(steps)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert told.returncode == 0, told.stderr
    assert told.stdout.count(f"wrote {weights}") == 1
    return [float(loss) for loss in re.findall(r"loss ([\d.]+)", told.stdout)]


@pytest.mark.skipif(torch.cuda.is_available(), reason="one process per GPU")
def test_two_processes_train_what_one_does(tmp_path: Path) -> None:
    one = run(weights=tmp_path / "one.pt", steps=10)
    two = run(*TORCHRUN, "--master_port", free_port(), weights=tmp_path / "two.pt", steps=10)
    assert len(one) == 2
    assert two == pytest.approx(one, abs=2e-5)
    ours, theirs = (torch.load(tmp_path / name) for name in ("one.pt", "two.pt"))
    assert ours.keys() == theirs.keys()
    for name, weight in ours.items():
        torch.testing.assert_close(theirs[name], weight, rtol=1e-4, atol=1e-6)


def test_the_example_learns(tmp_path: Path) -> None:
    losses = run(weights=tmp_path / "weights.pt", steps=60)
    assert losses[-1] < 0.1 * losses[0]
