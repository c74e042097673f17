#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks a wheel: installs it in a clean virtual environment of each interpreter, without torch and with
# no compiler on the path, finds a first line, runs the package's tests that need no torch, and removes
# it. As root, also in an empty Debian, which has none of the libraries that the wheel brings along.
#   wheel_test.sh FOLDER WHEEL PYTHON...
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
wheel=$(realpath "$2")
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
first_line=$source/tests/install/wheel_first_line.py
photo=$source/examples/photos/sea.jpg

# Nothing of this machine's environment, except the way to the package index.
clean() {
  environment=$1
  shift
  # shellcheck disable=SC2046  # one word per variable
  env -i PATH="$environment/bin" HOME="$folder" \
    $(env | grep -E '^(PIP_[A-Z_]+|https?_proxy|HTTPS?_PROXY|no_proxy|SSL_CERT_FILE)=[^ ]*$') "$@"
}

for python in "$@"; do
  environment=$folder/clean
  rm -rf "$environment"
  "$python" -m venv "$environment"
  begin=$(date +%s%N)
  clean "$environment" pip install -q --disable-pip-version-check --no-cache-dir "$wheel"
  clean "$environment" python "$first_line"
  echo "$((($(date +%s%N) - begin) / 1000000)) ms from pip install to the first line"
  clean "$environment" python "$first_line" "$photo"
  clean "$environment" pip install -q --disable-pip-version-check pytest
  (cd "$source/tests/python" &&
    clean "$environment" VSMAX="$environment/bin/vsmax" PYTHONDONTWRITEBYTECODE=1 \
      python -m pytest -q -p no:cacheprovider .)
  clean "$environment" pip uninstall -q -y vsmax
  left=$(find "$environment" -name '*vsmax*')
  [ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
done

if [ "$(id -u)" -ne 0 ]; then
  echo "The empty Debian is left out: it needs root."
  exit 0
fi
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
"$source/tests/install/empty_debian.sh" "$root" "$folder/debootstrap.log" python3,python3-venv
cp "$wheel" "$first_line" "$photo" "$root/test"
# NumPy for the interpreter of this release.
/usr/bin/python3 -m venv "$folder/downloader"
"$folder/downloader/bin/pip" download -q --disable-pip-version-check --only-binary :all: \
  -d "$root/test" numpy
cat >"$root/test/inside.sh" <<'END'
set -eu
cd /test
for library in libpng16 libjpeg libfmt libhwy; do
  ! ldconfig -p | grep -q $library || { echo "$library is there already" >&2; exit 1; }
done
python3 -m venv env
PATH=/test/env/bin:$PATH
begin=$(date +%s%N)
pip install -q --disable-pip-version-check --no-index --find-links . vsmax
python wheel_first_line.py
echo "$((($(date +%s%N) - begin) / 1000000)) ms from pip install to the first line, NumPy downloaded before"
python wheel_first_line.py sea.jpg
END
# With /proc, where the loader looks up the folder of a program; it goes when the command ends.
unshare --mount --pid --fork sh -eu -c '
  mount -t proc proc "$0/proc"
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C chroot "$0" sh /test/inside.sh
' "$root"
echo "The wheel installs and works without torch, compiler or libraries."
