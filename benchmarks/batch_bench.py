#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Images per second of 'vsmax detect' with one thread and with several, in turns.

    benchmarks/make_images.py FOLDER
    benchmarks/batch_bench.py build/vsmax FOLDER -- --model classic

Other load on the machine slows several threads down more than one. It is shown as the share of all
processors that other programs used meanwhile, and the best repetition counts. On a machine that is
never quiet, "idle" tells whether the threads wait for each other: the share of their time in which
they neither ran nor were ready to run.
"""

import argparse
import contextlib
import os
import subprocess
import threading
import time
from pathlib import Path


def busy_seconds():
    """Busy time of all processors together since boot."""
    times = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(times) - times[3] - times[4]) / os.sysconf("SC_CLK_TCK")  # less idle and I/O wait


def schedule_of(process):
    """Nanoseconds that each thread has run or been ready to run since it started."""
    times = {}
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has just ended
            run, ready, _ = map(int, (task / "schedstat").read_text().split())
            times[task.name] = run + ready
    return times


def watch(process, stop, shares):
    """Appends the share of time that the threads were idle, up to the last look at them."""
    start, first = time.monotonic_ns(), schedule_of(process)
    while not stop.wait(0.1):
        now, times = time.monotonic_ns(), schedule_of(process)
        if set(times) == set(first):
            active = sum(times.values()) - sum(first.values())
            shares.append(1 - active / ((now - start) * len(times)))
        elif len(times) > len(first):  # the threads are started one after the other
            start, first = now, times


def measure(command):
    """Seconds: wall time, our processor time, that of others. Then the idle share, and rows."""
    busy, start = busy_seconds(), time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    stop, shares = threading.Event(), []
    watcher = threading.Thread(target=watch, args=(process, stop, shares))
    watcher.start()
    rows = sum(1 for _ in process.stdout)
    stop.set()
    watcher.join()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{command[0]} failed")
    ours = usage.ru_utime + usage.ru_stime
    return wall, ours, max(0.0, busy_seconds() - busy - ours), (shares or [0.0])[-1], rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("vsmax")
    parser.add_argument("images", help="folder, or a pattern in quotes")
    parser.add_argument("options", nargs="*", help="of detect, after --")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    base = [arguments.vsmax, "detect", "--json", arguments.images, *arguments.options]
    print("threads  images  seconds  images/s  ms of CPU per image  used by others   idle")
    best = {}
    for _ in range(arguments.repeats):
        for threads in (1, arguments.threads):
            wall, ours, others, idle, rows = measure([*base, "--threads", str(threads)])
            share = 100 * others / (wall * os.cpu_count())
            print(f"{threads:7}{rows:8}{wall:9.2f}{rows / wall:10.1f}{1e3 * ours / rows:21.3f}"
                  f"{share:14.0f} %{100 * idle:6.1f} %", flush=True)  # fmt: skip
            known = best.get(threads, (wall, ours))
            best[threads] = (min(known[0], wall), min(known[1], ours))
    (wall_1, cpu_1), (wall_n, cpu_n) = best[1], best[arguments.threads]
    print(
        f"speed-up by the clock {wall_1 / wall_n:.2f}, CPU time {cpu_n / cpu_1:.2f} times as much"
    )


if __name__ == "__main__":
    main()
