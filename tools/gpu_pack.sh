#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs a build with CUDA for a GPU machine that lacks some of our libraries or has no time to
# compile: programs, tests and the Python package, stripped, in build-gpu/packed.tar.xz (about 10 MB).
# There, `tar xf build-gpu/packed.tar.xz` unpacks it into build-gpu/, and scripts that take a BUILD,
# such as tools/gpu_kernels.sh, run on it.
#   tools/gpu_pack.sh [BUILD]
set -euo pipefail
build=${1:-build-cuda}
packed=build-gpu
rm -rf "$packed"
mkdir -p "$packed/lib"
(cd "$build" && cp --parents vsmax vsmax-torch vsmax-cuda-bench tests/cuda/vsmax_cuda_tests \
  tests/torch/vsmax_models_tests tests/torch/train/vsmax_train_tests "$OLDPWD/$packed")
cmake --install "$build" --component python --prefix "$packed/python-package" >/dev/null
for library in fmt yaml-cpp hwy jpeg png16; do
  cp -L "$(ldd "$packed/vsmax-torch" | awk -v name="lib$library.so" 'index($1, name) == 1 {print $3}')" \
    "$packed/lib/"
done
find "$packed" -type f \( -perm -u+x -o -name '*.so*' \) -exec strip --strip-unneeded {} + 2>/dev/null || true
tar -C . -cJf packed.tar.xz --exclude=packed.tar.xz "$packed"
find "$packed" -mindepth 1 -delete
mv packed.tar.xz "$packed/"
ls -l "$packed"
