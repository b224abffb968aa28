// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, Control Flow Instructions, and hints that change no value.
#include "Lanes.h"

using namespace mixattn::emulator;

static Outcome branch(Warp &warp, const Instruction &instruction,
                      uint32_t lanes) {
  warp.jump(lanes, instruction.targets[0]);
  return Outcome::Jumped;
}

static Outcome branchUniformly(Warp &warp, const Instruction &instruction,
                               uint32_t lanes) {
  require(lanes == warp.group().lanes, "bra.uni diverges");
  return branch(warp, instruction, lanes);
}

static void decodeBranch(Decoder &d) {
  bool isUniform = d.take("uni");
  d.expectOperands(1, 1);
  d.labelOf(d.operand(0));
  d.result.execute = isUniform ? branchUniformly : branch;
}

/// brx.idx: the lanes go where a table says.
static Outcome branchByIndex(Warp &warp, const Instruction &instruction,
                             uint32_t lanes) {
  unsigned first = __builtin_ctz(lanes);
  uint32_t index = warp.read<uint32_t>(instruction.slot[0], first);
  require(index < instruction.targets.size(), "the index is out of bounds");
  uint32_t same = 0;
  forLanes(lanes, [&](unsigned lane) {
    if (warp.read<uint32_t>(instruction.slot[0], lane) == index)
      same |= 1u << lane;
  });
  require(same == lanes, "brx.idx with several targets is not emulated");
  warp.jump(lanes, instruction.targets[index]);
  return Outcome::Jumped;
}

static void decodeBranchByIndex(Decoder &d) {
  d.expect("idx");
  d.take("uni");
  d.expectOperands(2, 2);
  d.result.slot[0] = d.source(d.operand(0), {Type::Unsigned, 32});
  d.labelOf(d.operand(1));
  d.result.execute = branchByIndex;
}

static Outcome end(Warp &warp, const Instruction &, uint32_t lanes) {
  warp.end(lanes);
  return Outcome::Jumped;
}

static void decodeEnd(Decoder &d) {
  d.take("uni");
  d.expectOperands(0, 0);
  d.result.execute = end;
}

static void decodeTrap(Decoder &d) {
  d.expectOperands(0, 0);
  d.result.execute = [](Warp &, const Instruction &, uint32_t) -> Outcome {
    fail("the kernel traps");
  };
}

static Outcome nothing(Warp &, const Instruction &, uint32_t) {
  return Outcome::Next;
}

static void decodeSleep(Decoder &d) {
  d.expect("u32");
  d.expectOperands(1, 1);
  d.source(d.operand(0), {Type::Unsigned, 32});
  d.result.execute = nothing;
}

/// setmaxnreg: registers are not counted, only the rule of the number is
/// checked: a multiple of 8 from 24 to 256.
static void decodeRegisterLimit(Decoder &d) {
  d.expectOneOf({"inc", "dec"});
  d.expect("sync");
  d.expect("aligned");
  d.expect("u32");
  d.expectOperands(1, 1);
  int64_t count = d.number(d.operand(0));
  require(count >= 24 && count <= 256 && count % 8 == 0,
          "expected a multiple of 8 from 24 to 256");
  d.result.isConvergent = true;
  d.result.execute = nothing;
}

/// griddepcontrol: launches are ordered one after the other here.
static void decodeDependence(Decoder &d) {
  d.expectOneOf({"launch_dependents", "wait"});
  d.expectOperands(0, 0);
  d.result.execute = nothing;
}

void mixattn::emulator::addControlRules(RuleTable &rules) {
  rules["bra"] = decodeBranch;
  rules["brx"] = decodeBranchByIndex;
  rules["ret"] = rules["exit"] = decodeEnd;
  rules["trap"] = decodeTrap;
  rules["nanosleep"] = decodeSleep;
  rules["setmaxnreg"] = decodeRegisterLimit;
  rules["griddepcontrol"] = decodeDependence;
}
