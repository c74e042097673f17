#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with CUDA against the torch of python3 and continues a suite of experiments for a given time,
# for machines that are available only for minutes: trainings stay in build-cuda/, the results are
# packed into one file.
#   [SUITE=suites/paper.yaml] tools/gpu_reproduce.sh OUT SECONDS COMMIT [ARGUMENT...]
# TESTS=1 runs the tests at the same time; BUILT=DIR uses a build made earlier or elsewhere
# (tools/gpu_pack.sh); MODELS='PATTERN' brings back only the models of these runs. Several jobs
# (--jobs N among the arguments) share the GPU through its multi-process service, where there is one.
# OUT/NAME.tar.gz (NAME.yaml is the suite) unpacks over results/NAME, and OUT/NAME-unfinished.tar.gz,
# what is needed to resume the other runs, too.
set -uo pipefail
out=${1:?"where to put the results"}
seconds=${2:?"how long to go on"}
commit=${3:?"the commit that is built"}
shift 3
start=$SECONDS
build=${BUILT:-build-cuda}
suite=${SUITE:-suites/paper.yaml}
name=$(basename "$suite" .yaml)
results=$build/$name
mkdir -p "$out" "$results/work"
out=$(realpath "$out")

tests=OFF
[ -n "${TESTS:-}" ] && tests=ON
[ -n "${BUILT:-}" ] ||
  tools/gpu_build.sh "$out" -DVSMAX_BUILD_TESTS=$tests -DVSMAX_BUILD_PYTHON=$tests -DVSMAX_COMMIT="$commit" \
    -- vsmax vsmax-torch || exit 1

if [ -n "${TESTS:-}" ]; then
  (
    cmake --build "$build" -j 12 >>"$out/build.log" 2>&1
    ctest --test-dir "$build" -LE 'cli|install' -E '(train|experiments)[.][a-z]' -j 6 --timeout 300 \
      --output-on-failure >"$out/tests.log" 2>&1
    echo "tests ended after $((SECONDS - start)) s"
    tail -25 "$out/tests.log"
    tools/gpu_python.sh "$build" >"$out/python.log" 2>&1
    grep -E 'passed|failed|exit code' "$out/python.log"
  ) &
  suites=$!
fi

. tools/gpu_use.sh "$build" shared

left=$((seconds - (SECONDS - start) - 10))
status=0
"$build/vsmax" reproduce "$suite" "$@" --out "$results" --device cuda --no-plots \
  --time-limit $((left > 1 ? left : 1)) || status=$?
[ -n "${TESTS:-}" ] && wait "$suites"

# Pack the logs and the models of finished runs, and what is needed to resume the others, in two
# files: only small ones can be brought back. The weights of a ResNet are too large.
cd "$results" || exit 1
files=$(find work -name log.jsonl -o -name outcome.json -o -name run.yaml -o -name output.txt)
unfinished=
for folder in work/*; do
  run=$(basename "$folder")
  if [ ! -e "runs/${run%-*}.json" ]; then
    unfinished+=" $(find "$folder" -name '*.safetensors' -size -4M)"
  elif [[ $run == ${MODELS:-*} ]]; then  # shellcheck disable=SC2053
    files+=" $(find "$folder" -name model.safetensors -size -4M)"
  fi
done
# shellcheck disable=SC2086
tar czf "$out/$name.tar.gz" suite.json runs $files
# shellcheck disable=SC2086
[ -z "${unfinished// /}" ] || tar czf "$out/$name-unfinished.tar.gz" $unfinished
ls -la "$out"
echo "done after $((SECONDS - start)) s"
exit $status
