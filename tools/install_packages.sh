#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that parts of the project need. If all are installed already, it needs
# neither the network nor root.
#   tools/install_packages.sh core [test] [torch] [python] [deb] [deb-test] [venv] [wheel-test] [web] [web-test]
#                             [bench] [plots] [neon] [docs] [docs-test]
set -eu

packages_of() {
  case "$1" in
    core) echo "g++ make cmake ninja-build libpng-dev libjpeg62-turbo-dev nlohmann-json3-dev" \
               "libcli11-dev libfmt-dev libhwy-dev" ;;
    test) echo "libgtest-dev librapidcheck-dev libeigen3-dev clang-format clang-tidy python3" \
               "python3-venv python3-matplotlib python3-jinja2 git libopencv-core-dev pkg-config" ;;
    torch) echo "libtorch-dev libgloo-dev libopenblas0-openmp libyaml-cpp-dev" ;;
    python) echo "python3 python3-venv python3-torch python3-numpy python3-matplotlib python3-pil" ;;
    deb) echo "dpkg-dev file gzip help2man" ;;
    deb-test) echo "debootstrap lintian" ;;
    venv) echo "python3 python3-venv" ;;
    wheel-test) echo "python3 python3-venv debootstrap" ;;
    bench) echo "libbenchmark-dev libopencv-dev libopencv-contrib-dev libeigen3-dev python3-pil" ;;
    neon) echo "g++-aarch64-linux-gnu qemu-user googletest libeigen3-dev nlohmann-json3-dev" ;;
    web) echo "emscripten cmake ninja-build make nlohmann-json3-dev python3" ;;
    web-test) echo "chromium-headless-shell nodejs python3 python3-pil" ;;
    docs) echo "doxygen libjs-katex nodejs python3 python3-venv" ;;
    docs-test) echo "chromium-headless-shell libopencv-core-dev" ;;
    plots) echo "python3 python3-matplotlib python3-jinja2" ;;
    *) echo "install_packages.sh: there is no part '$1'" >&2; exit 2 ;;
  esac
}

missing=""
for part in "$@"; do
  for package in $(packages_of "$part"); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing="$missing $package"
  done
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
else
  echo "These packages are missing, and installing them needs root or sudo:$missing" >&2
  exit 1
fi
echo "Installing:$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086  # the list is meant to be split
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends $missing >/dev/null
