#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the library into an empty folder and builds another project against it.
#   consumer_test.sh BUILD
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >/dev/null
cmake -S "$here/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/consumer"
"$work/prefix/bin/vsmax" --version
