// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, Asynchronous Warpgroup Level Matrix Instructions. Each warp of a
// warpgroup computes its 16 rows of D; a wait covers the warp's own share.
#include "Descriptor.h"
#include "Fragments.h"
#include "Lanes.h"

using namespace mixattn::emulator;

namespace {
enum Field {
  Columns,
  HasRegisters,
  NegatesA,
  NegatesB,
  TransposesA,
  TransposesB,
  AddNegated
};

/// One product of a warp: operands, and where they come from.
struct Product {
  const Instruction *instruction;
  uint64_t a = 0, b = 0;
  bool adds = false;
  unsigned quarter = 0;
};
constexpr unsigned depth = 16;
} // namespace

static float value(uint16_t bits, Type type) {
  return type.kind == Type::Brain ? float(double(Brain::ofBits(bits)))
                                  : float(double(Half::ofBits(bits)));
}

/// Rows first..first + rows of an operand in shared memory.
static std::vector<float> readOperand(Block &block, uint64_t bits,
                                      unsigned first, unsigned rows,
                                      bool isMnMajor, Type type,
                                      const Observer &observer) {
  Descriptor descriptor(bits);
  std::vector<float> values(rows * depth);
  // Chunks of 16 bytes lie together: 8 elements along k, or along mn.
  for (unsigned outer = 0; outer < (isMnMajor ? depth : rows); ++outer)
    for (unsigned chunk = 0; chunk < (isMnMajor ? rows : depth); chunk += 8) {
      unsigned mn = isMnMajor ? chunk : outer, k = isMnMajor ? outer : chunk;
      uint32_t address = descriptor.addressOf(first + mn, k, isMnMajor);
      const uint8_t *bytes =
          block.sharedBytes(address, 16, 16, false, observer);
      for (unsigned i = 0; i < 8; ++i) {
        uint16_t half;
        std::memcpy(&half, bytes + 2 * i, 2);
        (isMnMajor ? values[(mn + i) * depth + k]
                   : values[mn * depth + k + i]) = value(half, type);
      }
    }
  return values;
}

static std::vector<float> readFragment(const Warp &warp,
                                       const Instruction &instruction) {
  std::vector<float> values(16 * depth);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned k = 0; k < depth; ++k) {
      Holder holder = holderOfA(row, k);
      uint32_t bits =
          warp.read<uint32_t>(instruction.list[1][holder.reg], holder.lane);
      values[row * depth + k] =
          value(bits >> (16 * holder.element), instruction.type);
    }
  return values;
}

static void compute(Warp &warp, const Product &product,
                    const Observer &observer) {
  const Instruction &instruction = *product.instruction;
  unsigned columns = instruction.number[Columns];
  Block &block = warp.block;
  Type type = instruction.type;
  std::vector<float> a =
      instruction.number[HasRegisters]
          ? readFragment(warp, instruction)
          : readOperand(block, product.a, 16 * product.quarter, 16,
                        instruction.number[TransposesA], type, observer);
  std::vector<float> b =
      readOperand(block, product.b, 0, columns, instruction.number[TransposesB],
                  type, observer);
  float sign =
      instruction.number[NegatesA] != instruction.number[NegatesB] ? -1 : 1;
  // Products are exact in f64. The sum is rounded once; the chip's order and
  // rounding of sums are not documented.
  std::vector<double> sums(columns), right(columns * depth);
  for (unsigned column = 0; column < columns; ++column)
    for (unsigned k = 0; k < depth; ++k)
      right[k * columns + column] = sign * b[column * depth + k];
  for (unsigned row = 0; row < 16; ++row) {
    std::fill(sums.begin(), sums.end(), 0);
    for (unsigned k = 0; k < depth; ++k) {
      double left = a[row * depth + k];
      for (unsigned column = 0; column < columns; ++column)
        sums[column] += left * right[k * columns + column];
    }
    for (unsigned column = 0; column < columns; ++column) {
      Holder holder = holderOfD(row, column);
      Slot slot = instruction.list[0][holder.reg];
      double before = product.adds ? warp.read<float>(slot, holder.lane) : 0;
      warp.write(slot, holder.lane, float(before + sums[column]));
    }
  }
}

static GroupQueue &queueOf(Warp &warp) {
  GroupQueue &queue = warp.wgmmas.queue;
  if (!std::exchange(queue.hasAgent, true))
    queue.agent = warp.block.newAgent();
  return queue;
}

/// Registers of the product: what it may not find there.
static void checkRegister(Warp &warp, const Instruction &instruction, Slot slot,
                          bool isResult, bool isRead) {
  WgmmaGroups &groups = warp.wgmmas;
  WgmmaGroups::Held &held = groups.held[slot];
  if (held.instruction && held.isResult && isResult) {
    // Products of the same shape may follow each other without a wait.
    require(held.instruction->number[Columns] == instruction.number[Columns],
            "products of different shapes write the same registers");
    return;
  }
  if (held.instruction && (held.isResult || isResult))
    fail("a register is in use by another product, " +
         place(held.instruction->line, held.instruction->text));
  if (isRead)
    warp.checkRead(slot, warp.living);
  // A register of A may have been read since.
  if (groups.accessedAt[slot] > groups.fenceAt)
    fail("a register was accessed after the last wgmma.fence");
}

static void hold(Warp &warp, const Instruction &instruction, Slot slot,
                 bool isResult, uint32_t event) {
  WgmmaGroups::Held &held = warp.wgmmas.held[slot];
  warp.wgmmas.heldCount += !held.instruction;
  held = {&instruction, event, isResult};
  if (isResult)
    warp.undefine(slot);
}

