#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes an empty Debian of this release with a folder /test, from the mirror that apt uses. Needs root.
#   empty_debian.sh ROOT LOG PACKAGE[,PACKAGE]...
set -eu
root=$1 log=$2 packages=$3
. /etc/os-release
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" \
  "Codename: $VERSION_CODENAME" | head -1)
echo "debootstrap $VERSION_CODENAME"
debootstrap --variant=minbase --include="$packages" "$VERSION_CODENAME" "$root" "$mirror" \
  >"$log" 2>&1 || { tail "$log" >&2; exit 1; }
mkdir "$root/test"
