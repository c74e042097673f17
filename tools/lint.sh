#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that keeps the sources in one style: clang-format, clang-tidy, ruff, layers.
#   tools/lint.sh BUILD [core|torch]
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

# Files that read LibTorch's headers take clang-tidy half a minute each; `make tidy-torch` does them.
torch_files='^src/vsmax/(autograd|train|experiments)/|^apps/vsmax-torch/'
echo "clang-tidy"
sources=$(git ls-files -co --exclude-standard 'src/*.cpp' 'apps/*.cpp')
case "${2:-core}" in
  core) echo "$sources" | grep -Ev "$torch_files" |
          xargs -P "$jobs" -n 2 clang-tidy -p "$build" --quiet 2>/dev/null ;;
  torch) echo "$sources" | grep -E "$torch_files" | grep -v cuda |
           xargs -P "$jobs" -n 2 clang-tidy -p "$build" --quiet --extra-arg=-std=c++17 2>/dev/null ;;
esac
