#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up, builds and runs every test; ends in "N passed, N failed, N skipped".
#
#   scripts/test.sh [--preset=asan|development] [lit's arguments, for instance --filter=softmax]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

preset=release
case "${1:-}" in
  --preset=*) preset="${1#--preset=}"; shift ;;
esac
folder="$(build_folder "$preset")"

scripts/setup.sh
python="$(find_python)"
scripts/build.sh "$preset"
lit="$(cached "$folder" LLVM_EXTERNAL_LIT)"
lit_arguments=()

# The fuzz targets need clang's libFuzzer; without it their tests are skipped.
if [ -n "$(cached "$folder" MIXATTN_HAS_FUZZER)" ]; then
  scripts/build.sh fuzz mixattn-fuzzers
  lit_arguments+=(--param "fuzz_dir=$PWD/$(build_folder fuzz)/bin")
fi

say "running the tests"
results="$folder/test-results.json"
rm -f "$results"
status=0
MIXATTN_ROUNDTRIP=1 "$python" "$lit" -v -o "$results" "${lit_arguments[@]}" "$@" \
  "$folder/test" "$folder/test-examples" "$folder/test-unit" </dev/null || status=$?
"$python" scripts/count.py "$results" || status=1
exit "$status"
