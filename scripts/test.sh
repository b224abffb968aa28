#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up, builds and runs every test. Further arguments go to lit, for
# instance --filter=softmax. Ends in "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

scripts/setup.sh
python="$(find_python)"
scripts/build.sh release
lit_arguments=()

# The fuzz targets need clang's libFuzzer; without it their tests are skipped.
fuzzer_library="$(find /usr/lib/llvm-22/lib/clang/22/lib -name 'libclang_rt.fuzzer-x86_64.a' 2>/dev/null || true)"
if [ -n "$fuzzer_library" ] && [ -f test/fuzz/CMakeLists.txt ]; then
  scripts/build.sh fuzz mixattn-fuzzers
  lit_arguments+=(--param "fuzz_dir=$PWD/build/fuzz/bin")
fi

say "running the tests"
results="build/test-results.json"
lit="$(sed -n 's/^LLVM_EXTERNAL_LIT:[^=]*=//p' build/CMakeCache.txt)"
rm -f "$results"
status=0
MIXATTN_ROUNDTRIP=1 "$python" "$lit" -v -o "$results" "${lit_arguments[@]}" "$@" \
  build/test build/test-examples build/test-unit </dev/null || status=$?
"$python" scripts/count.py "$results" || status=1
exit "$status"
