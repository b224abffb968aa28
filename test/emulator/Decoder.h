// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads modifiers and operands, for the rules of instructions.
#ifndef MIXATTN_TEST_EMULATOR_DECODER_H
#define MIXATTN_TEST_EMULATOR_DECODER_H

#include "Module.h"

#include <initializer_list>
#include <map>

namespace mixattn::emulator {

/// A declaration of a variable: `.shared .align 16 .b8 name[64] = …`.
struct Declaration {
  std::string space, name, initial;
  Type type;
  unsigned alignment = 0;
  /// Elements; -1 where the brackets are empty.
  long count = 1;
  bool isExtern = false;
};
Declaration readDeclaration(const std::string &text);

/// Symbols of a module or of a body.
struct SymbolTable {
  /// Addresses in their state space, or of branch tables.
  std::map<std::string, uint64_t> values;
  unsigned sharedEnd = 0;
  /// Symbols of dynamic shared memory, and their alignment.
  std::vector<std::string> dynamic;
  unsigned dynamicAlignment = 1;

  void addShared(const Declaration &declaration);
};

/// Decodes the statements of `body` into `kernel`.
void decodeBody(Kernel &kernel, const Body &body, SymbolTable symbols);

/// Registers and constants of a kernel.
class Registers {
public:
  explicit Registers(Kernel &kernel, const Body &body)
      : kernel(kernel), body(body) {}

  /// `.reg .b32 %r<4>, x;`
  void declare(const std::string &directive, unsigned scope);
  struct Register {
    Slot slot = noSlot;
    Type type;
  };
  /// A register of that name; none if no scope declares it.
  const Register *find(const std::string &name, unsigned scope);
  Slot constant(uint64_t bits, unsigned slots);
  Slot special(const std::string &name);

private:
  Register take(Type type);

  Kernel &kernel;
  const Body &body;
  /// By scope.
  std::vector<std::map<std::string, Register>> named;
  struct Range {
    Type type;
    unsigned long count;
  };
  std::vector<std::map<std::string, Range>> ranges;
  std::map<std::pair<uint64_t, unsigned>, Slot> constants;
  std::map<std::string, Slot> specials;
};

/// One statement on its way to an instruction. Each modifier and operand is
/// taken by the rule; one that is left over is an error.
class Decoder {
public:
  Decoder(const Statement &statement, Registers &registers,
          const SymbolTable &symbols, Instruction &result)
      : statement(statement), result(result), registers(registers),
        symbols(symbols) {}

  /// Whether the next modifier is `name`; then it is taken.
  bool take(const char *name);
  /// The number of the next modifier among `names`, which is taken; -1 if it
  /// is none of them.
  int takeOneOf(std::initializer_list<const char *> names);
  /// The same, but one must be there.
  int expectOneOf(std::initializer_list<const char *> names);
  void expect(const char *name);
  /// The next modifier, which is taken, as a type.
  Type takeType();
  /// Whether the next modifier is a type.
  bool isTypeNext() const;
  std::string takeAny();
  void finish() const;

  size_t operandCount() const { return statement.operands.size(); }
  void expectOperands(size_t least, size_t most) const;
  const Expression &operand(size_t i) const { return statement.operands.at(i); }

  /// An operand that is read or written: its slot. A wider register than the
  /// type says is taken only where `widerToo`, as for ld, st and cvt.
  Slot source(const Expression &expression, Type type, bool widerToo = false);
  Slot destination(const Expression &expression, Type type,
                   bool widerToo = false);
  /// The bits of a register operand; those of the type for others.
  unsigned widthOf(const Expression &expression, Type type) const;
  /// [register + offset] or [symbol + offset], as address number `i`.
  void address(const Expression &expression, size_t i, Slot slotIndex);
  /// The elements of {…}, or one operand.
  std::vector<Slot> sources(const Expression &expression, Type type,
                            size_t count, bool widerToo = false);
  std::vector<Slot> destinations(const Expression &expression, Type type,
                                 size_t count, bool widerToo = false);
  /// An operand that must be a number.
  int64_t number(const Expression &expression) const;
  /// Also a predicate in slot `i` that may be negated; the negation is given.
  bool predicate(const Expression &expression, size_t i);
  const std::string &labelOf(const Expression &expression) const;

  const Statement &statement;
  Instruction &result;

private:
  std::vector<Slot> elements(const Expression &expression, Type type,
                             size_t count, bool widerToo, bool isSource);
  size_t next = 1;
  Registers &registers;
  const SymbolTable &symbols;
};

/// Decodes the instruction of one mnemonic.
using Rule = void (*)(Decoder &);
using RuleTable = std::map<std::string, Rule>;

void addIntegerRules(RuleTable &rules);
void addBitRules(RuleTable &rules);
void addFloatRules(RuleTable &rules);
void addCompareRules(RuleTable &rules);
void addConvertRules(RuleTable &rules);
void addMoveRules(RuleTable &rules);
void addApproximateRules(RuleTable &rules);
void addMemoryRules(RuleTable &rules);
void addAtomicRules(RuleTable &rules);
void addControlRules(RuleTable &rules);
void addBarrierRules(RuleTable &rules);
void addFenceRules(RuleTable &rules);
void addMbarrierRules(RuleTable &rules);
void addCopyRules(RuleTable &rules);
void addShuffleRules(RuleTable &rules);
void addTensorMapRules(RuleTable &rules);
void addMatrixMoveRules(RuleTable &rules);
void addMmaRules(RuleTable &rules);
void addWgmmaRules(RuleTable &rules);

/// A rule for cp.async.bulk…, to which that of cp hands over.
void decodeBulkCopy(Decoder &decoder);
/// Rules for add, sub, mul, fma, min, max, neg, abs of types with a fraction.
void decodeFloatArithmetic(Decoder &decoder, Type type, bool isFlushed,
                           int rounding);
/// Rules for sqrt and rcp that are rounded exactly.
void decodeExactRoot(Decoder &decoder);

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_DECODER_H
