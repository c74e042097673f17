# SPDX-License-Identifier: Apache-2.0
# To be sourced: lets programs of the build $1 find torch, if there is one, and what tools/gpu_pack.sh packed with them.
# With a second word, shared, several of them share the GPU through its multi-process service, where there is one; it ends
# with the script (this replaces a trap on EXIT).
if [ -d "$1/lib" ]; then
  LD_LIBRARY_PATH=$PWD/$1/lib:${LD_LIBRARY_PATH:-}
  if torch=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))' 2>/dev/null); then
    LD_LIBRARY_PATH=$torch/lib:$LD_LIBRARY_PATH
  fi
  export LD_LIBRARY_PATH
fi
if [ "${2:-}" = shared ] && command -v nvidia-cuda-mps-control >/dev/null; then
  nvidia-cuda-mps-control -d
  trap 'echo quit | nvidia-cuda-mps-control' EXIT
fi
