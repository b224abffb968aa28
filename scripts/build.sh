#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Configures and builds: scripts/build.sh [PRESET [TARGET...]]. The preset
# release (the default) goes to build/, its tools to build/bin.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

preset="${1:-release}"
shift || true
folder="$(build_folder "$preset")"

if ! command -v cmake >/dev/null || ! command -v ninja >/dev/null; then
  say "cmake or ninja is missing: run scripts/setup.sh first"
  exit 1
fi

# Ninja itself configures again when a CMakeLists.txt changes.
if [ ! -f "$folder/build.ninja" ] || [ CMakePresets.json -nt "$folder/build.ninja" ]; then
  say "configuring $folder (preset $preset)"
  mkdir -p "$folder"
  if ! cmake --preset "$preset" >"$folder/configure.log" 2>&1; then
    cat "$folder/configure.log" >&2
    exit 1
  fi
  touch "$folder/build.ninja"
fi
jobs="$(build_jobs)"
say "building $folder with $jobs jobs"
NINJA_STATUS='[%f/%t %es] ' ninja -C "$folder" -j "$jobs" "$@" >&2
