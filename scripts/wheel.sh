#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the Python wheel: the package, the programs, and what they need.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

usage() {
  cat <<'END'
usage: scripts/wheel.sh [--check]

Makes build/wheel/dist/mixattn-VERSION-py3-none-manylinux_2_36_x86_64.whl, for any
Python from 3.9 on: the package, libomp, and mixattn-compile, mixattn-opt and
mixattn-run, which hold LLVM, MLIR and the C++ library and ask the system for glibc
alone. Its tag says glibc 2.36, that of Debian 12, where it is built and tested.

  --check  installs the wheel in an environment of its own in build/wheel/check, with
           NumPy from the Python package index, and runs there what the README shows

The programs are built in build/wheel (some twenty minutes on two cores at first).
END
}

check=false
for argument in "$@"; do
  case "$argument" in
    --check) check=true ;;
    -h | --help) usage; exit 0 ;;
    *) say "unknown argument '$argument'"; usage >&2; exit 2 ;;
  esac
done

scripts/setup.sh
# This mixattn-compile is mixattn-opt, too.
scripts/build.sh wheel mixattn-compile mixattn-run
folder="$(build_folder wheel)"
version="$(cached "$folder" CMAKE_PROJECT_VERSION)"
libomp="$(cached "$folder" MLIR_DIR)/../../libomp.so.5"
say "packing"
rm -rf "$folder/dist"
"$(find_python)" tools/python/pack.py "$folder" "$version" "$libomp" "$folder/dist"

if $check; then
  say "installing it in $folder/check"
  rm -rf "$folder/check" "$folder/readme"
  "$(find_python)" -m venv "$folder/check"
  "$folder/check/bin/pip" install --quiet --disable-pip-version-check "$folder"/dist/*.whl >&2
  for program in mixattn-compile mixattn-opt mixattn-run; do
    "$folder/check/bin/$program" --version
  done
  "$folder/check/bin/mixattn-opt" examples/variants/mgk.mlir --attn-to-normal | grep -q attn.generic
  # Neither the sources nor the build of this folder is on its paths.
  env -i PATH="$PWD/$folder/check/bin:/usr/bin:/bin" \
    "$folder/check/bin/python" test/docs/pythontest.py README.md "$folder/readme"
fi
