// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, Data Movement and Conversion Instructions: ld, st, prefetch.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
/// Places in instruction.number.
enum Field { Bytes, Elements, RegisterBits };
} // namespace

/// Takes the modifiers that stand before the type, in any order that producers
/// write them in. Caching hints change nothing that is computed.
static void takeModifiers(Decoder &d, bool isStore) {
  auto &result = d.result;
  unsigned elements = 1;
  bool isVolatile = false, readsConstant = false;
  for (bool found = true; found;) {
    found = false;
    if (d.takeOneOf({"volatile", "relaxed", "acquire", "release", "weak"}) >= 0)
      found = isVolatile = true;
    if (d.takeOneOf({"cta", "gpu", "sys", "cluster"}) >= 0)
      found = true;
    int space =
        d.takeOneOf({"global", "shared", "shared::cta", "shared::cluster",
                     "param", "const", "param::entry"});
    if (space >= 0) {
      result.space = space == 0 || space == 5 ? Space::Global
                     : space < 4              ? Space::Shared
                                              : Space::Parameter;
      found = true;
    }
    if (d.takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"}) >= 0)
      found = true;
    if (!isStore && d.take("nc"))
      found = readsConstant = true;
    if (d.takeOneOf({"L1::evict_normal", "L1::evict_unchanged",
                     "L1::evict_first", "L1::evict_last", "L1::no_allocate",
                     "L2::evict_last", "L2::evict_normal", "L2::evict_first",
                     "L2::64B", "L2::128B", "L2::256B", "L2::cache_hint"}) >= 0)
      found = true;
    int vector = d.takeOneOf({"v2", "v4", "v8"});
    if (vector >= 0) {
      elements = 2 << vector;
      found = true;
    }
  }
  require(!readsConstant || result.space == Space::Global,
          "'.nc' is for global memory");
  result.type = d.takeType();
  require(result.type.bits >= 8, "this type is not known here");
  result.number[Bytes] = result.type.bytes();
  result.number[Elements] = elements;
  require(result.type.bytes() * elements <= 16,
          "more than 16 bytes are not emulated");
}

/// Counts what the lanes of an access touch.
static void count(Warp &warp, const Instruction &instruction, uint32_t lanes,
                  size_t addressSlot, unsigned bytes, bool isStore,
                  Space space) {
  if (space == Space::Parameter)
    return;
  LaneAddresses addresses;
  addresses.bytes = bytes;
  forLanes(lanes, [&](unsigned lane) {
    addresses.first.push_back(
        warp.address(instruction, 0, instruction.slot[addressSlot], lane));
  });
  if (space == Space::Shared)
    warp.block.counters.countShared(addresses);
  else
    warp.block.counters.countGlobal(addresses, isStore);
}

static Outcome load(Warp &warp, const Instruction &instruction,
                    uint32_t lanes) {
  unsigned bytes = instruction.number[Bytes],
           width = instruction.number[RegisterBits];
  size_t size = bytes * instruction.number[Elements];
  Space space = instruction.space;
  forLanes(lanes, [&](unsigned lane) {
    uint64_t address = warp.address(instruction, 0, instruction.slot[1], lane);
    Resolved found = warp.load(instruction.space, address, size);
    space = found.space;
    const uint8_t *from = found.bytes;
    for (Slot slot : instruction.list[0]) {
      uint64_t bits[2] = {};
      std::memcpy(bits, from, bytes);
      from += bytes;
      if (slot == noSlot)
        continue;
      // A wider register gets the sign or zeros above.
      if (instruction.type.isSigned() && bytes < 8)
        bits[0] = int64_t(bits[0] << (64 - 8 * bytes)) >> (64 - 8 * bytes);
      if (width >= 64) {
        for (unsigned i = 0; i < width / 64; ++i)
          warp.write<uint64_t>(slot + 2 * i, lane, bits[i]);
      } else if (width == 16) {
        warp.write<uint16_t>(slot, lane, bits[0]);
      } else {
        warp.write<uint32_t>(slot, lane, bits[0]);
      }
    }
  });
  count(warp, instruction, lanes, 1, size, false, space);
  return Outcome::Next;
}

static void decodeLoad(Decoder &d) {
  takeModifiers(d, false);
  auto &result = d.result;
  d.expectOperands(2, 3);
  d.address(d.operand(1), 0, 1);
  if (d.operandCount() == 3)
    d.source(d.operand(2), {Type::Bits, 64});
  const Expression &to = d.operand(0);
  result.list[0] =
      d.destinations(to, result.type, result.number[Elements], true);
  bool isVector = to.kind == Expression::Vector;
  for (const Expression &each :
       isVector ? to.parts : std::vector<Expression>{to})
    if (each.kind != Expression::Sink)
      result.number[RegisterBits] = d.widthOf(each, result.type);
  result.execute = load;
}

/// Lanes of one instruction that write one byte must write the same value.
static void
checkOverlaps(const std::vector<std::pair<uint64_t, const uint8_t *>> &writes,
              size_t size) {
  for (size_t i = 1; i < writes.size(); ++i) {
    // Most often addresses rise.
    if (writes[i].first >= writes[i - 1].first + size &&
        (i == 1 || writes[i - 1].first > writes[0].first))
      continue;
    for (size_t k = 0; k < i; ++k) {
      uint64_t low = std::max(writes[i].first, writes[k].first),
               high = std::min(writes[i].first, writes[k].first) + size;
      if (low < high &&
          std::memcmp(writes[i].second + (low - writes[i].first),
                      writes[k].second + (low - writes[k].first), high - low))
        fail("two lanes write different values to " + hexadecimal(low));
    }
  }
}

static Outcome store(Warp &warp, const Instruction &instruction,
                     uint32_t lanes) {
  unsigned bytes = instruction.number[Bytes];
  size_t size = bytes * instruction.number[Elements];
  Space space = instruction.space;
  uint8_t values[lanesOfWarp][16];
  std::vector<std::pair<uint64_t, const uint8_t *>> writes;
  forLanes(lanes, [&](unsigned lane) {
    uint8_t *value = values[lane];
    for (Slot slot : instruction.list[0]) {
      for (unsigned i = 0; i < bytes; i += 4) {
        uint32_t part = warp.read<uint32_t>(slot + i / 4, lane);
        std::memcpy(value + i, &part, std::min(4u, bytes - i));
      }
      value += bytes;
    }
    uint64_t address = warp.address(instruction, 0, instruction.slot[0], lane);
    Resolved found = warp.store(instruction.space, address, size, values[lane]);
    space = found.space;
    std::memcpy(found.bytes, values[lane], size);
    writes.push_back({address, values[lane]});
  });
  checkOverlaps(writes, size);
  count(warp, instruction, lanes, 0, size, true, space);
  return Outcome::Next;
}

static void decodeStore(Decoder &d) {
  takeModifiers(d, true);
  auto &result = d.result;
  require(result.space != Space::Parameter, "parameters cannot be written");
  d.expectOperands(2, 3);
  d.address(d.operand(0), 0, 0);
  if (d.operandCount() == 3)
    d.source(d.operand(2), {Type::Bits, 64});
  const Expression &from = d.operand(1);
  result.list[0] = d.sources(from, result.type, result.number[Elements], true);
  result.execute = store;
}

/// Prefetching moves nothing; the address is checked only for tensor maps.
static Outcome prefetchMap(Warp &warp, const Instruction &instruction,
                           uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    warp.resolve(instruction.space,
                 warp.address(instruction, 0, instruction.slot[0], lane), 128,
                 64);
  });
  return Outcome::Next;
}

