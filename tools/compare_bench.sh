#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares our own rows of two builds of vsmax-bench; fails if a row is more than 5 % slower. The two
# run alternately, and the fastest repetition counts, since other load can only add to the time. Rows
# that look slower are measured again on their own: a real difference persists, a disturbance does not.
#   tools/compare_bench.sh OLD_BENCH NEW_BENCH [ROUNDS]
set -eu
[ $# -ge 2 ] || { echo "usage: $0 OLD_BENCH NEW_BENCH [ROUNDS]" >&2; exit 2; }
exec /usr/bin/python3 - "$1" "$2" "${3:-5}" <<'PYTHON'
import json, subprocess, sys

old, new = {}, {}  # name -> microseconds
rounds = int(sys.argv[3])


def measure(pattern):
    for _ in range(rounds):
        for bench, times in zip(sys.argv[1:3], (old, new)):
            command = [bench, f"--benchmark_filter={pattern}", "--benchmark_repetitions=9",
                       "--benchmark_out=/dev/stderr"]
            output = subprocess.run(command, capture_output=True, check=True).stderr
            for run in json.loads(output)["benchmarks"]:
                if run["run_type"] == "iteration":
                    name = run["name"].removesuffix("/real_time")
                    time = run["real_time" if name.endswith("/2") else "cpu_time"]  # two threads or one
                    times[name] = min(time, times.get(name, time))
    return [name for name in old if new[name] > 1.05 * old[name]]


slower = measure("vsmax|growth")
if slower:
    print("measured again:", ", ".join(slower))
    slower = measure("|".join(f"^{name}(/real_time)?$" for name in slower))
print(f"{'fastest, microseconds':36}{'old':>10}{'new':>10}{'new/old':>10}")
for name in sorted(old):
    mark = "  slower" if name in slower else ""
    print(f"{name:36}{old[name]:10.1f}{new[name]:10.1f}{new[name] / old[name]:10.3f}{mark}")
sys.exit(1 if slower else 0)
PYTHON
