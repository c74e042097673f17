#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the Debian packages in a build folder: installs them in an empty Debian of this release, runs
# the program, builds the C example against the library in three ways, removes the packages and looks
# for anything they left. Needs root, and a mirror as apt has it.
#   deb_test.sh BUILD
set -eu
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" -eq 0 ] || { echo "deb_test.sh: needs root, for chroot" >&2; exit 1; }

# CPack adds its own calls of ldconfig, and only uploads to Debian itself close bugs.
lintian --allow-root --fail-on error,warning \
  --suppress-tags initial-upload-closes-no-bugs,maintscript-calls-ldconfig "$build"/*.deb

root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
"$source/tests/install/empty_debian.sh" "$root" "$build/debootstrap.log" g++,pkg-config,cmake,make
for file in /etc/resolv.conf /etc/hosts; do cp "$file" "$root$file"; done
cp "$build"/*.deb "$source/examples/c/detect.c" "$source/examples/photos/sea.jpg" "$root/test"
cat >"$root/test/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C)
find_package(vsmax REQUIRED COMPONENTS c)
add_executable(detect detect.c)
target_link_libraries(detect PRIVATE vsmax::c)
END

cat >"$root/test/inside.sh" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
cd /test
packages=$(for file in *.deb; do dpkg-deb -f "$file" Package; done)
apt() { apt-get -qq -y -o Dpkg::Use-Pty=0 "$@" >/test/apt.log 2>&1 || { cat /test/apt.log; exit 1; }; }

# The program by itself, as most people will install it.
apt install --no-install-recommends ./vsmax_*.deb
vsmax --version
vsmax detect sea.jpg | tee expected
grep -q theta expected
apt purge vsmax

# Everything, for developers.
apt install --no-install-recommends ./*.deb
cc -std=c11 -Wall -Wextra -Werror -pedantic detect.c -o shared $(pkg-config --cflags --libs vsmax)
cc -std=c11 detect.c -o static $(pkg-config --cflags vsmax) -Wl,-Bstatic -lvsmax -Wl,-Bdynamic \
  $(pkg-config --libs-only-l --static vsmax | sed 's/-lvsmax//')
cmake -S . -B build >/dev/null
cmake --build build >/dev/null
for program in ./shared ./static build/detect; do
  $program sea.jpg | diff expected - || { echo "$program answers otherwise"; exit 1; }
done
ldd ./shared | grep -q libvsmax.so.0
if ldd ./static | grep -q libvsmax; then echo "./static is not static"; exit 1; fi
dpkg -L $packages | sort -u | while read -r path; do [ -d "$path" ] || echo "$path"; done >files
echo "$(wc -l <files) files installed"

apt purge $packages
status=0
while read -r path; do
  [ ! -e "$path" ] || { echo "left behind: $path"; status=1; }
done <files
left=$(find / -xdev -name '*vsmax*' -not -path '/test/*' -not -path '/proc/*')
[ -z "$left" ] || { echo "left behind: $left"; status=1; }
ldconfig -p | grep vsmax && status=1
exit $status
END
# Nothing of this machine's environment, such as compiler settings, except the way to the mirror.
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root ${http_proxy:+"http_proxy=$http_proxy"} \
  chroot "$root" sh /test/inside.sh
echo "The packages install, work and leave nothing behind."
