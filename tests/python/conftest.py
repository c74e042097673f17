# SPDX-License-Identifier: Apache-2.0
"""Every test draws its random numbers from its own name."""

import zlib

import pytest
import torch


@pytest.fixture(autouse=True)
def seed(request: pytest.FixtureRequest) -> None:
    torch.manual_seed(zlib.crc32(request.node.name.encode()))
