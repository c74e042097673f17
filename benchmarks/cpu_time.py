#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time by the clock and processor time of a command and of all processes it leaves behind, such as
those of a Ray cluster.

    benchmarks/cpu_time.py COMMAND [ARGUMENT...]
"""

import contextlib
import ctypes
import os
import resource
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def main():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans become our children
    start = time.monotonic()
    code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
    wall = time.monotonic() - start
    with contextlib.suppress(ChildProcessError):  # until there are no more
        while True:
            os.wait()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{wall:.1f} s by the clock, {usage.ru_utime + usage.ru_stime:.2f} s of CPU")
    sys.exit(code)


if __name__ == "__main__":
    main()
