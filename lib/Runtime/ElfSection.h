// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a section of an ELF file without loading it.
#ifndef MIXATTN_LIB_RUNTIME_ELFSECTION_H
#define MIXATTN_LIB_RUNTIME_ELFSECTION_H

#include "lib/Runtime/Result.h"
#include <cstdint>

namespace mixattn {

/// A section of an ELF file, and facts of the file.
struct ElfSection {
  /// The content of the section.
  std::string_view content;
  /// Whether the file is a shared library, and not an object.
  bool isSharedLibrary;
  /// The processor that it is for, as ELF numbers them.
  uint16_t machine;
};

/// The processor's usual name.
std::string machineName(uint16_t machine);

/// The section of that name of a 64-bit little-endian ELF file.
Result<ElfSection> findElfSection(std::string_view file, std::string_view name);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_ELFSECTION_H
