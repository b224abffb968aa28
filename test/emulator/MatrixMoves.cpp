// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, ldmatrix and stmatrix: squares of 8 by 8 elements of 16 bits between
// shared memory and fragments.
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
enum Field { Squares, IsTransposed };
} // namespace

/// Lane 8m + r gives the address of row r of square m.
static std::vector<uint64_t>
rowAddresses(Warp &warp, const Instruction &instruction, Slot slot) {
  std::vector<uint64_t> addresses;
  LaneAddresses counted;
  counted.bytes = 16;
  for (int i = 0; i < 8 * instruction.number[Squares]; ++i) {
    uint64_t address = sharedAddress(warp, instruction.space,
                                     warp.address(instruction, 0, slot, i));
    addresses.push_back(address);
  }
  counted.first = addresses;
  warp.block.counters.countShared(counted);
  return addresses;
}

/// The row and column of the element that a lane holds in half `h`.
static std::pair<unsigned, unsigned> placeOf(unsigned lane, unsigned h,
                                             bool isTransposed) {
  unsigned major = lane / 4, minor = lane % 4 * 2 + h;
  return isTransposed ? std::pair(minor, major) : std::pair(major, minor);
}

static Outcome loadMatrix(Warp &warp, const Instruction &instruction,
                          uint32_t lanes) {
  warp.requireAllLanes(lanes);
  std::vector<uint64_t> addresses =
      rowAddresses(warp, instruction, instruction.slot[0]);
  std::vector<const uint8_t *> rows;
  for (uint64_t address : addresses)
    rows.push_back(warp.load(Space::Shared, address, 16).bytes);
  for (int m = 0; m < instruction.number[Squares]; ++m)
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
      uint32_t value = 0;
      for (unsigned h = 0; h < 2; ++h) {
        auto [row, column] = placeOf(lane, h, instruction.number[IsTransposed]);
        uint16_t half;
        std::memcpy(&half, rows[8 * m + row] + 2 * column, 2);
        value |= uint32_t(half) << (16 * h);
      }
      warp.write<uint32_t>(instruction.list[0][m], lane, value);
    }
  return Outcome::Next;
}

static Outcome storeMatrix(Warp &warp, const Instruction &instruction,
                           uint32_t lanes) {
  warp.requireAllLanes(lanes);
  std::vector<uint64_t> addresses =
      rowAddresses(warp, instruction, instruction.slot[0]);
  uint8_t rows[32][16];
  for (int m = 0; m < instruction.number[Squares]; ++m)
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
      uint32_t value = warp.read<uint32_t>(instruction.list[0][m], lane);
      for (unsigned h = 0; h < 2; ++h) {
        auto [row, column] = placeOf(lane, h, instruction.number[IsTransposed]);
        uint16_t half = value >> (16 * h);
        std::memcpy(rows[8 * m + row] + 2 * column, &half, 2);
      }
    }
  for (size_t i = 0; i < addresses.size(); ++i)
    std::memcpy(warp.store(Space::Shared, addresses[i], 16, rows[i]).bytes,
                rows[i], 16);
  std::sort(addresses.begin(), addresses.end());
  for (size_t i = 1; i < addresses.size(); ++i)
    require(addresses[i] != addresses[i - 1], "two rows have one address");
  return Outcome::Next;
}

static void decode(Decoder &d) {
  auto &result = d.result;
  bool isStore = d.statement.opcode[0] == "stmatrix";
  d.expect("sync");
  d.expect("aligned");
  d.expect("m8n8");
  result.number[Squares] = 1 << d.expectOneOf({"x1", "x2", "x4"});
  result.number[IsTransposed] = d.take("trans");
  if (d.takeOneOf({"shared", "shared::cta"}) >= 0)
    result.space = Space::Shared;
  d.expect("b16");
  d.expectOperands(2, 2);
  d.address(d.operand(isStore ? 0 : 1), 0, 0);
  const Expression &registers = d.operand(isStore ? 1 : 0);
  Type type = {Type::Bits, 32};
  size_t count = result.number[Squares];
  result.list[0] = isStore ? d.sources(registers, type, count)
                           : d.destinations(registers, type, count);
  result.isConvergent = true;
  result.execute = isStore ? storeMatrix : loadMatrix;
}

void mixattn::emulator::addMatrixMoveRules(RuleTable &rules) {
  rules["ldmatrix"] = decode;
  rules["stmatrix"] = decode;
}
