// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object of C code that the compiler holds, and puts into libraries.
#ifndef MIXATTN_LIB_TARGET_HELDOBJECT_H
#define MIXATTN_LIB_TARGET_HELDOBJECT_H

#include "llvm/ADT/StringRef.h"

/// Defines the function `NAME`, which gives the bytes of the file `FILE`. The
/// build names the file (mixattn_held_object); whoever changes it compiles the
/// source that holds it again.
#define MIXATTN_HELD_OBJECT(NAME, FILE)                                        \
  asm(".section .rodata.mixattn_" #NAME ",\"a\",@progbits\n"                   \
      ".globl mixattn_" #NAME "_begin, mixattn_" #NAME "_end\n"                \
      ".hidden mixattn_" #NAME "_begin, mixattn_" #NAME "_end\n"               \
      "mixattn_" #NAME "_begin:\n"                                             \
      ".incbin \"" FILE "\"\n"                                                 \
      "mixattn_" #NAME "_end:\n"                                               \
      ".previous\n");                                                          \
  extern "C" {                                                                 \
  extern const char mixattn_##NAME##_begin[], mixattn_##NAME##_end[];          \
  }                                                                            \
  static llvm::StringRef NAME() {                                              \
    return {mixattn_##NAME##_begin,                                            \
            size_t(mixattn_##NAME##_end - mixattn_##NAME##_begin)};            \
  }

#endif // MIXATTN_LIB_TARGET_HELDOBJECT_H
