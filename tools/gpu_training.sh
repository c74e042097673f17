#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures training on a GPU, with torch's convolutions and with the network's own kernels, each with
# and without a CUDA graph, and checks whether the graph changes any bit of the result.
#   tools/gpu_training.sh OUT [BUILD] [EPOCHS]
# BUILD (default build-cuda) was built with CUDA and LibTorch, here or elsewhere; BUILD/lib holds
# libraries that this machine lacks. DATA=DIR, which holds crop_rows_dev, also trains on photographs.
set -uo pipefail
out=${1:?"where to put the results"}
build=${2:-build-cuda}
epochs=${3:-3}
mkdir -p "$out"
. tools/gpu_use.sh "$build"

sed 's/^precision: .*/precision: bfloat16/' configs/vsmax-vs.yaml >"$out/vsmax-vs.yaml"
train() {  # KERNELS GRAPH CONFIG ARGUMENT...
  local run=$out/run-$(basename "$3" .yaml)-$1-graph$2
  rm -rf "$run"
  VSMAX_REFINE_KERNELS=$1 VSMAX_TRAIN_GRAPH=$2 "$build/vsmax" train "${@:3}" --out "$run" --device cuda \
    --epochs "$epochs" >"$run.txt" 2>&1 || tail -3 "$run.txt"
  echo "== $run"
  cat "$run/log.jsonl"
}
for kernels in torch own; do
  for graph in 0 1; do train $kernels $graph "$out/vsmax-vs.yaml"; done
  cmp "$out/run-vsmax-vs-$kernels-graph0/model.safetensors" "$out/run-vsmax-vs-$kernels-graph1/model.safetensors" &&
    echo "$kernels: the graph changes nothing"
done
[ -z "${DATA:-}" ] && exit
for kernels in torch own; do train $kernels 0 configs/guide-row.yaml --data "$DATA/crop_rows_dev"; done
