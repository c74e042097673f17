# SPDX-License-Identifier: Apache-2.0
# To be sourced: lets programs of the build $1 find torch and what tools/gpu_pack.sh packed with them.
# Several of them then share the GPU through its multi-process service, where there is one.
if [ -d "$1/lib" ]; then
  LD_LIBRARY_PATH=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')/lib:$PWD/$1/lib:${LD_LIBRARY_PATH:-}
  export LD_LIBRARY_PATH
fi
if [ "${2:-}" = shared ] && command -v nvidia-cuda-mps-control >/dev/null; then
  nvidia-cuda-mps-control -d
  trap 'echo quit | nvidia-cuda-mps-control' EXIT
fi
