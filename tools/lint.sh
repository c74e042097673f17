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

# Files that read LibTorch's headers take clang-tidy half a minute each and are left out. Those that
# read CLI11's would too, and are read as one.
echo "clang-tidy"
sources=$(git ls-files -co --exclude-standard 'src/*.cpp' 'apps/*.cpp' |
  grep -Ev '^src/vsmax/(autograd|train|experiments)/|^apps/vsmax-torch/')
# shellcheck disable=SC2086
commands=$(grep -lE 'CLI/CLI|vsmax/(commands|handover|model_options|scoring)[.]h' $sources)
for file in $commands; do echo "#include \"$PWD/$file\""; done >"$build/commands_for_lint.cpp"
clang-tidy --quiet --checks=-bugprone-suspicious-include "$build/commands_for_lint.cpp" -- \
  -std=c++20 -Isrc -Iapps -DVSMAX_VERSION='"0"' 2>/dev/null &
together=$!
echo "$sources" | grep -vxF "$commands" |
  xargs -P "$jobs" -n 2 clang-tidy -p "$build" --quiet 2>/dev/null
wait $together
