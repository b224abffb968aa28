// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that are linear in indices and sizes.

#include "passes/raise/PlacedInteger.h"

using namespace mlir;
using namespace mixattn;

bool PlacedInteger::isIndex(unsigned dim) const {
  if (hasOthers || constant != 0)
    return false;
  for (auto [other, factor] : llvm::enumerate(factors))
    if (factor != (other == dim))
      return false;
  return factor(dim) == 1;
}

bool PlacedInteger::isSame(const PlacedInteger &other) const {
  if (hasOthers || other.hasOthers || constant != other.constant)
    return false;
  size_t count = std::max(factors.size(), other.factors.size());
  for (size_t variable = 0; variable < count; ++variable)
    if (factor(variable) != other.factor(variable))
      return false;
  return true;
}

PlacedInteger PlacedIntegers::number(int64_t constant) const {
  PlacedInteger result;
  result.constant = constant;
  return result;
}

PlacedInteger PlacedIntegers::variable(unsigned number) const {
  PlacedInteger result;
  result.factors.assign(number + 1, 0);
  result.factors[number] = 1;
  return result;
}

unsigned PlacedIntegers::addIndex(const PlacedInteger &extent) {
  variables.push_back({true, extent, {}});
  return variables.size() - 1;
}

PlacedInteger PlacedIntegers::size(const Size &of) {
  if (of.isStatic())
    return number(of.number);
  Operation *op = of.dim ? nullptr : of.value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return sum(size(Size::of(op->getOperand(0))),
               size(Size::of(op->getOperand(1))),
               isa<arith::AddIOp>(op) ? 1 : -1);
  if (isa_and_nonnull<arith::MulIOp>(op)) {
    PlacedInteger result = product(size(Size::of(op->getOperand(0))),
                                   size(Size::of(op->getOperand(1))));
    if (!result.hasOthers)
      return result;
  }
  for (auto [i, known] : llvm::enumerate(variables))
    if (!known.isIndex && known.size == of)
      return variable(i);
  variables.push_back({false, {}, of});
  return variable(variables.size() - 1);
}

PlacedInteger PlacedIntegers::unknown(ArrayRef<PlacedInteger> parts) const {
  PlacedInteger result = number(0);
  result.hasOthers = true;
  result.others.resize(variables.size());
  for (const PlacedInteger &part : parts) {
    result.others |= part.others;
    for (auto [variable, factor] : llvm::enumerate(part.factors))
      if (factor != 0)
        result.others.set(variable);
  }
  return result;
}

PlacedInteger PlacedIntegers::sum(const PlacedInteger &a,
                                  const PlacedInteger &b, int64_t sign) const {
  PlacedInteger result = a;
  bool overflows = false;
  auto add = [&](int64_t &to, int64_t from) {
    int64_t part;
    overflows |= bool(llvm::MulOverflow(sign, from, part)) ||
                 bool(llvm::AddOverflow(to, part, to));
  };
  result.factors.resize(std::max(a.factors.size(), b.factors.size()), 0);
  for (auto [variable, factor] : llvm::enumerate(b.factors))
    add(result.factors[variable], factor);
  add(result.constant, b.constant);
  if (overflows)
    return unknown({a, b});
  result.hasOthers |= b.hasOthers;
  result.others |= b.others;
  if (b.hasOthers)
    result.argument = a.hasOthers || sign != 1 ? BlockArgument() : b.argument;
  return result;
}

PlacedInteger PlacedIntegers::product(const PlacedInteger &a,
                                      const PlacedInteger &b) const {
  if (!a.isNumber() && !b.isNumber())
    return unknown({a, b});
  const PlacedInteger &factor = a.isNumber() ? a : b;
  if (factor.constant == 0)
    return number(0);
  return sum(number(0), a.isNumber() ? b : a, factor.constant);
}

PlacedInteger PlacedIntegers::replace(const PlacedInteger &of,
                                      unsigned variable,
                                      const PlacedInteger &by) const {
  if (!of.dependsOn(variable))
    return of;
  if (of.hasOthers || by.hasOthers)
    return unknown({of, by});
  PlacedInteger rest = of;
  rest.factors[variable] = 0;
  return sum(rest, by, of.factor(variable));
}

