// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mixattn-compile and mixattn-opt as one program, which is the one that it is
// called as: each of them holds LLVM and MLIR.
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

int runCompile(int argc, char **argv);
int runOpt(int argc, char **argv);

int main(int argc, char **argv) {
  llvm::StringRef name = argc ? llvm::sys::path::filename(argv[0]) : "";
  return name == "mixattn-opt" ? runOpt(argc, argv) : runCompile(argc, argv);
}
