#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks the format of every C++ file, and with --tidy runs clang-tidy too.
# --fix formats in place. Needs scripts/setup.sh --dev.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

mapfile -t sources < <(find dialect passes lib tools test examples bench -name '*.cpp' -o -name '*.h' -o -name '*.c' | sort)
case "${1:-}" in
  '') clang-format-22 --dry-run --Werror "${sources[@]}" ;;
  --fix) clang-format-22 -i "${sources[@]}" ;;
  --tidy)
    scripts/build.sh development
    run_tidy="$(command -v run-clang-tidy-22 || echo run-clang-tidy)"
    "$run_tidy" -quiet -p build/development -clang-tidy-binary clang-tidy-22 \
      -warnings-as-errors='*' '/(dialect|passes|lib|tools)/'
    ;;
  *) say "unknown argument '$1'"; exit 2 ;;
esac
