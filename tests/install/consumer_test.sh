#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the library into an empty folder, checks that exactly the public headers are there, and
# builds another project against them.
#   consumer_test.sh BUILD
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >/dev/null

# Installed headers and those that vsmax.h includes, or the C header, must be the same set.
cd "$work/prefix/include"
find . -name '*.h' | sed 's|^\./||' | sort >"$work/installed"
cuda=$([ -e vsmax/recover/cuda_recoverer.h ] && echo recover/cuda_recoverer.h || true)
# shellcheck disable=SC2086  # it may be nothing
printf '#include <vsmax/%s>\n' vsmax.h c/vsmax.h $cuda | g++ -std=c++20 -x c++ -MM -I. - | tr -d '\\' |
  tr ' ' '\n' | grep '\.h$' | sed 's|^\./||' | sort >"$work/included"
diff "$work/included" "$work/installed" ||
  { echo "the installed headers (>) are not those that the public ones include (<)"; exit 1; }

example=$here/../../examples/c/detect.c
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name vsmax.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046  # the flags are meant to be split
cc -std=c11 "$example" -o "$work/detect" $(pkg-config --cflags --libs vsmax) \
  -Wl,-rpath,"$PKG_CONFIG_PATH/.."
"$work/detect" "$here/../../examples/photos/streak.jpg"

cmake -S "$here/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release -DEXAMPLE="$example" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/consumer"
"$work/build/c_consumer" "$here/../../examples/photos/streak.jpg"
if [ -n "$cuda" ]; then "$work/build/cuda_consumer"; fi
"$work/prefix/bin/vsmax" --version
