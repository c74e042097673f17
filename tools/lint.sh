#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that keeps the sources in one style: clang-format, clang-tidy, ruff, layers.
#   tools/lint.sh BUILD
set -eu
build=$1
jobs=$(nproc)

echo "clang-format"
git ls-files -co --exclude-standard '*.h' '*.cpp' '*.cu' | xargs clang-format --dry-run -Werror

echo "layers"
"$build/venv/bin/python" tools/check_layers.py

echo "ruff"
"$build/venv/bin/ruff" check --quiet .
"$build/venv/bin/ruff" format --quiet --check .

# Most of clang-tidy's time goes to the headers, so the files of a folder are read as one. Kernels
# include themselves and stay alone. Files that read LibTorch's headers take half a minute each and
# are left out, and so are the experiments' items, whose functions have the same names in each.
echo "clang-tidy"
torch='autograd/|train/(adamw|batch|device|model_evaluation|step_losses|trainer|training)[.]'
sources=$(git ls-files -co --exclude-standard 'src/*.cpp' 'apps/*.cpp' |
  grep -Ev "^src/vsmax/($torch|experiments/(fig|table)_)|^apps/vsmax-torch/|source_commit")
# shellcheck disable=SC2086
kernels=$(grep -l HWY_TARGET_INCLUDE $sources)
mkdir -p "$build/lint"
rm -f "$build"/lint/*.cpp
echo "$sources" | grep -vxF "$kernels" | while read -r file; do
  folder=$(dirname "$file" | tr / _)
  echo "#include \"$PWD/$file\"" >>"$build/lint/$folder.cpp"
done
for kernel in $kernels; do
  echo "#include \"$PWD/$kernel\"" >"$build/lint/$(echo "$kernel" | tr / _)"
done
find "$build/lint" -name '*.cpp' | xargs -P "$jobs" -I FILE \
  clang-tidy --quiet --checks=-bugprone-suspicious-include FILE -- \
  -std=c++20 -Isrc -Iapps -DVSMAX_VERSION='"0"' -DVSMAX_WITH_HIGHWAY=1 2>/dev/null
