#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with CUDA in build-cuda/ against the torch of python3, or brings that build up to date.
#   tools/gpu_build.sh LOGS [CMAKE_ARGUMENT...] [-- TARGET...]
set -uo pipefail
logs=${1:?"where to put the logs"}
shift
arguments=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do arguments+=("$1"); shift; done
[ $# -gt 0 ] && shift
build=build-cuda
mkdir -p "$logs" "$build"

# File times are those of the machine on which the files were written and mean nothing to this build:
# files that changed since the last one are found by their checksums, and touched.
find CMakeLists.txt apps benchmarks cmake configs models python src suites tests -type f -exec sha256sum {} + |
  sort >"$build/new.sums"
if [ -e "$build/old.sums" ]; then
  comm -13 "$build/old.sums" "$build/new.sums" | cut -c67- | xargs -r -d '\n' touch
fi
mv "$build/new.sums" "$build/old.sums"

prefix=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')
cmake --preset cuda -DCMAKE_CUDA_ARCHITECTURES=native -DCMAKE_PREFIX_PATH="$prefix" "${arguments[@]}" \
  >"$logs/configure.log" 2>&1 || { tail -30 "$logs/configure.log"; exit 1; }
cmake --build "$build" -j "$(nproc)" --target "${@:-all}" >"$logs/build.log" 2>&1 ||
  { grep -E -A5 'error|FAILED' "$logs/build.log" | head -80; exit 1; }
echo "built in $SECONDS s"
