#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Python package's tests on a build, one process per file: a crash does not hide other results.
#   tools/gpu_python.sh BUILD [PYTEST_ARGUMENT...]
# For example, -k cuda leaves out the tests that need no GPU.
set -uo pipefail
build=$(realpath "${1:?"what was built"}")
shift
cmake --install "$build" --component python --prefix "$build/python-package" >/dev/null
cd tests/python || exit
export PYTHONPATH=$build/python-package VSMAX=$build/vsmax
for file in test_*.py; do
  python3 -X faulthandler -m pytest -q -rs -p no:cacheprovider "$@" "$file"
  echo "$file: exit code $?"
done
