# SPDX-License-Identifier: Apache-2.0
"""The first minute of somebody who has just installed the wheel; run by wheel_test.sh."""

import shutil
import subprocess
import sys

import numpy as np

import vsmax

image = np.zeros((120, 160), dtype=np.uint8)
image[np.arange(120), np.arange(120) + 20] = 255
[line] = vsmax.detect(image)
assert abs(np.rad2deg(line.theta) - 135) < 0.5, line
print(f"theta {np.rad2deg(line.theta):.2f} deg, rho {line.rho:.2f} px; Python {sys.version[:7]}")
if len(sys.argv) == 1:
    sys.exit()

# The rest, with a photograph: the command, and what is missing without torch.
photo = sys.argv[1]
[horizon] = vsmax.detect(photo)
command = shutil.which("vsmax")
assert command and command.startswith(sys.prefix), command
told = subprocess.run([command, "detect", photo], capture_output=True, text=True, check=True).stdout
assert f"theta {np.rad2deg(horizon.theta):.2f} deg" in told, told
refused = subprocess.run([command, "train", "x.yaml"], capture_output=True, text=True)
assert refused.returncode == 1 and refused.stderr.count("\n") == 1, refused
assert "vsmax-torch" in refused.stderr, refused
assert not vsmax.has_torch()
try:
    vsmax.VeroneseSoftArgmax()
except ImportError as error:
    assert "run 'pip install torch scikit-build-core', then, in vsmax's source" in str(error), error
else:
    raise AssertionError("torch is here")
for wrong, expected in (
    ("none.png", FileNotFoundError),
    (sys.prefix, IsADirectoryError),
    (__file__, vsmax.Error),
    (b"no image", ValueError),
    (None, TypeError),
    (np.zeros((4, 4), dtype=object), TypeError),
    (np.zeros((0, 4)), ValueError),
    (np.zeros((2, 2, 2, 2, 2)), ValueError),
):
    try:
        vsmax.detect(wrong)
    except expected as error:
        print(f"{type(error).__name__}: {error}")
    else:
        raise AssertionError(f"{wrong!r} was accepted")
