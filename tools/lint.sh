#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that keeps the sources in one style: clang-format, ruff and clang-tidy over all our C++.
#   tools/lint.sh BUILD
set -eu
build=$1

echo "clang-format"
git ls-files -co --exclude-standard '*.h' '*.cpp' '*.cu' | xargs clang-format --dry-run -Werror

echo "ruff"
"$build/venv/bin/ruff" check --quiet .
"$build/venv/bin/ruff" format --quiet --check .

# Most of clang-tidy's time goes to the headers, so the files of a folder are read as one. Kernels
# include themselves and stay alone. source_commit.cpp needs a definition of the build, and
# cuda_tables.cpp the CUDA toolkit; both are a few lines of glue.
echo "clang-tidy"
mkdir -p "$build/lint"
rm -f "$build"/lint/*.cpp
git ls-files -co --exclude-standard 'src/*.cpp' 'apps/*.cpp' 'python/*.cpp' |
  grep -Ev 'source_commit|cuda_tables' | while read -r file; do
  unit=$(dirname "$file")
  grep -q HWY_TARGET_INCLUDE "$file" && unit=$file
  echo "#include \"$PWD/$file\"" >>"$build/lint/$(echo "${unit%.cpp}" | tr / _).cpp"
done

# The files on LibTorch take longest, so they start first.
ls "$build"/lint/*torch*.cpp "$build"/lint/*python*.cpp "$build"/lint/*.cpp | awk '!seen[$0]++' |
  xargs -P "$(nproc)" -I FILE sh -c '
  torch=
  case FILE in *torch*|*python*) torch="-include tools/tidy_prelude.h" ;; esac
  clang-tidy --quiet FILE \
    --checks=-bugprone-suspicious-include,-bugprone-forward-declaration-namespace -- \
    -std=c++20 -Isrc -Iapps -isystem /usr/include/torch/csrc/api/include $torch \
    -DVSMAX_VERSION=\"0\" -DVSMAX_REPORT=\"\" -DVSMAX_WITH_HIGHWAY=1 -DFMT_HEADER_ONLY \
    2>FILE.log && exit 0
  grep -v "warnings generated\|Suppressed\|Use -header-filter" FILE.log >&2
  exit 1'
