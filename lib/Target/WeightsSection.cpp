// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ELF object without bytes, and the library with them.
#include "lib/Target/WeightsSection.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <elf.h>
#include <memory>
#include <optional>

using namespace mixattn;

/// x86-64's flag of sections that may be far from code.
static constexpr uint64_t largeSection = 0x10000000;

/// Where weights, and the section, begin.
static constexpr uint64_t lineSize = 64, pageSize = 4096;

/// A library has no more than 2 GiB, of which code and tables take a share.
static constexpr uint64_t mostBytes = (uint64_t(2) << 30) - (64 << 20);

Status WeightsSection::add(std::string symbol, uint64_t size,
                           ByteSource bytes) {
  uint64_t offset = llvm::alignTo(end, lineSize);
  if (size > mostBytes || offset > mostBytes - size)
    return makeError("expected at most {} bytes of weights for '--embed', but "
                     "got more",
                     mostBytes);
  weights.push_back({std::move(symbol), offset, size, std::move(bytes)});
  end = offset + size;
  return Success{};
}

static bool writeZeros(const ByteSink &sink, uint64_t count) {
  static const char zeros[pageSize] = {};
  for (; count > pageSize; count -= pageSize)
    if (!sink({zeros, pageSize}))
      return false;
  return sink({zeros, count});
}

