#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The CUDA kernels on a GPU, without LibTorch: their tests, the benchmark, a profile, the shipped
# models' EA, and the tests under compute-sanitizer.
#   tools/gpu_kernels.sh OUT [BUILD]
# BUILD (default build-cuda) was built with CUDA, here or elsewhere; BUILD/lib holds libraries that
# this machine lacks. In the environment:
#   PEERS=0            leaves torch and cuSPARSE out of the benchmark
#   PROFILE='PATTERN'  profiles the kernels of these names (slow: some seconds per launch)
#   MODELS='FILE...'   the models to evaluate; default: paper
#   SANITIZERS='...'   the tools of compute-sanitizer; default: memcheck racecheck
set -uo pipefail
out=${1:?"where to put the results"}
build=${2:-build-cuda}
mkdir -p "$out"
. tools/gpu_use.sh "$build"
SECONDS=0

echo "== tests"
"$build/tests/cuda/vsmax_cuda_tests" --gtest_brief=1 >"$out/tests.log" 2>&1
echo "exit code $?"
tail -40 "$out/tests.log"

echo "== benchmark, after $SECONDS s"
if [ "${PEERS:-1}" = 1 ]; then
  python3 benchmarks/cuda/cuda_bench.py "$build/vsmax-cuda-bench" "$out" 2>"$out/bench.log" ||
    tail -5 "$out/bench.log"
else
  "$build/vsmax-cuda-bench" >"$out/ours.json"
  python3 -c '
import json, statistics, sys
for row in json.load(open(sys.argv[1])):
    print("%-55s %3d %9.1f us" % (row["name"], row["batch"], statistics.median(row["us"])))
' "$out/ours.json"
fi

if [ -n "${PROFILE:-}" ]; then
  echo "== profile, after $SECONDS s"
  ncu --clock-control none --set full -k "regex:$PROFILE" -f -o "$out/profile" \
    "$build/vsmax-cuda-bench" --once >"$out/profile.log" 2>&1
  tail -1 "$out/profile.log"
  ncu -i "$out/profile.ncu-rep" --page details >"$out/profile.txt"
fi

echo "== EA on CUDA, after $SECONDS s"
for model in ${MODELS-paper}; do
  "$build/vsmax" evaluate --model "$model" --device cuda --sigma 0,0.6 --json | sed "s|^|$model |"
done >"$out/evaluate.log"

for tool in ${SANITIZERS-memcheck racecheck}; do
  echo "== $tool, after $SECONDS s"
  timeout 300 compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/tests/cuda/vsmax_cuda_tests" \
    --gtest_brief=1 >"$out/$tool.log" 2>&1
  echo "$tool: exit code $?, $(grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$out/$tool.log")"
done
echo "done after $SECONDS s"
