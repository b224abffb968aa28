// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the walk over ELF sections. test/tools/mixattn-run-*.test has real
// artifacts.
#include "lib/Runtime/Artifact.h"
#include "lib/Runtime/ElfSection.h"
#include "test/unit/runtime/Utilities.h"
#include <cstddef>
#include <elf.h>

using namespace mixattn;

/// A file with an empty section, the section '.note' that holds "hello", and
/// the names.
static std::string makeElf() {
  static constexpr char names[] = "\0.note\0.names";
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_shoff = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_offset = sizeof(header) + sizeof(sections);
  sections[1].sh_size = 5;
  sections[2].sh_name = 7;
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = sections[1].sh_offset + 5;
  sections[2].sh_size = sizeof(names);
  std::string file(reinterpret_cast<char *>(&header), sizeof(header));
  file.append(reinterpret_cast<char *>(sections), sizeof(sections));
  return file.append("hello").append(names, sizeof(names));
}

TEST(ElfSection, IsFound) {
  Result<ElfSection> section = findElfSection(makeElf(), ".names");
  ASSERT_TRUE(section);
  std::string file = makeElf();
  section = findElfSection(file, ".note");
  EXPECT_EQ(section->content, "hello");
  EXPECT_TRUE(section->isSharedLibrary);
}

TEST(ElfSection, IsNotThere) {
  EXPECT_EQ(messageOf(findElfSection(makeElf(), ".not")),
            "expected a section '.not', but got none");
  EXPECT_EQ(messageOf(findElfSection("#!/bin/sh", ".note")),
            "expected a 64-bit ELF file, but got something else");
}

TEST(ElfSection, OtherMachines) {
  std::string file = makeElf();
  file[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(messageOf(findElfSection(file, ".note")),
            "expected a 64-bit ELF file, but got one of 32 bits");
  file = makeElf();
  file[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(messageOf(findElfSection(file, ".note")),
            "expected a little-endian ELF file, but got a big-endian one");
  file = makeElf();
  file[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_AARCH64);
  EXPECT_EQ(findElfSection(file, ".note")->machine, EM_AARCH64);
  EXPECT_EQ(machineName(EM_AARCH64), "AArch64");
  EXPECT_EQ(machineName(EM_X86_64), "x86-64");
  EXPECT_EQ(machineName(1000), "processor number 1000");
}

TEST(ElfSection, OffsetsOutside) {
  std::string file = makeElf();
  for (size_t size = 0; size < file.size(); ++size)
    (void)findElfSection(std::string_view(file).substr(0, size), ".note");
  // Every field of the headers at its largest.
  for (size_t at = SELFMAG + 2; at + 8 <= 64 + 3 * 64; ++at) {
    std::string damaged = file;
    std::memset(&damaged[at], 0xff, 8);
    (void)findElfSection(damaged, ".note");
  }
}

TEST(Artifact, ThisTestCarriesNone) {
  auto embedded = Artifact::openEmbedded("test");
  ASSERT_TRUE(embedded);
  EXPECT_FALSE(*embedded);
}
