# SPDX-License-Identifier: Apache-2.0
"""Every test draws its random numbers from its own name. Without torch, or with
VSMAX_WITHOUT_TORCH, only the tests that do not need it are collected.
"""

import os
import sys
import zlib
from pathlib import Path

import pytest

if "VSMAX_WITHOUT_TORCH" in os.environ:
    sys.modules["torch"] = None  # as if it were not installed
try:
    import torch
except ImportError:
    torch = None
    without_torch = {
        f"test_{name}.py"
        for name in ("arrays", "files", "lazy_torch", "ray_missing", "ray_output", "scores")
    }
    here = Path(__file__).parent
    collect_ignore = sorted({path.name for path in here.glob("test_*.py")} - without_torch)


@pytest.fixture(autouse=True)
def seed(request: pytest.FixtureRequest) -> None:
    if torch is not None:
        torch.manual_seed(zlib.crc32(request.node.name.encode()))
