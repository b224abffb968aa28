#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the kernels for GPUs on a GPU: results, memory, times next to PyTorch's;
# what is done and how: bench/gpu.py.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

# PyTorch with CUDA is whichever the first python3 on PATH has.
python="$(command -v python3)"
if ! "$python" -c 'import torch' 2>/dev/null; then
  python="$(find_python)"
fi
exec "$python" -m bench.gpu "$@"
