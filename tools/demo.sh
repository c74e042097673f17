#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `make demo` shows: the lines in the example photographs, and in five drawn images with noise.
#   tools/demo.sh VSMAX FOLDER       from the root of the repository
set -eu
vsmax=$1
folder=$2
mkdir -p "$folder"

"$vsmax" detect --gallery "$folder/photos" examples/photos/*.jpg
echo

# name, theta in radians, rho in pixels, noise, size. The seam is at theta = 0 = pi.
while read -r name theta rho sigma size; do
  "$vsmax" synth --theta "$theta" --rho="$rho" --sigma "$sigma" --size "$size" "$folder/$name.png"
  degrees=$(awk "BEGIN { printf \"%.2f\", $theta * 45 / atan2(1, 1) }")
  echo "$folder/$name.png: drawn with theta $degrees deg, rho $rho px, noise $sigma"
done <<EXAMPLES
clean 0.7 20 0 256x256
noisy 2.2 -35 0.6 256x256
seam 3.1376 60 0.4 256x256
corner 0.7854 160 0.2 256x256
wide 1.35 25 0.5 400x180
EXAMPLES

echo
printf "$folder/%s.png\n" clean noisy seam corner wide |
  xargs "$vsmax" detect --overlay "$folder" --explain "$folder"
echo
echo "The photographs: $folder/photos/index.html"
echo "The drawn images: $folder/*-overlay.png (the line) and $folder/*-explain.svg (every stage)"
