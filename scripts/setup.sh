#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what building and testing mixattn needs, and nothing that is there.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'END'
usage: scripts/setup.sh [--dev] [--gpu] [--ffi] [--print]

Installs the packages of scripts/packages.txt through apt, without questions,
as root or through sudo. Does nothing, and touches no network, when all of
them are there. With MLIR_DIR (the folder that holds MLIRConfig.cmake of an
LLVM/MLIR 22) LLVM's own packages are left out.

  --dev    adds the formatter and the linter
  --gpu    adds NVIDIA's ptxas, fatbinary, nvdisasm and cuobjdump, of the versions
           in scripts/cuda-tools.txt, in build/cuda (55 MB to download, 150 MB on
           disk): mixattn-compile --cuda-path=build/cuda/nvidia/cu13 takes them;
           and in build/foreign kernels that Triton makes (200 MB to download,
           1.1 GB on disk), on which the tests prove their PTX emulator. No GPU
           is needed
  --ffi    adds a Python with tvm_ffi and NumPy in build/ffi, through which a test calls
           artifacts (25 MB to download, 90 MB on disk)
  --print  lists the packages and stops
END
}

say() { printf 'setup: %s\n' "$*" >&2; }

groups='llvm|build'
print=false
gpu=false
ffi=false
for argument in "$@"; do
  case "$argument" in
    --dev) groups="$groups|dev" ;;
    --gpu) groups="$groups|gpu"; gpu=true ;;
    --ffi) groups="$groups|ffi"; ffi=true ;;
    --print) print=true ;;
    -h | --help) usage; exit 0 ;;
    *) say "unknown argument '$argument'"; usage >&2; exit 2 ;;
  esac
done

# The version of the MLIR in MLIR_DIR ("22.1.8"), or nothing.
mlir_version() {
  local config
  config="$(find "${MLIR_DIR%/}/.." -maxdepth 3 -name LLVMConfigVersion.cmake 2>/dev/null | head -n 1)"
  [ -f "$MLIR_DIR/MLIRConfig.cmake" ] && [ -n "$config" ] &&
    sed -n 's/^set(PACKAGE_VERSION "\([0-9.]*\).*/\1/p' "$config"
}

# The last step, once all packages are there.
finish() {
  # The packages are those of the system's Python.
  local python=/usr/bin/python3
  [ -x "$python" ] || python=python3
  if $gpu && ! cmp -s scripts/cuda-tools.txt build/cuda/installed.txt; then
    say "bringing NVIDIA's tools from the Python package index"
    rm -rf build/cuda
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile \
      --root-user-action=ignore --target build/cuda -r scripts/cuda-tools.txt >&2
    cp scripts/cuda-tools.txt build/cuda/installed.txt
  fi
  if $gpu && [ ! -d build/foreign/ptx ]; then
    say "making kernels of another compiler, on which the emulator is tested"
    # Without them the tests on them are skipped; it says why.
    "$python" test/emulator/foreign/make.py >&2 || [ $? = 77 ]
  fi
  if $ffi && ! cmp -s scripts/ffi-tools.txt build/ffi/installed.txt; then
    say "bringing tvm_ffi from the Python package index"
    rm -rf build/ffi
    "$python" -m venv build/ffi
    build/ffi/bin/pip install --quiet --disable-pip-version-check \
      -r scripts/ffi-tools.txt >&2
    cp scripts/ffi-tools.txt build/ffi/installed.txt
  fi
  exit 0
}

if [ -n "${MLIR_DIR:-}" ]; then
  version="$(mlir_version || true)"
  case "$version" in
    22.*) say "taking LLVM/MLIR $version from MLIR_DIR"; groups="${groups#llvm|}" ;;
    *) say "MLIR_DIR '$MLIR_DIR' holds no LLVM/MLIR 22, but '${version:-nothing}'"; exit 1 ;;
  esac
fi

mapfile -t packages < <(awk -v groups="^($groups)\$" '$1 ~ groups { print $2 }' scripts/packages.txt)
if $print; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

# One sentence for machines where apt cannot help.
elsewhere() {
  say "$1: install ${missing[*]} or what they are called here; LLVM's own apt" \
    "repository https://apt.llvm.org has LLVM/MLIR 22 for other Debian and Ubuntu" \
    "releases, and MLIR_DIR=FOLDER_OF_MLIRConfig.cmake takes one that you built"
  exit 1
}

# Without dpkg, installed packages are not known. Where MLIR_DIR and the build
# tools are there, the configure step finds out about the rest.
if ! command -v dpkg-query >/dev/null && [ -n "${MLIR_DIR:-}" ] &&
  command -v cmake >/dev/null && command -v ninja >/dev/null; then
  say "no dpkg here: taking the packages as installed"
  finish
fi

missing=()
for package in "${packages[@]}"; do
  status="$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)"
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} = 0 ]; then
  say "all ${#packages[@]} packages are there"
  finish
fi
command -v apt-get >/dev/null || elsewhere "this machine has no apt"

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null ||
    { say "not root and no sudo: as root, run: apt-get install --no-install-recommends ${missing[*]}"; exit 1; }
  as_root=(sudo)
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
    apt-get -q -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# Whether apt knows a version of every missing package; sets `unknown`.
candidates() {
  local package
  unknown=()
  for package in "${missing[@]}"; do
    case "$(LC_ALL=C apt-cache policy "$package" 2>/dev/null)" in
      *"Candidate: "[0-9]*) ;;
      *) unknown+=("$package") ;;
    esac
  done
  [ ${#unknown[@]} = 0 ]
}

update() {
  say "reading apt's package lists"
  apt update >&2 || say "apt-get update failed; going on with the lists that are here"
}

# Prints what installing would take, in apt's words, then installs.
install_missing() {
  apt install --no-install-recommends --assume-no "${missing[@]}" 2>/dev/null |
    grep -E '^(Need to get|After this operation)' >&2 || true
  apt install --no-install-recommends --yes "${missing[@]}" >&2
}

candidates || update
candidates || elsewhere "apt has no candidate for ${unknown[*]} (Debian 12 has them all with bookworm-security among its sources)"

say "installing ${#missing[@]} of ${#packages[@]} packages (all of them: about 390 MB to download, 2.3 GB on disk): ${missing[*]}"
# The lists may be older than the archive: then read them and try again.
install_missing || { update && install_missing; }
say "done"
finish