static void decodePrefetch(Decoder &d) {
  auto &result = d.result;
  bool isParameter = d.take("param");
  if (isParameter)
    result.space = Space::Parameter;
  else if (d.take("global"))
    result.space = Space::Global;
  d.expectOperands(1, 1);
  d.address(d.operand(0), 0, 0);
  if (d.take("tensormap")) {
    result.execute = prefetchMap;
    return;
  }
  d.expectOneOf({"L1", "L2", "L2::evict_last", "L2::evict_normal"});
  result.execute = [](Warp &, const Instruction &, uint32_t) {
    return Outcome::Next;
  };
}

/// createpolicy: a value that only caches read.
static void decodePolicy(Decoder &d) {
  d.expect("fractional");
  auto take = [&] {
    return d.takeOneOf({"L2::evict_last", "L2::evict_normal", "L2::evict_first",
                        "L2::evict_unchanged"});
  };
  require(take() >= 0, "expected a priority");
  take();
  d.expect("b64");
  d.expectOperands(1, 2);
  if (d.operandCount() == 2)
    d.source(d.operand(1), {Type::Float, 32});
  d.result.slot[0] = d.destination(d.operand(0), {Type::Bits, 64});
  d.result.execute = [](Warp &warp, const Instruction &instruction,
                        uint32_t lanes) {
    forLanes(lanes, [&](unsigned lane) {
      warp.write<uint64_t>(instruction.slot[0], lane, 0);
    });
    return Outcome::Next;
  };
}

void mixattn::emulator::addMemoryRules(RuleTable &rules) {
  rules["ld"] = decodeLoad;
  rules["st"] = decodeStore;
  rules["createpolicy"] = decodePolicy;
  rules["prefetch"] = decodePrefetch;
}
