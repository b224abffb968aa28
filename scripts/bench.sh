#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Measures compiled attention against its peers and the machine's peak; what is
# measured and how: bench/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

usage() {
  cat <<'END'
usage: scripts/bench.sh [--quick] [--only=NAME] [--peers=none|NAMES] [options]
       scripts/bench.sh --plans [--count=N] [--seed=N] [--threads=LIST]
       scripts/bench.sh --against=FOLDER [--only=NAME] [--threads=LIST] [options]

Builds the compiler, installs the peers from the Python package index into
build/bench/venv where they are missing (its size is said first), measures, and
writes bench/results/. With --plans, instead: plans that were chosen against all
that can be forced, and predicted times against measured ones. The variable MIXATTN_TORCH_INDEX names a package index to
take PyTorch from. Then:
END
}

wants_peers=true
only_says=false
module=bench
for argument in "$@"; do
  case "$argument" in
    --quick | --peers=none) wants_peers=false ;;
    --plans) wants_peers=false module=bench.plans ;;
    --against | --against=*) wants_peers=false module=bench.builds ;;
    --list) only_says=true ;;
    -h | --help) usage; only_says=true ;;
  esac
done
# --peers none, in two words.
[[ " $* " != *" --peers none "* ]] || wants_peers=false

python="$(find_python)"
environment=build/bench/venv
packages="numpy onnx onnxruntime onnxscript matplotlib timm transformers"
if $only_says; then
  exec "$python" -m "$module" "$@"
fi

# Prints the package index with PyTorch's CPU build, if there is one.
torch_index() {
  local index="${MIXATTN_TORCH_INDEX:-https://download.pytorch.org/whl/cpu}"
  if timeout 60 "$environment/bin/pip" download --quiet --no-deps --no-cache-dir \
    --dest "$environment/torch" --timeout 5 --retries 0 --index-url "$index" torch \
    >/dev/null 2>&1; then
    echo "$index"
  fi
}

# Says what `pip install` would bring, in MiB, and installs it.
install_peers() {
  say "the peers are missing: looking for PyTorch's CPU build"
  "$python" -m venv "$environment"
  local index
  index="$(torch_index)"
  if [ -n "$index" ]; then
    say "found in $index: some 200 MiB, 1 GiB on disk"
    "$environment/bin/pip" install --quiet --index-url "$index" \
      --find-links "$environment/torch" torch torchvision
  else
    say "not found: taking the CUDA build, with its libraries some 2.9 GiB, 5.6 GiB on disk"
    "$environment/bin/pip" install --quiet torch torchvision
  fi
  rm -rf "$environment/torch"
  say "and $packages: some 110 MiB"
  # shellcheck disable=SC2086
  "$environment/bin/pip" install --quiet $packages
  mark_installed "$environment" "$packages"
}

scripts/setup.sh
scripts/build.sh release mixattn-compile
if $wants_peers; then
  is_installed "$environment" "$packages" || install_peers
fi
if is_installed "$environment" "$packages"; then
  python="$environment/bin/python"
fi
exec "$python" -m "$module" "$@"