static Outcome multiply(Warp &warp, const Instruction &instruction,
                        uint32_t lanes) {
  require(lanes == allLanes, "a warp of a warpgroup has 32 lanes");
  WgmmaGroups &groups = warp.wgmmas;
  require(groups.fenceAt > 0, "there was no wgmma.fence yet");
  Product product;
  product.instruction = &instruction;
  product.quarter = warp.index % 4;
  product.b = warp.uniform(instruction.slot[2], 2, lanes, "the descriptor");
  if (!instruction.number[HasRegisters])
    product.a = warp.uniform(instruction.slot[1], 2, lanes, "the descriptor");
  product.adds = (warp.uniform(instruction.slot[3], 1, lanes, "scale-d") & 1) !=
                 uint64_t(instruction.number[AddNegated]);
  for (Slot slot : instruction.list[0])
    checkRegister(warp, instruction, slot, true, product.adds);
  for (Slot slot : instruction.list[1])
    checkRegister(warp, instruction, slot, false, true);
  for (uint64_t part : {uint64_t(warp.group().place), product.a, product.b,
                        uint64_t(product.adds)})
    groups.history = (groups.history ^ part) * 0x100000001b3ull + 1;
  GroupQueue &queue = queueOf(warp);
  for (Slot slot : instruction.list[0])
    hold(warp, instruction, slot, true, queue.openEvent);
  for (Slot slot : instruction.list[1])
    hold(warp, instruction, slot, false, queue.openEvent);
  auto move = [&warp, product](const Observer &observer) {
    compute(warp, product, observer);
  };
  queue.add(warp.transfer(queue.agent, queue.openEvent, true, move),
            warp.block.landsAtIssue());
  warp.advance();
  return Outcome::Next;
}

static Outcome waitForGroups(Warp &warp, const Instruction &instruction,
                             uint32_t lanes) {
  GroupQueue &queue = queueOf(warp);
  uint32_t covered = queue.wait(instruction.number[0]);
  warp.knowledge.generic.learn(queue.agent, covered);
  WgmmaGroups &groups = warp.wgmmas;
  for (Slot slot = 0; groups.heldCount && slot < groups.held.size(); ++slot) {
    WgmmaGroups::Held &held = groups.held[slot];
    if (!held.instruction || held.event > covered)
      continue;
    held.instruction = nullptr;
    --groups.heldCount;
    if (held.isResult)
      warp.define(slot, lanes);
  }
  return Outcome::Next;
}

static void decodeMultiply(Decoder &d) {
  auto &result = d.result;
  auto &number = result.number;
  d.expect("sync");
  d.expect("aligned");
  std::string shape = d.takeAny();
  int columns = 0, end = 0;
  require(std::sscanf(shape.c_str(), "m64n%dk16%n", &columns, &end) == 1 &&
              size_t(end) == shape.size() && columns >= 8 && columns <= 256 &&
              columns % 8 == 0,
          "expected .m64nNk16");
  number[Columns] = columns;
  d.expect("f32");
  Type type = result.type = d.takeType();
  require(type.is(Type::Float, 16) || type.is(Type::Brain, 16),
          "this type is not emulated");
  require(d.takeType() == type, "the types of A and B differ");
  bool hasRegisters = number[HasRegisters] =
      d.operand(1).kind == Expression::Vector;
  size_t count = hasRegisters ? 7 : 8;
  d.expectOperands(count, count);
  if (hasRegisters)
    result.list[1] = d.sources(d.operand(1), {Type::Bits, 32}, 4);
  else
    result.slot[1] = d.source(d.operand(1), {Type::Bits, 64});
  // Registers of the product have rules of their own.
  if (hasRegisters)
    result.reads.clear();
  result.slot[2] = d.source(d.operand(2), {Type::Bits, 64});
  number[AddNegated] = d.predicate(d.operand(3), 3);
  for (int i : {0, 1}) {
    int64_t sign = d.number(d.operand(4 + i));
    require(sign == 1 || sign == -1, "a sign is 1 or -1");
    number[NegatesA + i] = sign < 0;
  }
  auto flag = [&](size_t i) {
    int64_t bit = d.number(d.operand(i));
    require(bit == 0 || bit == 1, "a transposition is 0 or 1");
    return int(bit);
  };
  number[TransposesA] = hasRegisters ? 0 : flag(6);
  number[TransposesB] = flag(count - 1);
  result.list[0] = d.destinations(d.operand(0), {Type::Bits, 32}, columns / 2);
  result.writes.clear();
  result.isConvergent = true;
  result.execute = multiply;
}

static void decode(Decoder &d) {
  auto &result = d.result;
  int kind =
      d.expectOneOf({"fence", "mma_async", "commit_group", "wait_group"});
  if (kind == 1)
    return decodeMultiply(d);
  d.expect("sync");
  d.expect("aligned");
  d.expectOperands(kind == 3, kind == 3);
  result.isConvergent = true;
  if (kind == 0)
    result.execute = [](Warp &warp, const Instruction &, uint32_t) {
      warp.wgmmas.fenceAt = warp.wgmmas.step;
      return Outcome::Next;
    };
  else if (kind == 2)
    result.execute = [](Warp &warp, const Instruction &, uint32_t) {
      queueOf(warp).commit();
      return Outcome::Next;
    };
  else {
    result.number[0] = d.number(d.operand(0));
    result.execute = waitForGroups;
  }
}

void mixattn::emulator::addWgmmaRules(RuleTable &rules) {
  rules["wgmma"] = decode;
}
