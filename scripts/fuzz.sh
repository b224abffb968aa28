#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs random programs of attention ops for a time (test/numeric/compositions.py),
# a share of them with sanitized kernels, and says what came of it. Programs
# that fail are made small and written to a folder.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

usage() {
  cat <<'END'
usage: scripts/fuzz.sh --minutes=M [options]

  --minutes=M     how long to run
  --seed=S        the first seed, one of others for each round; default: fresh
  --jobs=J        processes at once; default: one a core
  --bin=FOLDER    the tools; default: build/bin
  --write=FOLDER  for what is found; default: build/findings

Of seven parts of the time, five go to plain kernels, one to kernels that report
accesses outside of memory, one to kernels that report races; where a sanitizer's
runtime is missing, its part goes to plain ones. Ends in 1 where anything was
found.

examples:
  scripts/fuzz.sh --minutes=30
  scripts/fuzz.sh --minutes=600 --seed=7 --jobs=1 --write=/tmp/findings
END
}

minutes='' seed='' jobs="$(nproc)" bin=build/bin write=build/findings
for argument in "$@"; do
  case "$argument" in
    --minutes=*) minutes="${argument#*=}" ;;
    --seed=*) seed="${argument#*=}" ;;
    --jobs=*) jobs="${argument#*=}" ;;
    --bin=*) bin="${argument#*=}" ;;
    --write=*) write="${argument#*=}" ;;
    --help) usage; exit 0 ;;
    *) say "unknown argument '$argument'"; usage >&2; exit 2 ;;
  esac
done
for number in "$minutes" "$jobs" "${seed:-0}"; do
  if ! [[ "$number" =~ ^[0-9]+$ ]]; then
    say "expected --minutes=M, and whole numbers, but got '$number'"
    exit 2
  fi
done
seed="${seed:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}"
python="$(find_python)"
mkdir -p "$write"
end=$((SECONDS + 60 * minutes))

# A file that the build found, or nothing: runtime MIXATTN_ASAN_RUNTIME.
runtime() {
  local found
  found="$(cached build "$1" 2>/dev/null)"
  [ ! -f "$found" ] || echo "$found"
}

# One part of a round: part SEED SECONDS SANITIZER.
part() {
  local preload=''
  case "$3" in
    address) preload="$(runtime MIXATTN_ASAN_RUNTIME)" ;;
    thread) preload="$(runtime MIXATTN_TSAN_RUNTIME)" ;;
  esac
  local sanitize=()
  [ -z "$preload" ] || sanitize=("--sanitize=$3" --calls=4 --work=3e6)
  env ${preload:+"LD_PRELOAD=$preload"} \
    ASAN_OPTIONS=detect_leaks=0 \
    TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1 \
    OMP_TOOL_LIBRARIES="$(runtime MIXATTN_ARCHER)" \
    "$python" test/numeric/compositions.py "--seed=$1" \
    "--minutes=$(awk -v s="$2" 'BEGIN { print s / 60 }')" \
    --calls=12 --artifacts=3 "--bin=$bin" "--write=$write" "${sanitize[@]}"
}

# Rounds of seven parts, until the time is over: job NUMBER.
job() {
  local round=0 left share kind found=0
  while left=$((end - SECONDS)); [ "$left" -gt 5 ]; do
    share=$((left < 1260 ? (left + 6) / 7 : 180))
    local at=$((seed + 1000000 * $1 + 2 * round))
    part "$at" $((5 * share)) '' || found=1
    for kind in address thread; do
      left=$((end - SECONDS))
      [ "$left" -lt 5 ] || part $((at + 1)) $((left < share ? left : share)) \
        "$kind" || found=1
    done
    round=$((round + 1))
  done
  return "$found"
}

say "seed $seed, $minutes minutes, $jobs at once; findings go to $write"
pids=() status=0
logs="$(mktemp -d)"
trap 'rm -rf "$logs"' EXIT
for number in $(seq "$jobs"); do
  job "$number" > >(tee "$logs/$number") 2>&1 &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || status=1; done
# Each run's last line of progress counts it all.
awk '/^seed [0-9]+: / { last[FILENAME "/" run[FILENAME]] = $0 }
     /^seed [0-9]+$/ { ++run[FILENAME] }
     END {
       for (each in last) {
         split(last[each], words, " ")
         programs += words[3]; calls += words[9]; bad += words[11]
       }
       printf "fuzz: %d programs, %d calls, %d bad\n", programs, calls, bad
     }' "$logs"/*
exit "$status"
