// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, tensormap.replace and tensormap.cp_fenceproxy: tensor maps that a
// kernel makes in shared memory and copies to global memory.
#include "Lanes.h"
#include "TensorMap.h"

using namespace mixattn::emulator;

namespace {
enum TensorMapField {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  Interleave,
  Swizzle,
  Fill
};
/// Places in instruction.number.
enum Field { Which, Ordinal };
} // namespace

/// Numbers of types, swizzles and fills are those of the ISA's table of
/// tensormap.replace.
static void setField(TensorMap &map, int field, unsigned i, uint64_t value) {
  // u8 u16 u32 s32 u64 s64 f16 f32 f32.ftz f64 bf16 tf32 tf32.ftz
  static constexpr uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  static constexpr uint8_t spans[] = {0, 32, 64, 128};
  require(i < (field == GlobalStride ? 4 : 5), "the dim is out of bounds");
  switch (field) {
  case GlobalAddress:
    map.address = value;
    return;
  case Rank:
    require(value <= 4, "a tensor map has 1 to 5 dims");
    map.rank = value + 1;
    return;
  case BoxDim:
    map.box[i] = value;
    return;
  case GlobalDim:
    map.dims[i] = value;
    return;
  case GlobalStride:
    map.strides[i] = value;
    return;
  case ElementStride:
    require(value == 1, "element strides are not emulated");
    return;
  case ElementType:
    require(value < sizeof bytes, "the element type is not known");
    map.elementBytes = bytes[value];
    return;
  case Interleave:
    require(value == 0, "interleaved tensor maps are not emulated");
    return;
  case Swizzle:
    require(value < sizeof spans, "the swizzle is not known");
    map.swizzle = spans[value];
    return;
  default:
    require(value <= 1, "the fill is not known");
    map.fillsNan = value;
  }
}

static Outcome replace(Warp &warp, const Instruction &instruction,
                       uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    uint64_t address = warp.address(instruction, 0, instruction.slot[0], lane);
    Resolved found = warp.resolve(instruction.space, address, 128, 64);
    require(found.shadow != nullptr, "parameters cannot be written");
    found.shadow->write(found.offset, 128, warp.observer());
    TensorMap map;
    std::memcpy(&map, found.bytes, sizeof map);
    map.marker = TensorMap::mark;
    uint64_t value = instruction.type.bits == 64
                         ? warp.read<uint64_t>(instruction.slot[1], lane)
                         : warp.read<uint32_t>(instruction.slot[1], lane);
    setField(map, instruction.number[Which], instruction.number[Ordinal],
             value);
    std::memcpy(found.bytes, &map, sizeof map);
  });
  return Outcome::Next;
}

/// One copy of 128 bytes by the whole warp.
static Outcome copyFenced(Warp &warp, const Instruction &instruction,
                          uint32_t lanes) {
  unsigned lane = __builtin_ctz(lanes);
  Resolved from = warp.resolve(
      Space::Shared, warp.address(instruction, 1, instruction.slot[1], lane),
      128, 128);
  Resolved to = warp.resolve(
      Space::Global, warp.address(instruction, 0, instruction.slot[0], lane),
      128, 128);
  from.shadow->read(from.offset, 128, warp.observer());
  warp.block.requireWritten(from.offset, 128, warp.observer());
  to.shadow->write(to.offset, 128, warp.observer());
  std::memcpy(to.bytes, from.bytes, 128);
  return Outcome::Next;
}

static void decode(Decoder &d) {
  auto &result = d.result;
  if (d.take("cp_fenceproxy")) {
    d.expect("global");
    d.expect("shared::cta");
    d.expect("tensormap::generic");
    d.expect("release");
    d.expectOneOf({"cta", "gpu", "sys"});
    d.expect("sync");
    d.expect("aligned");
    d.expectOperands(3, 3);
    d.address(d.operand(0), 0, 0);
    d.address(d.operand(1), 1, 1);
    require(d.number(d.operand(2)) == 128, "expected 128 bytes");
    result.isConvergent = true;
    result.execute = copyFenced;
    return;
  }
  d.expect("replace");
  d.expect("tile");
  int field = result.number[Which] =
      d.expectOneOf({"global_address", "rank", "box_dim", "global_dim",
                     "global_stride", "element_stride", "elemtype",
                     "interleave_layout", "swizzle_mode", "fill_mode"});
  result.space = d.takeOneOf({"shared::cta", "global"}) == 1 ? Space::Global
                                                             : Space::Shared;
  d.expect("b1024");
  bool isWide = field == GlobalAddress || field == GlobalStride;
  d.expect(isWide ? "b64" : "b32");
  result.type = {Type::Bits, isWide ? 64u : 32u};
  bool hasOrdinal = field >= BoxDim && field <= ElementStride;
  d.expectOperands(2 + hasOrdinal, 2 + hasOrdinal);
  d.address(d.operand(0), 0, 0);
  if (hasOrdinal)
    result.number[Ordinal] = d.number(d.operand(1));
  result.slot[1] = d.source(d.operand(1 + hasOrdinal), result.type);
  result.execute = replace;
}

void mixattn::emulator::addTensorMapRules(RuleTable &rules) {
  rules["tensormap"] = decode;
}