bool PlacedIntegers::isAtLeastZero(const PlacedInteger &integer) const {
  if (integer.hasOthers)
    return false;
  // The least is where indices are at one of their ends.
  PlacedInteger least = integer;
  for (auto [i, known] : llvm::enumerate(variables))
    if (known.isIndex && integer.factor(i) != 0)
      least = replace(least, i,
                      integer.factor(i) > 0 ? number(0)
                                            : sum(known.extent, number(-1)));
  if (least.hasOthers || least.constant < 0)
    return false;
  for (auto [i, factor] : llvm::enumerate(least.factors))
    if (factor < 0 || (factor > 0 && !variables[i].size.dim))
      return false;
  return true;
}

std::optional<int64_t> PlacedIntegers::mostOf(const Variable &variable) const {
  // No memory holds as many elements.
  constexpr int64_t most = int64_t(1) << 48;
  if (variable.isIndex)
    return variable.extent.isNumber()
               ? std::clamp<int64_t>(variable.extent.constant - 1, 0, most)
               : most;
  return variable.size.dim ? std::optional(most) : std::nullopt;
}

bool PlacedIntegers::fits(const PlacedInteger &integer, unsigned width) const {
  if (integer.hasOthers)
    return false;
  // On either side of 0.
  int64_t most = 0;
  auto add = [&](int64_t factor, int64_t value) {
    int64_t part;
    return factor != INT64_MIN &&
           !llvm::MulOverflow(std::abs(factor), value, part) &&
           !llvm::AddOverflow(most, part, most);
  };
  if (!add(integer.constant, 1))
    return false;
  for (auto [i, factor] : llvm::enumerate(integer.factors)) {
    if (factor == 0)
      continue;
    std::optional<int64_t> value = mostOf(variables[i]);
    if (!value || !add(factor, *value))
      return false;
  }
  return width >= 64 || most < int64_t(1) << (width - 1);
}

std::optional<bool> PlacedIntegers::compare(arith::CmpIPredicate predicate,
                                            const PlacedInteger &a,
                                            const PlacedInteger &b,
                                            unsigned width) const {
  using P = arith::CmpIPredicate;
  PlacedInteger above = sum(a, b, -1);
  if (above.hasOthers)
    return std::nullopt;
  bool asksSame = predicate == P::eq, asksOther = predicate == P::ne;
  // Differences go round as the type does.
  if ((asksSame || asksOther) && above.isNumber())
    return llvm::APInt(64, uint64_t(above.constant)).trunc(width).isZero() ==
           asksSame;
  if (!fits(a, width) || !fits(b, width))
    return std::nullopt;
  PlacedInteger below = product(number(-1), above), minusOne = number(-1);
  bool isAbove = isAtLeastZero(sum(above, minusOne)),
       isBelow = isAtLeastZero(sum(below, minusOne));
  bool isNotBelow = isAbove || isAtLeastZero(above),
       isNotAbove = isBelow || isAtLeastZero(below);
  auto either = [](bool holds, bool fails) {
    return holds || fails ? std::optional(holds) : std::nullopt;
  };
  switch (predicate) {
  case P::eq:
    return either(false, isAbove || isBelow);
  case P::ne:
    return either(isAbove || isBelow, false);
  case P::slt:
    return either(isBelow, isNotBelow);
  case P::sle:
    return either(isNotAbove, isAbove);
  case P::sgt:
    return either(isAbove, isNotAbove);
  case P::sge:
    return either(isNotBelow, isBelow);
  default:
    return std::nullopt;
  }
}

Value PlacedIntegers::emit(OpBuilder &b, OpBuilder &outside, Location loc,
                           const PlacedInteger &integer,
                           ValueRange indices) const {
  Value result;
  auto add = [&](Value part) {
    result = result ? arith::AddIOp::create(b, loc, result, part) : part;
  };
  for (auto [i, factor] : llvm::enumerate(integer.factors)) {
    if (factor == 0)
      continue;
    Value value = variables[i].isIndex
                      ? indices[i]
                      : getValueOrCreateConstantIndexOp(
                            outside, loc, variables[i].size.emit(outside, loc));
    if (factor != 1)
      value = arith::MulIOp::create(
          b, loc, value, arith::ConstantIndexOp::create(b, loc, factor));
    add(value);
  }
  if (integer.constant != 0 || !result)
    add(arith::ConstantIndexOp::create(b, loc, integer.constant));
  return result;
}
