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

# Installed headers and those that vsmax.h includes must be the same set.
cd "$work/prefix/include"
find . -name '*.h' | sed 's|^\./||' | sort >"$work/installed"
echo '#include <vsmax/vsmax.h>' | g++ -std=c++20 -x c++ -MM -I. - | tr -d '\\' | tr ' ' '\n' |
  grep '\.h$' | sed 's|^\./||' | sort >"$work/included"
diff "$work/included" "$work/installed" ||
  { echo "the installed headers (>) are not those that vsmax.h includes (<)"; exit 1; }

cmake -S "$here/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/consumer"
"$work/prefix/bin/vsmax" --version
