// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launcher that GPU artifacts hold, as an object.
#include "lib/Target/Launcher.h"

// The build names the file; whoever changes it compiles this file again.
asm(".section .rodata.mixattn_launcher,\"a\",@progbits\n"
    ".globl mixattn_launcher_begin, mixattn_launcher_end\n"
    ".hidden mixattn_launcher_begin, mixattn_launcher_end\n"
    "mixattn_launcher_begin:\n"
    ".incbin \"" MIXATTN_LAUNCHER "\"\n"
    "mixattn_launcher_end:\n"
    ".previous\n");

extern "C" {
extern const char mixattn_launcher_begin[], mixattn_launcher_end[];
}

llvm::StringRef mixattn::getLauncherObject() {
  return {mixattn_launcher_begin,
          size_t(mixattn_launcher_end - mixattn_launcher_begin)};
}
