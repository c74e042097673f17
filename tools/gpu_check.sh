#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that needs a GPU, in one go: builds with CUDA against the torch of python3, runs the
# suites (C++ and Python), the kernels' tests under the sanitizer, the evaluation of the shipped
# models and the benchmark, then trains the paper's model and evaluates it.
#   tools/gpu_check.sh OUT [EPOCHS]
set -uo pipefail
out=${1:?"where to put the results"}
epochs=${2:-30}
mkdir -p "$out"
build=build-cuda

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
tools/gpu_build.sh "$out" || exit 1

echo "== C++ tests"
ctest --test-dir "$build" -LE 'cli|install|python' -E '(train|experiments)[.][a-z]' -j 8 --timeout 300 \
  --output-on-failure >"$out/tests.log" 2>&1
tail -40 "$out/tests.log"

echo "== Python tests"
tools/gpu_python.sh "$build" >"$out/python.log" 2>&1
grep -E 'passed|failed|exit code [^0]' "$out/python.log"

echo "== compute-sanitizer"
for tool in memcheck racecheck; do
  compute-sanitizer --tool $tool --error-exitcode 9 "$build/tests/cuda/vsmax_cuda_tests" --gtest_brief=1 \
    >"$out/$tool.log" 2>&1
  echo "$tool: exit code $?, $(grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$out/$tool.log")"
done

echo "== EA of the shipped models, CPU and CUDA"
for model in paper models/vsmax-vs*.safetensors; do
  for device in cpu cuda; do
    "$build/vsmax" evaluate --model "$model" --device $device --sigma 0,0.6 --json |
      sed "s|^|$model $device |"
  done
done | tee "$out/evaluate.log"

echo "== benchmark"
make bench-cuda >"$out/bench.log" 2>&1
tail -60 "$out/bench.log"
cp results/bench-cuda/* "$out/"

for precision in ${PRECISIONS:-float32 bfloat16}; do
  echo "== train vsmax-vs in $precision, $epochs epochs"
  run=$build/run-$precision
  rm -rf "$run"
  sed "s/^precision: .*/precision: $precision/" configs/vsmax-vs.yaml >"$build/$precision.yaml"
  SECONDS=0
  "$build/vsmax" train "$build/$precision.yaml" --out "$run" --device cuda --epochs "$epochs" 2>&1 | tail -3
  echo "trained in $SECONDS s"
  "$build/vsmax-torch" evaluate --model "$run/model.safetensors" --device cuda --sigma 0,0.6
  cp "$run/model.safetensors" "$out/vsmax-vs-$precision.safetensors"
  cp "$run/log.jsonl" "$out/vsmax-vs-$precision.jsonl"
done
