#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains models on photographs on a GPU, several at a time, and evaluates them on the CPU: builds
# with CUDA against the torch of python3 and runs the jobs of a file, one per line:
#   NAME CONFIG DATA FOLD PROTOCOL PRETRAINED [more data to evaluate on as DATA:PROTOCOL ...]
# FOLD 0 trains on everything; otherwise that fold is held out and evaluated. DATA and PRETRAINED may
# be -; PRETRAINED is the name of a job above the last line that says "wait".
#   tools/gpu_photos.sh JOBS OUT [PARALLEL]
# BUILT=DIR uses a build made earlier or elsewhere (tools/gpu_pack.sh).
set -uo pipefail
jobs=${1:?"a file of jobs"}
out=${2:?"where to put the results"}
parallel=${3:-5}
mkdir -p "$out"
build=${BUILT:-build-cuda}

[ -n "${BUILT:-}" ] ||
  tools/gpu_build.sh "$out" -DVSMAX_BUILD_TESTS=OFF -DVSMAX_BUILD_PYTHON=OFF -- vsmax vsmax-torch || exit 1
. tools/gpu_use.sh "$build" shared

one() {
  read -r name config data fold protocol pretrained more <<<"$1"
  local run=$build/runs/$name
  rm -rf "$run"
  local hold=() begin=$SECONDS
  [ "$fold" != 0 ] && hold=(--fold "$fold")
  local from=()
  [ "$data" != - ] && from+=(--data "$data")
  [ "$pretrained" != - ] && from+=(--pretrained "$out/$pretrained.safetensors")
  "$build/vsmax-torch" train "$config" "${from[@]}" "${hold[@]}" --out "$run" --device cuda \
    --threads 2 >"$out/$name.log" 2>&1 || { echo "$name: $(tail -1 "$out/$name.log")"; return; }
  cp "$run/model.safetensors" "$out/$name.safetensors"
  cp "$run/log.jsonl" "$out/$name.jsonl"
  echo "$name: trained in $((SECONDS - begin)) s; $(tail -1 "$out/$name.jsonl" | cut -c1-140)"
  [ "$data" = - ] && return
  [ "$fold" != 0 ] && hold+=(--folds 5)
  echo "$name $data: $("$build/vsmax" evaluate --model "$run/model.safetensors" --data "$data" \
    --protocol "$protocol" "${hold[@]}" --threads 2 2>&1 | tail -12)"
  for pair in $more; do
    echo "$name $pair: $("$build/vsmax" evaluate --model "$run/model.safetensors" \
      --data "${pair%:*}" --protocol "${pair#*:}" --threads 2 2>&1 | tail -12)"
  done
}
export -f one
export build out
SECONDS=0
csplit -s -z -f "$out/wave" --suppress-matched "$jobs" '/^wait/' '{*}'
for wave in "$out"/wave*; do
  xargs -P "$parallel" -I{} bash -c 'one "{}"' <"$wave" | tee -a "$out/summary.txt"
done
echo "all in $SECONDS s"
tar -C "$out" -czf "$out.tar.gz" .
