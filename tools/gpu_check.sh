#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with CUDA against the torch of python3, runs the suites, measures a training step, trains
# the paper's model and evaluates it: everything that needs a GPU, in one go.
#   tools/gpu_check.sh OUT [EPOCHS]
set -uo pipefail
out=${1:?"where to put the results"}
epochs=${2:-30}
mkdir -p "$out"
build=build-cuda

prefix=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
  -DVSMAX_WITH_TORCH=ON -DVSMAX_WITH_CUDA=ON -DVSMAX_BUILD_TESTS=ON >"$out/configure.log" 2>&1 ||
  { tail -30 "$out/configure.log"; exit 1; }
time cmake --build "$build" -j "$(nproc)" >"$out/build.log" 2>&1 ||
  { grep -E -A5 'error|FAILED' "$out/build.log" | head -60; exit 1; }

echo "== tests"
ctest --test-dir "$build" -LE 'cli|install' -E '(train|experiments)[.][a-z]' -j 8 --timeout 300 \
  --output-on-failure >"$out/tests.log" 2>&1
tail -60 "$out/tests.log"

for precision in ${PRECISIONS:-float32 bfloat16}; do
  echo "== train vsmax-vs in $precision, $epochs epochs"
  run=$build/run-$precision
  rm -rf "$run"
  sed "s/^precision: .*/precision: $precision/" configs/vsmax-vs.yaml >"$build/$precision.yaml"
  time "$build/vsmax" train "$build/$precision.yaml" --out "$run" --device cuda \
    --epochs "$epochs" 2>&1 | tail -40
  "$build/vsmax-torch" evaluate --model "$run/model.safetensors" --device cuda --sigma 0,0.6
  cp "$run/model.safetensors" "$out/vsmax-vs-$precision.safetensors"
  cp "$run/log.jsonl" "$out/vsmax-vs-$precision.jsonl"
done
