// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bounded walk over ELF64 section headers.
#include "lib/Runtime/ElfSection.h"
#include <cstring>
#include <elf.h>
#include <optional>

using namespace mixattn;

/// A struct of the file, if it lies within.
template <typename T>
static std::optional<T> structAt(std::string_view file, uint64_t offset) {
  T value;
  if (offset > file.size() || file.size() - offset < sizeof(T))
    return std::nullopt;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

/// The bytes of a section, if they lie within.
static std::optional<std::string_view> contentOf(std::string_view file,
                                                 const Elf64_Shdr &section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > file.size() ||
      file.size() - section.sh_offset < section.sh_size)
    return std::nullopt;
  return file.substr(section.sh_offset, section.sh_size);
}

static std::optional<Elf64_Shdr>
sectionAt(std::string_view file, const Elf64_Ehdr &header, uint64_t index) {
  uint64_t offset;
  if (__builtin_add_overflow(header.e_shoff, index * sizeof(Elf64_Shdr),
                             &offset))
    return std::nullopt;
  return structAt<Elf64_Shdr>(file, offset);
}

std::string mixattn::machineName(uint16_t machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86-64";
  case EM_AARCH64:
    return "AArch64";
  case EM_RISCV:
    return "RISC-V";
  case EM_PPC64:
    return "POWER";
  case EM_S390:
    return "z/Architecture";
  }
  return "processor number " + std::to_string(machine);
}

Result<ElfSection> mixattn::findElfSection(std::string_view file,
                                           std::string_view name) {
  std::optional<Elf64_Ehdr> header = structAt<Elf64_Ehdr>(file, 0);
  bool isElf = file.size() > EI_DATA && file.substr(0, SELFMAG) == ELFMAG;
  if (isElf && file[EI_CLASS] == ELFCLASS32)
    return makeError("expected a 64-bit ELF file, but got one of 32 bits");
  if (isElf && file[EI_DATA] == ELFDATA2MSB)
    return makeError("expected a little-endian ELF file, but got a big-endian "
                     "one");
  if (!isElf || !header || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(Elf64_Shdr))
    return makeError("expected a 64-bit ELF file, but got something else");
  std::optional<Elf64_Shdr> names =
      sectionAt(file, *header, header->e_shstrndx);
  std::optional<std::string_view> text;
  if (names)
    text = contentOf(file, *names);
  for (uint64_t i = 0; text && i < header->e_shnum; ++i) {
    std::optional<Elf64_Shdr> section = sectionAt(file, *header, i);
    if (!section || section->sh_name >= text->size())
      break;
    std::string_view found = text->substr(section->sh_name);
    if (found.substr(0, found.find('\0')) != name)
      continue;
    if (std::optional<std::string_view> content = contentOf(file, *section))
      return ElfSection{*content, header->e_type == ET_DYN, header->e_machine};
  }
  return makeError("expected a section '{}', but got none", name);
}
