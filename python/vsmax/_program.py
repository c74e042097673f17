# SPDX-License-Identifier: Apache-2.0
"""The command vsmax: the C++ program that comes with the package."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Replaces this process by the program, so that signals and exit codes are its own."""
    program = str(Path(__file__).with_name("bin") / "vsmax")
    os.environ.setdefault("VSMAX_PYTHON", sys.executable)  # which 'detect --ray' calls
    try:
        os.execv(program, ["vsmax", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"vsmax: {program} cannot be started: {error.strerror}; install vsmax again")
