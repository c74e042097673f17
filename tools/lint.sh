#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The style checks: clang-format, ruff, and clang-tidy over all our C++.
#   tools/lint.sh BUILD
set -eu
build=$1

echo "clang-format"
git ls-files -co --exclude-standard '*.h' '*.c' '*.cpp' '*.cu' | xargs clang-format --dry-run -Werror

echo "ruff"
"$build/venv/bin/ruff" check --quiet .
"$build/venv/bin/ruff" format --quiet --check .

# Nearly all of clang-tidy's time goes to the headers of libraries, so folders that share them are
# checked as one file. Kernels are checked separately, because they use the same names, and without
# Highway, so once rather than for every instruction set. Two files need LibTorch's CUDA headers and
# are skipped; for the others that use CUDA, tests/cuda/host has stand-ins for its headers.
unit_of() {
  case "$1" in
    src/vsmax/torch/* | python/* | apps/vsmax-torch/*) echo torch ;;
    src/vsmax/experiments/* | src/vsmax/io/* | apps/* | web/*) echo programs ;;
    src/*) echo core ;;
  esac
}
echo "clang-tidy"
mkdir -p "$build/lint"
rm -f "$build"/lint/*.cpp
git ls-files -co --exclude-standard 'src/*.cpp' 'apps/*.cpp' 'python/*.cpp' 'web/*.cpp' |
  grep -v 'torch/ops/cuda_tables\|torch/ops/refine_net' | while read -r file; do
  unit=$(unit_of "$file")
  grep -q HWY_TARGET_INCLUDE "$file" && unit=$(basename "$file" .cpp)
  echo "#include \"$PWD/$file\"" >>"$build/lint/$unit.cpp"
done

# The files on LibTorch take longest, so they start first.
ls -r "$build"/lint/*.cpp |
  xargs -P "$(nproc)" -I FILE sh -c '
  torch=
  case FILE in *torch*) torch="-include tools/tidy_prelude.h" ;; esac
  clang-tidy --quiet FILE \
    --checks=-bugprone-suspicious-include,-bugprone-forward-declaration-namespace -- \
    -std=c++20 -Isrc -Iapps -Iapps/vsmax -isystem tests/cuda/host -isystem /usr/include/torch/csrc/api/include $torch \
    -DVSMAX_VERSION=\"0\" -DVSMAX_COMMIT=\"0\" -DVSMAX_REPORT=\"\" -DFMT_HEADER_ONLY \
    -DUSE_C10D_GLOO \
    2>FILE.log && exit 0
  grep -v "warnings generated\|Suppressed\|Use -header-filter" FILE.log >&2
  exit 1'
