# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions that the scripts share. Sourced, with the root of the repository as
# the current folder.

# Prints one line of progress, with the script's name.
say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2; }

# Prints a python3 that imports NumPy: the first on PATH may lack it.
find_python() {
  local candidate
  for candidate in "${MIXATTN_PYTHON:-}" /usr/bin/python3 python3; do
    if [ -n "$candidate" ] && "$candidate" -c 'import numpy' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  say "no python3 that imports numpy: install python3-numpy or set MIXATTN_PYTHON"
  return 1
}

# Prints how many compilers may run at once: one a core, one a GiB of free
# memory (a file over MLIR's headers takes up to that). MIXATTN_JOBS wins.
build_jobs() {
  local cores memory
  cores="$(nproc)"
  memory="$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)"
  [ "$memory" -ge 1 ] || memory=1
  echo "${MIXATTN_JOBS:-$((cores < memory ? cores : memory))}"
}

# Prints the build folder of a preset.
build_folder() {
  case "$1" in
    release) echo build ;;
    *) echo "build/$1" ;;
  esac
}

# Prints a value of a configured build: cached FOLDER VARIABLE.
cached() { sed -n "s/^$2:[^=]*=//p" "$1/CMakeCache.txt"; }

# Whether an environment of Python's has all of some packages, as `mark_installed`
# wrote it: is_installed FOLDER PACKAGES.
is_installed() { [ "$(cat "$1/complete" 2>/dev/null)" = "$2" ]; }
mark_installed() { echo "$2" > "$1/complete"; }
