// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes modifiers and operands of a statement, and decodes a body.
#include "Decoder.h"

#include "Failure.h"

#include <cstring>

using namespace mixattn::emulator;

bool Decoder::take(const char *name) {
  if (next >= statement.opcode.size() || statement.opcode[next] != name)
    return false;
  ++next;
  return true;
}

int Decoder::takeOneOf(std::initializer_list<const char *> names) {
  int i = 0;
  for (const char *name : names) {
    if (take(name))
      return i;
    ++i;
  }
  return -1;
}

int Decoder::expectOneOf(std::initializer_list<const char *> names) {
  int found = takeOneOf(names);
  if (found >= 0)
    return found;
  std::string list;
  for (const char *name : names)
    list += std::string(list.empty() ? "." : ", .") + name;
  fail("expected one of " + list +
       (next < statement.opcode.size() ? ", but got ." + statement.opcode[next]
                                       : ""));
}

void Decoder::expect(const char *name) { expectOneOf({name}); }

bool Decoder::isTypeNext() const {
  return next < statement.opcode.size() &&
         typeNamed(statement.opcode[next]).has_value();
}

Type Decoder::takeType() {
  if (!isTypeNext())
    fail(next < statement.opcode.size()
             ? "'." + statement.opcode[next] + "' is not known here"
             : "expected a type");
  return *typeNamed(statement.opcode[next++]);
}

std::string Decoder::takeAny() {
  return next < statement.opcode.size() ? statement.opcode[next++] : "";
}

void Decoder::finish() const {
  if (next < statement.opcode.size())
    fail("'." + statement.opcode[next] + "' is not known here");
}

void Decoder::expectOperands(size_t least, size_t most) const {
  size_t count = statement.operands.size();
  if (count < least || count > most)
    fail("expected " + std::to_string(least) +
         (most > least ? " to " + std::to_string(most) : "") +
         " operands, but got " + std::to_string(count));
}

static bool fits(Type wanted, Type actual, bool widerToo) {
  if ((wanted.kind == Type::Predicate) != (actual.kind == Type::Predicate))
    return false;
  return actual.bits == wanted.bits ||
         (widerToo && actual.bits > wanted.bits) ||
         // A value of 8 bits lies in a register of 16.
         (wanted.bits == 8 && actual.bits == 16);
}

/// A number's bits as a value of the type.
static uint64_t bitsOf(const Expression &expression, Type type) {
  if (type.isFloat() && type.bits == 32 && !type.isPair &&
      expression.isDouble) {
    double wide;
    std::memcpy(&wide, &expression.number, sizeof wide);
    float value = static_cast<float>(wide);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  if (type.bits < 64 && !expression.isDouble)
    return expression.number & ((1ull << type.bits) - 1);
  return expression.number;
}

Slot Decoder::source(const Expression &expression, Type type, bool widerToo) {
  if (expression.kind == Expression::Number)
    return registers.constant(bitsOf(expression, type), type.slots());
  if (expression.kind != Expression::Name)
    fail("expected a register, a number or a symbol");
  const std::string &name = expression.name;
  if (type.kind == Type::Predicate && (name == "true" || name == "false"))
    return registers.constant(name == "true", 1);
  if (const Registers::Register *found =
          registers.find(name, statement.scope)) {
    if (!fits(type, found->type, widerToo))
      fail("the size of '" + name + "' is not that of the type");
    for (unsigned i = 0; i < found->type.slots(); ++i)
      if (i < type.slots())
        result.reads.push_back(found->slot + i);
    return found->slot;
  }
  if (name[0] == '%') {
    Slot slot = registers.special(name);
    if (slot == noSlot)
      fail("no register '" + name + "'");
    if (type.bits != 32)
      fail("special registers have 32 bits");
    return slot;
  }
  auto symbol = symbols.values.find(name);
  if (symbol == symbols.values.end())
    fail("no register or symbol '" + name + "'");
  return registers.constant(symbol->second, type.slots());
}

Slot Decoder::destination(const Expression &expression, Type type,
                          bool widerToo) {
  const Registers::Register *found =
      expression.kind == Expression::Name
          ? registers.find(expression.name, statement.scope)
          : nullptr;
  if (!found)
    fail("expected a register as destination");
  if (!fits(type, found->type, widerToo))
    fail("the size of '" + expression.name + "' is not that of the type");
  for (unsigned i = 0; i < found->type.slots(); ++i)
    result.writes.push_back(found->slot + i);
  return found->slot;
}

unsigned Decoder::widthOf(const Expression &expression, Type type) const {
  if (expression.kind == Expression::Name)
    if (const Registers::Register *found =
            registers.find(expression.name, statement.scope))
      return found->type.bits;
  return type.bits;
}

void Decoder::address(const Expression &expression, size_t i, Slot slotIndex) {
  if (expression.kind != Expression::Address)
    fail("expected an address in brackets");
  const Expression &base = expression.parts[0];
  unsigned bits = widthOf(base, {Type::Bits, 64});
  if (bits != 32 && bits != 64)
    fail("an address has 32 or 64 bits");
  result.slot[slotIndex] = source(base, {Type::Bits, bits});
  result.offset[i] = expression.number;
  result.isWide[i] = bits == 64;
}

std::vector<Slot> Decoder::elements(const Expression &expression, Type type,
                                    size_t count, bool widerToo,
                                    bool isSource) {
  std::vector<Slot> slots;
  bool isVector = expression.kind == Expression::Vector;
  if ((isVector ? expression.parts.size() : 1) != count)
    fail("expected " + std::to_string(count) + " elements");
  for (size_t i = 0; i < count; ++i) {
    const Expression &element = isVector ? expression.parts[i] : expression;
    if (!isSource && element.kind == Expression::Sink)
      slots.push_back(noSlot);
    else
      slots.push_back(isSource ? source(element, type, widerToo)
                               : destination(element, type, widerToo));
  }
  return slots;
}

std::vector<Slot> Decoder::sources(const Expression &expression, Type type,
                                   size_t count, bool widerToo) {
  return elements(expression, type, count, widerToo, true);
}

std::vector<Slot> Decoder::destinations(const Expression &expression, Type type,
                                        size_t count, bool widerToo) {
  return elements(expression, type, count, widerToo, false);
}

int64_t Decoder::number(const Expression &expression) const {
  if (expression.kind != Expression::Number)
    fail("expected a number");
  return static_cast<int64_t>(expression.number);
}

bool Decoder::predicate(const Expression &expression, size_t i) {
  result.slot[i] = source(expression, {Type::Predicate, 1});
  return expression.isNegated;
}

const std::string &Decoder::labelOf(const Expression &expression) const {
  if (expression.kind != Expression::Name)
    fail("expected a label");
  return expression.name;
}
