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

# Files that read LibTorch's headers take clang-tidy half a minute each and are left out.
echo "clang-tidy"
git ls-files -co --exclude-standard 'src/*.cpp' 'apps/*.cpp' |
  grep -Ev '^src/vsmax/(autograd|train|experiments)/|^apps/vsmax-torch/' |
  xargs -P "$jobs" -n 2 clang-tidy -p "$build" --quiet 2>/dev/null
