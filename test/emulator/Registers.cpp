// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers the registers of a kernel.
#include "Decoder.h"
#include "Failure.h"

using namespace mixattn::emulator;

void SymbolTable::addShared(const Declaration &declaration) {
  if (declaration.count < 0 || declaration.isExtern) {
    dynamic.push_back(declaration.name);
    dynamicAlignment = std::max(dynamicAlignment, declaration.alignment);
    return;
  }
  unsigned alignment = declaration.alignment;
  sharedEnd = (sharedEnd + alignment - 1) / alignment * alignment;
  values[declaration.name] = sharedEnd;
  sharedEnd += declaration.type.bytes() * declaration.count;
}

Registers::Register Registers::take(Type type) {
  Register result{kernel.slots, type};
  kernel.slots += type.slots();
  return result;
}

void Registers::declare(const std::string &directive, unsigned scope) {
  if (named.size() <= scope) {
    named.resize(scope + 1);
    ranges.resize(scope + 1);
  }
  // `.reg .b32 %r<4>`; vectors of registers are not emulated.
  size_t typeBegin = directive.find('.', 1);
  size_t typeEnd = directive.find(' ', typeBegin);
  if (typeBegin == std::string::npos || typeEnd == std::string::npos)
    fail("expected a type and names");
  std::string typeName =
      directive.substr(typeBegin + 1, typeEnd - typeBegin - 1);
  std::optional<Type> type = typeNamed(typeName);
  if (!type)
    fail("'." + typeName + "' is no type of registers");
  for (const std::string &name : splitAtCommas(directive.substr(typeEnd))) {
    size_t angle = name.find('<');
    if (angle == std::string::npos)
      named[scope].emplace(name, take(*type));
    else
      ranges[scope][name.substr(0, angle)] = {
          *type, std::stoul(name.substr(angle + 1))};
  }
}

const Registers::Register *Registers::find(const std::string &name,
                                           unsigned scope) {
  while (true) {
    if (scope < named.size()) {
      auto found = named[scope].find(name);
      if (found != named[scope].end())
        return &found->second;
      size_t digits = name.find_last_not_of("0123456789") + 1;
      auto range = ranges[scope].find(name.substr(0, digits));
      if (digits < name.size() && range != ranges[scope].end() &&
          std::stoul(name.substr(digits)) < range->second.count)
        return &named[scope]
                    .emplace(name, take(range->second.type))
                    .first->second;
    }
    if (scope == body.parents[scope])
      return nullptr;
    scope = body.parents[scope];
  }
}

Slot Registers::constant(uint64_t bits, unsigned slots) {
  auto [found, isNew] = constants.emplace(std::make_pair(bits, slots), 0);
  if (isNew) {
    found->second = kernel.slots;
    kernel.constants.push_back({kernel.slots, bits, slots});
    kernel.slots += slots;
  }
  return found->second;
}

Slot Registers::special(const std::string &name) {
  static const char *const known[] = {"%tid.x",
                                      "%tid.y",
                                      "%tid.z",
                                      "%ntid.x",
                                      "%ntid.y",
                                      "%ntid.z",
                                      "%ctaid.x",
                                      "%ctaid.y",
                                      "%ctaid.z",
                                      "%nctaid.x",
                                      "%nctaid.y",
                                      "%nctaid.z",
                                      "%laneid",
                                      "%warpid",
                                      "%nwarpid",
                                      "%cluster_ctarank",
                                      "%cluster_nctarank",
                                      "%cluster_ctaid.x",
                                      "%cluster_ctaid.y",
                                      "%cluster_ctaid.z",
                                      "%cluster_nctaid.x",
                                      "%cluster_nctaid.y",
                                      "%cluster_nctaid.z",
                                      "%clusterid.x",
                                      "%clusterid.y",
                                      "%clusterid.z",
                                      "%nclusterid.x",
                                      "%nclusterid.y",
                                      "%nclusterid.z",
                                      "%smid",
                                      "%nsmid",
                                      "%lanemask_eq",
                                      "%lanemask_le",
                                      "%lanemask_lt",
                                      "%lanemask_ge",
                                      "%lanemask_gt",
                                      "%dynamic_smem_size",
                                      "%total_smem_size"};
  for (const char *each : known) {
    if (name != each)
      continue;
    auto [found, isNew] = specials.emplace(name, 0);
    if (isNew) {
      found->second = kernel.slots++;
      kernel.specials.push_back({found->second, name});
    }
    return found->second;
  }
  return noSlot;
}
