#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The main job from source to numbers: compiles attention with mixed heads to
# x86 code, runs it on real text, compares with the reference; then compiles
# three trained language models, compares them with PyTorch's record and lets
# one write.
#
#   scripts/demo.sh [--built=FOLDER]    sets up and builds first, unless FOLDER is built
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

case "${1:-}" in
  --built=*) build="${1#--built=}" ;;
  '')
    build=build
    scripts/setup.sh
    scripts/build.sh release mixattn-compile mixattn-run
    ;;
  *) say "unknown argument '$1'"; exit 2 ;;
esac
python="$(find_python)"
layer=mixhead_a
folder="$build/demo"
mkdir -p "$folder"

# Shows a command and runs it.
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show "$build/bin/mixattn-compile" "examples/variants/$layer.mlir" -o "$folder/$layer.so"
show "$python" examples/text/embed.py LICENSE "$folder/text.npz"
show "$build/bin/mixattn-run" "$folder/$layer.so" "--entry=$layer" \
  "--inputs=$folder/text.npz" "--outputs=$folder/out.npz" \
  --repeat=20 "--json=$folder/report.json" --check

# Three trained character models, one of each family, from tokens to text.
show "$python" examples/charlm/run.py --bin "$build/bin" --out "$folder/charlm"

printf '\nThe files are in %s:\n' "$folder"
(cd "$folder" && ls -l "$layer".* text.npz out.npz report.json) |
  awk '{ printf "  %-14s %9d bytes\n", $NF, $5 }'