bool WeightsSection::write(const ByteSink &sink) const {
  uint64_t at = 0;
  for (const Weight &each : weights) {
    uint64_t given = 0;
    auto count = [&](std::string_view piece) {
      given += piece.size();
      return sink(piece);
    };
    if (!writeZeros(sink, each.offset - at) || !each.bytes(count))
      return false;
    assert(given == each.size && "as many bytes as were said");
    at = each.offset + each.size;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The object
//===----------------------------------------------------------------------===//

template <typename T> static std::string_view bytesOf(const T &value) {
  return {reinterpret_cast<const char *>(&value), sizeof(value)};
}

/// Appends `text` and a zero, and gives the place of its first character.
static uint32_t addName(std::string &names, std::string_view text) {
  uint32_t place = static_cast<uint32_t>(names.size());
  names.append(text).push_back('\0');
  return place;
}

std::string WeightsSection::makeObject() const {
  enum { Nothing, Section, Symbols, Names, Titles, Count };
  std::string names(1, '\0'), titles(1, '\0'), symbols(sizeof(Elf64_Sym), '\0');
  for (const Weight &each : weights) {
    Elf64_Sym symbol = {};
    symbol.st_name = addName(names, each.symbol);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_other = STV_HIDDEN;
    symbol.st_shndx = Section;
    symbol.st_value = each.offset;
    symbol.st_size = each.size;
    symbols.append(bytesOf(symbol));
  }
  Elf64_Shdr sections[Count] = {};
  sections[Section].sh_name = addName(titles, weightsSection);
  sections[Section].sh_type = SHT_NOBITS;
  sections[Section].sh_flags = SHF_ALLOC | largeSection;
  sections[Section].sh_size = end;
  sections[Section].sh_addralign = pageSize;
  sections[Symbols].sh_name = addName(titles, ".symtab");
  sections[Symbols].sh_type = SHT_SYMTAB;
  sections[Symbols].sh_link = Names;
  // The first symbol that is no local one.
  sections[Symbols].sh_info = 1;
  sections[Symbols].sh_entsize = sizeof(Elf64_Sym);
  sections[Symbols].sh_addralign = alignof(Elf64_Sym);
  sections[Names].sh_name = addName(titles, ".strtab");
  sections[Titles].sh_name = addName(titles, ".shstrtab");
  sections[Names].sh_type = sections[Titles].sh_type = SHT_STRTAB;
  sections[Names].sh_addralign = sections[Titles].sh_addralign = 1;

  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = header.e_version = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_ehsize = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = Count;
  header.e_shstrndx = Titles;
  header.e_shoff = sizeof(header);
  std::string content;
  uint64_t start = sizeof(header) + sizeof(sections);
  auto place = [&](Elf64_Shdr &section, std::string_view bytes) {
    section.sh_offset = start + content.size();
    section.sh_size = bytes.size();
    content.append(bytes);
  };
  place(sections[Symbols], symbols);
  place(sections[Names], names);
  place(sections[Titles], titles);
  std::string object(bytesOf(header));
  return object.append(bytesOf(sections)).append(content);
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

namespace {
/// Where the bytes of a section without any go in a file.
struct Gap {
  /// Bytes of the file before it, then zeros, then the section, and zeros up to
  /// the next page.
  uint64_t place, before, after;

  uint64_t size(uint64_t section) const { return before + section + after; }
};

/// The headers of a library, as they are changed.
class Headers {
public:
  explicit Headers(std::string &file) : file(file) {}

  std::optional<Gap> widen(uint64_t size);

private:
  template <typename T> T *at(uint64_t offset) {
    return reinterpret_cast<T *>(file.data() + offset);
  }
  Elf64_Shdr *findSection();

  std::string &file;
};
} // namespace

Elf64_Shdr *Headers::findSection() {
  auto *header = at<Elf64_Ehdr>(0);
  auto *sections = at<Elf64_Shdr>(header->e_shoff);
  uint64_t titles = sections[header->e_shstrndx].sh_offset;
  for (Elf64_Shdr &section :
       llvm::make_range(sections, sections + header->e_shnum))
    if (at<char>(titles + section.sh_name) == weightsSection)
      return &section;
  return nullptr;
}

/// Gives the section of that size a place at the end of the segment that it is
/// in, and moves all that comes after it.
std::optional<Gap> Headers::widen(uint64_t size) {
  auto *header = at<Elf64_Ehdr>(0);
  auto *first = at<Elf64_Phdr>(header->e_phoff);
  auto segments = llvm::make_range(first, first + header->e_phnum);
  Elf64_Shdr *section = findSection();
  if (!section || section->sh_size != size || section->sh_type != SHT_NOBITS)
    return std::nullopt;
  Elf64_Phdr *own = nullptr;
  for (Elf64_Phdr &segment : segments)
    if (segment.p_type == PT_LOAD && section->sh_addr >= segment.p_vaddr &&
        section->sh_addr + size == segment.p_vaddr + segment.p_memsz)
      own = &segment;
  if (!own || section->sh_addr < own->p_vaddr + own->p_filesz)
    return std::nullopt;
  Gap gap = {own->p_offset + own->p_filesz,
             section->sh_addr - own->p_vaddr - own->p_filesz, 0};
  uint64_t all = gap.before + size;
  gap.after = llvm::alignTo(all, pageSize) - all;
  auto move = [&](auto &offset) {
    if (offset >= gap.place)
      offset += gap.size(size);
  };
  for (Elf64_Phdr &segment : segments)
    if (&segment != own)
      move(segment.p_offset);
  own->p_filesz = own->p_memsz;
  auto *sections = at<Elf64_Shdr>(header->e_shoff);
  for (Elf64_Shdr &each :
       llvm::make_range(sections, sections + header->e_shnum))
    if (&each != section)
      move(each.sh_offset);
  section->sh_type = SHT_PROGBITS;
  section->sh_offset = gap.place + gap.before;
  move(header->e_shoff);
  return gap;
}

Result<SizedBytes> WeightsSection::fill(std::string library) const {
  auto file = std::make_shared<std::string>(std::move(library));
  std::optional<Gap> gap = Headers(*file).widen(end);
  if (!gap)
    return makeError("the linker left no place for weights");
  auto bytes = [this, file, gap = *gap](const ByteSink &sink) {
    std::string_view all = *file;
    return sink(all.substr(0, gap.place)) && writeZeros(sink, gap.before) &&
           write(sink) && writeZeros(sink, gap.after) &&
           sink(all.substr(gap.place));
  };
  return SizedBytes{file->size() + gap->size(end), bytes};
}
