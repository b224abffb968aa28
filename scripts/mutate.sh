#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Do the tests notice? Plants the one-line faults of scripts/mutations.txt, one
# after the other, in a copy of the sources, builds, and expects a failing test.
#
#   scripts/mutate.sh [NAME...]     all faults, or those named
#   scripts/mutate.sh --check       only says whether each still fits its file
#
# Prints "caught", "SURVIVED" or "DOES NOT BUILD" for each; exits 1 unless all
# were caught.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

root="$PWD"
copy="$root/build/mutate"
results="$copy/build/mutation.json"

# Reads one line of the table, without the blanks around its fields.
read_fields() {
  local IFS='|' fields=() field
  read -ra fields <<<"$1"
  for field in "${!fields[@]}"; do
    fields[field]="$(sed 's/^ *//; s/ *$//' <<<"${fields[field]}")"
  done
  name="${fields[0]}" file="${fields[1]}" expression="${fields[2]}" filter="${fields[3]}"
}

# Prints the file with the fault; fails unless exactly one line changes.
plant() {
  local lines
  lines="$(sed -E "$expression" "$root/$file" | diff "$root/$file" - | grep -c '^>' || true)"
  if [ "$lines" != 1 ]; then
    say "fault '$name' changes $lines lines of $file, expected 1"
    return 1
  fi
  sed -E "$expression" "$root/$file"
}

case "${1:-}" in
  -h | --help) sed -n '3,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

mapfile -t table < <(grep -v -e '^#' -e '^$' scripts/mutations.txt)
if [ "${1:-}" != --check ]; then
  for name in "$@"; do
    grep -q "^$name *|" scripts/mutations.txt || { say "no fault is named '$name'"; exit 2; }
  done
fi
if [ "${1:-}" = --check ]; then
  misfits=0
  for line in "${table[@]}"; do
    read_fields "$line"
    plant >/dev/null || misfits=1
  done
  [ "$misfits" = 0 ] && echo "${#table[@]} faults fit their files"
  exit "$misfits"
fi

python="$(find_python)"
scripts/setup.sh
# Copied sources hash as the original ones do.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1

# Builds the copy; its output goes to a log.
build() {
  ninja -C "$copy/build" -j "$(build_jobs)" mixattn-test-depends >"$copy/build.log" 2>&1
}

# Runs the suites of the copy with further arguments of lit, up to a failure;
# without the conventions, which look at this table.
run_tests() {
  rm -f "$results"
  "$python" "$lit" -q --filter-out=conventions --allow-empty-runs --max-failures=1 -o "$results" "$@" "$copy/build/test" \
    "$copy/build/test-examples" "$copy/build/test-unit" >"$copy/test.log" 2>&1 </dev/null
}

# Prints the name of the first test that failed.
first_failure() {
  "$python" - "$results" <<'END'
import json, sys
codes = {"FAIL", "UNRESOLVED", "TIMEOUT", "XPASS"}
tests = json.load(open(sys.argv[1]))["tests"]
print(next((t["name"] for t in tests if t["code"] in codes), "?"))
END
}

mkdir -p "$copy"
say "copying the sources to $copy and building them unchanged"
tar -cf - --exclude='./build*' --exclude=./.git . | tar -xf - -C "$copy"
cmake -S "$copy" -B "$copy/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$copy/configure.log"
lit="$(cached "$copy/build" LLVM_EXTERNAL_LIT)"
build || { tail -n 30 "$copy/build.log" >&2; exit 1; }
run_tests || { say "the unchanged sources fail: $(first_failure)"; exit 1; }

caught=0
survived=0
broken=0
for line in "${table[@]}"; do
  read_fields "$line"
  [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
  plant >"$copy/planted"
  cp "$copy/planted" "$copy/$file"
  # The tests that should notice come first, then all the others.
  if ! build; then
    printf '%-28s DOES NOT BUILD: %s\n' "$name" "$(grep -m1 'error: ' "$copy/build.log" || true)"
    broken=$((broken + 1))
  elif run_tests --filter="$filter" && run_tests; then
    printf '%-28s SURVIVED   %s\n' "$name" "$file"
    survived=$((survived + 1))
  else
    printf '%-28s caught     by %s\n' "$name" "$(first_failure)"
    caught=$((caught + 1))
  fi
  cp "$root/$file" "$copy/$file"
done

printf '%d caught, %d survived, %d do not build\n' "$caught" "$survived" "$broken"
[ "$((survived + broken))" = 0 ]
