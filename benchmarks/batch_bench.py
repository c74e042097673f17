#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Images per second of 'vsmax detect' with one thread and with several, in turns.

    benchmarks/make_images.py FOLDER
    benchmarks/batch_bench.py build/vsmax FOLDER -- --model classic

Other work on the machine slows several threads more than one. It is shown as the share of all
processors that others used meanwhile, and the best of the repetitions counts.
"""

import argparse
import os
import subprocess
import time
from pathlib import Path


def busy_seconds():
    """Of all processors together since the start of the machine."""
    times = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(times) - times[3] - times[4]) / os.sysconf("SC_CLK_TCK")  # less idle and I/O wait


def measure(command):
    """Seconds by the clock, of our processor time, and of that of others; and the rows printed."""
    busy, start = busy_seconds(), time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    rows = sum(1 for _ in process.stdout)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{command[0]} failed")
    ours = usage.ru_utime + usage.ru_stime
    return wall, ours, max(0.0, busy_seconds() - busy - ours), rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("vsmax")
    parser.add_argument("images", help="folder, or a pattern in quotes")
    parser.add_argument("options", nargs="*", help="of detect, after --")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    base = [arguments.vsmax, "detect", "--json", arguments.images, *arguments.options]
    print("threads  images  seconds  images/s  ms of CPU per image  used by others")
    best = {}
    for _ in range(arguments.repeats):
        for threads in (1, arguments.threads):
            wall, ours, others, rows = measure([*base, "--threads", str(threads)])
            share = 100 * others / (wall * os.cpu_count())
            print(f"{threads:7}{rows:8}{wall:9.2f}{rows / wall:10.1f}{1e3 * ours / rows:21.3f}"
                  f"{share:14.0f} %", flush=True)  # fmt: skip
            best[threads] = min(best.get(threads, (wall, ours)), (wall, ours))
    (wall_1, cpu_1), (wall_n, cpu_n) = best[1], best[arguments.threads]
    print(
        f"speed-up by the clock {wall_1 / wall_n:.2f}, CPU time {cpu_n / cpu_1:.2f} times as much"
    )


if __name__ == "__main__":
    main()
