#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cross-compiles the kernels and their tests for 64-bit ARM and runs them under qemu-user. Without
# Highway, the kernels use the compiler's own vector types, here compiled to NEON.
#   tools/test_neon.sh BUILD
set -euo pipefail
build=${1:?"where to build"}
mkdir -p "$build"
compiler="aarch64-linux-gnu-g++ -std=c++20 -O2 -ffp-contract=off -Wall -Wextra -Wno-psabi"
src=src/vsmax

sources=("$src"/base/parallel.cpp "$src"/io/{file,safetensors,safetensors_header,sha256}.cpp
  "$src"/hough/{bin_edges,grid,hough,hough_adjoint,hough_forward}.cpp
  "$src"/{conv,refine}/*.cpp
  "$src"/readout/*.cpp "$src"/geometry/*.cpp)
tests=(tests/hough/{bin_edges,bin_rule,cells,grid_mirror,grid,hough_accuracy,hough_laws,hough_parity}_test.cpp
  tests/conv/{conv_kernels,scale_kernels}_test.cpp tests/refine/{refine_net,whiten}_test.cpp
  tests/readout/{soft_readout,softmax,veronese_soft_argmax}_test.cpp)
google=/usr/src/googletest/googletest

newest_header=$(find src tests -name '*.h' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2)
objects=()
compile() {
  local object
  object=$build/$(echo "$1" | tr '/' '_').o
  objects+=("$object")
  [ "$object" -nt "$1" ] && [ "$object" -nt "$newest_header" ] && return
  echo "  $1"
  # shellcheck disable=SC2086
  $compiler -Isrc -Itests -isystem $google/include -isystem $google -isystem /usr/include/eigen3 \
    -idirafter /usr/include -c "$1" -o "$object"
}
for file in "${sources[@]}" "${tests[@]}" $google/src/gtest-all.cc $google/src/gtest_main.cc; do
  compile "$file"
done
$compiler -static "${objects[@]}" -o "$build/kernel-tests" -pthread
qemu-aarch64 "$build/kernel-tests" --gtest_brief=1
