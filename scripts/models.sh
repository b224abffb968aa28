#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles models of torchvision, timm and transformers and compares them with
# PyTorch in double precision.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

usage() {
  cat <<'END'
usage: scripts/models.sh [--full] [--onnx] [--only=NAME]...
       scripts/models.sh --families [--onnx] [--only=NAME]...
       scripts/models.sh --nodes [--only=OP]...

Builds the compiler, installs PyTorch, torchvision, timm, transformers and onnxscript into
build/models/venv where they are missing (5.7 GiB on disk), and prints for each model
how many of its attentions were raised, its error raised and plain, relative to
the largest number of the result, and the time to compile it.

  --full       models as published, with random weights; else small ones
  --families   instead: small models of 30 families of transformers
  --onnx       in ONNX's format, at opsets 18, 20 and 23
  --only=NAME  one of them, such as bert-sdpa
  --nodes      instead: ONNX's own tests of attention, of caches and of rotary
               embeddings, as the wheel of onnx makes them

examples:
  scripts/models.sh
  scripts/models.sh --full --only=swin_t --only=gpt2-eager
  scripts/models.sh --families --only=gemma2
  scripts/models.sh --nodes --only=flexattention
END
}

script=test/import/real_models.py
options=()
for argument in "$@"; do
  case "$argument" in
    --nodes) script=test/import/node_tests.py; continue ;;
    -h | --help) usage; exit 0 ;;
    --full | --families | --onnx | --only=*) ;;
    *) say "unknown argument '$argument'"; usage >&2; exit 2 ;;
  esac
  options+=("$argument")
done
environment="$PWD/build/models/venv"
scripts/setup.sh
scripts/build.sh release mixattn-compile mixattn-run
packages="torch torchvision timm transformers onnxscript numpy"
if ! is_installed "$environment" "$packages"; then
  say "installing PyTorch, torchvision, timm and transformers into $environment: 5.7 GiB on disk"
  "$(find_python)" -m venv "$environment"
  # shellcheck disable=SC2086
  "$environment/bin/pip" install --quiet $packages
  mark_installed "$environment" "$packages"
fi
PATH="$PWD/build/bin:$PATH" exec "$environment/bin/python" "$script" "${options[@]}"
