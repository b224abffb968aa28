#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Measures the numbers that predictions of this CPU depend on.
#
#   scripts/calibrate.sh [--only=NUMBER]... [--out=FILE.json] [--list]
#
# Builds the compiler, runs micro-benchmarks and small kernels, prints what they
# say next to the built-in numbers, and writes a file for mixattn-compile's
# --target-file.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

only_says=false
for argument in "$@"; do
  case "$argument" in
    --list | -h | --help) only_says=true ;;
  esac
done
if ! $only_says; then
  scripts/setup.sh
  scripts/build.sh release mixattn-compile
fi
exec "$(find_python)" -m bench.calibrate "$@"
