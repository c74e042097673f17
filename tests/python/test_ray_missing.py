# SPDX-License-Identifier: Apache-2.0
"""vsmax.ray without Ray: it can be imported, and says what to install."""

import os
import subprocess
import sys
import tempfile

SENTENCE = "vsmax.ray needs Ray: pip install 'ray[data]>=2.60,<2.64' ("
BLOCKED = "import sys; sys.modules['ray'] = None\n"


def run(script: str, *arguments: str, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", BLOCKED + script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


def test_the_function_says_what_to_install() -> None:
    script = """
import vsmax.ray
try:
    vsmax.ray.detect(None)
except ImportError as error:
    print(error, 'numpy' in sys.modules, 'torch' in sys.modules)
"""
    told = run(script, check=True).stdout
    assert told.startswith(SENTENCE)
    assert told.endswith(") False False\n")


def test_the_command_says_it_in_one_sentence() -> None:
    with tempfile.TemporaryFile() as images:
        done = run(
            "from vsmax.ray._command import main; main()",
            *("--address=local", f"--images={images.fileno()}", "--model=auto", "--lines=32"),
            *("--min-confidence=0.5", "--workers=0"),
            pass_fds=[images.fileno()],
        )
    assert done.returncode == 1
    assert done.stderr.startswith(f"vsmax: {SENTENCE}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_the_command_vsmax_names_its_own_interpreter(monkeypatch) -> None:
    import vsmax._program

    told = []
    monkeypatch.setattr(os, "execv", lambda *_: told.append(os.environ["VSMAX_PYTHON"]))
    monkeypatch.delenv("VSMAX_PYTHON", raising=False)
    vsmax._program.main()
    assert told == [sys.executable]
