// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as the emulator runs them: decoded once, registers numbered.
#ifndef MIXATTN_TEST_EMULATOR_MODULE_H
#define MIXATTN_TEST_EMULATOR_MODULE_H

#include "Text.h"
#include "Type.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace mixattn::emulator {

class Warp;
struct Instruction;

/// The number of a 32-bit register of each lane. 64-bit values take two.
using Slot = uint32_t;
constexpr Slot noSlot = ~0u;
constexpr unsigned lanesOfWarp = 32;
constexpr uint32_t allLanes = ~0u;

/// The effect of an instruction on the lanes that executed it.
enum class Outcome {
  /// They go on to the next instruction.
  Next,
  /// They execute the same instruction again, once something has happened.
  Blocked,
  /// It has set their places itself.
  Jumped
};

using Executor = Outcome (*)(Warp &, const Instruction &, uint32_t lanes);

struct Instruction {
  Executor execute = nullptr;
  /// A predicate; only lanes where it holds execute the instruction.
  Slot guard = noSlot;
  bool guardNegated = false;
  /// All lanes execute it together: those that `members` names, or all.
  bool isConvergent = false;
  Slot members = noSlot;

  unsigned line = 0;
  std::string text, opcode;
  /// An index of the counters.
  unsigned counter = 0;

  std::vector<Slot> reads, writes;
  /// Operands in the order of the text; lists of those in braces.
  std::array<Slot, 6> slot = {noSlot, noSlot, noSlot, noSlot, noSlot, noSlot};
  std::array<std::vector<Slot>, 4> list;
  /// The offset of an address, and whether the address has 64 bits.
  std::array<int64_t, 3> offset = {};
  std::array<bool, 3> isWide = {};
  /// Further numbers of the rule, named where the rule stands.
  Type type, from;
  Space space = Space::Generic;
  std::array<int, 8> number = {};
  /// Places that a branch goes to.
  std::vector<uint32_t> targets;
};

struct KernelParameter {
  std::string name;
  unsigned offset = 0, size = 0, alignment = 0;
};

/// A slot that holds a number, or a special register, from the beginning.
struct Constant {
  Slot slot = noSlot;
  uint64_t bits = 0;
  unsigned slots = 1;
};
struct Special {
  Slot slot = noSlot;
  std::string name;
};

struct Kernel {
  std::string name, target;
  std::vector<KernelParameter> parameters;
  unsigned parameterBytes = 0;
  std::vector<Instruction> code;
  Slot slots = 0;
  std::vector<Constant> constants;
  std::vector<Special> specials;
  unsigned sharedBytes = 0;
  /// Where dynamic shared memory begins.
  unsigned dynamicBegin = 0;
  /// 0 where the text has no such directive.
  std::array<unsigned, 3> maxThreads = {}, requiredThreads = {};
};

/// A variable of the module in global or constant memory.
struct Variable {
  std::string name;
  std::vector<uint8_t> bytes;
  uint64_t address = 0;
};

struct Module {
  std::string target, version;
  std::map<std::string, Kernel> kernels;
  std::vector<Variable> variables;
};

/// Where generic addresses of shared memory and of parameters begin.
constexpr uint64_t sharedWindow = 0x7e0000000000ull;
constexpr uint64_t parameterWindow = 0x7d0000000000ull;

/// Reads PTX. `place` gives a variable of the module its address.
Module parseModule(const std::string &text,
                   uint64_t (*place)(void *context, const Variable &variable),
                   void *context);

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_MODULE_H
