// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponentials over what divides them.

#include "passes/raise/Powers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

template <typename... Ops> static bool isApplied(Ref ref) {
  return ref->is(Kind::Apply) && isa<Ops...>(ref->op);
}

bool mixattn::isExponential(Ref ref) {
  return isApplied<math::ExpOp, math::Exp2Op>(ref);
}

bool mixattn::isPower(Ref ref) {
  switch (ref->kind) {
  case Kind::Product:
    return llvm::any_of(ref->operands, isPower);
  case Kind::Sum:
  case Kind::Total:
    return llvm::all_of(ref->operands, isPower);
  default:
    // Or zeros, where keys are hidden.
    return isExponential(ref) ||
           (isApplied<arith::SelectOp>(ref) &&
            llvm::all_of(ArrayRef(ref->operands).drop_front(), [](Ref each) {
              return each->isNumber(0) || isPower(each);
            }));
  }
}

Ref mixattn::withoutSign(const Expressions &make, Ref ref) {
  return isApplied<math::AbsFOp>(ref) && make.isAtLeastZero(ref->operands[0])
             ? ref->operands[0]
             : ref;
}

/// Adds the terms of `factor` times `ref` to `terms`: a number is multiplied
/// into sums.
static void addTerms(Expressions &make, Ref ref, double factor,
                     SmallVectorImpl<Ref> &terms) {
  if (ref->is(Kind::Sum)) {
    for (Ref each : ref->operands)
      addTerms(make, each, factor, terms);
    return;
  }
  if (ref->is(Kind::Product) && ref->operands.size() == 2 &&
      ref->operands[1]->is(Kind::Number))
    return addTerms(make, ref->operands[0], factor * ref->operands[1]->number,
                    terms);
  terms.push_back(
      make.product({ref, make.number(factor, ref->type)}, ref->type));
}

static SmallVector<Ref> termsOf(Expressions &make, Ref ref, double factor = 1) {
  SmallVector<Ref> terms;
  addTerms(make, ref, factor, terms);
  return terms;
}

/// Whether both have the same terms, in any order.
static bool areSameTerms(const Expressions &make, ArrayRef<Ref> a,
                         ArrayRef<Ref> b, const DenseMap<Atom, Atom> &renamed) {
  SmallVector<Ref> left(b);
  for (Ref each : a) {
    auto *same = llvm::find_if(
        left, [&](Ref other) { return make.areSame(each, other, renamed); });
    if (same == left.end())
      return false;
    left.erase(same);
  }
  return left.empty();
}

/// Whether `total` is at least 1, or NaN: a sum of exponentials of numbers less
/// the largest of them, one of which is exp(0).
static bool isAtLeastOne(Expressions &make, Ref total) {
  Ref summed = withoutSign(make, total->operands[0]);
  if (!isExponential(summed))
    return false;
  SmallVector<Ref> terms = termsOf(make, summed->operands[0]);
  Place to = make.atoms.flat(total->bound);
  for (auto [i, term] : llvm::enumerate(terms)) {
    bool isLargest = term->is(Kind::Product) && term->operands.size() == 2 &&
                     term->operands[0]->is(Kind::Largest) &&
                     term->operands[1]->is(Kind::Number) &&
                     term->operands[1]->number < 0;
    if (!isLargest)
      continue;
    Ref largest = term->operands[0];
    Place from = make.atoms.flat(largest->bound);
    if (from.size() != to.size())
      continue;
    DenseMap<Atom, Atom> renamed;
    for (auto [inner, outer] : llvm::zip_equal(from, to))
      renamed[inner] = outer;
    SmallVector<Ref> rest(terms);
    rest.erase(rest.begin() + i);
    if (areSameTerms(
            make, rest,
            termsOf(make, largest->operands[0], -term->operands[1]->number),
            renamed))
      return true;
  }
  return false;
}

SumInDivisor mixattn::findSum(Expressions &make, Ref divisor) {
  if (divisor->is(Kind::Total))
    return {divisor};
  if (divisor->is(Kind::Sum)) {
    for (Ref each : divisor->operands)
      if (each->is(Kind::Total))
        return {each, "more than weights is summed up in what divides them"};
    return {};
  }
  if (!isApplied<arith::MaximumFOp, arith::MaxNumFOp>(divisor))
    return {};
  for (unsigned i : {0u, 1u}) {
    Ref total = divisor->operands[i], least = divisor->operands[1 - i];
    if (!total->is(Kind::Total))
      continue;
    if (least->is(Kind::Number) && least->number <= 1 &&
        isAtLeastOne(make, total))
      return {total};
    return {total, "the sum of weights may be less than what they are divided "
                   "by at least"};
  }
  return {};
}

SmallVector<Fraction> mixattn::findFractions(Expressions &make, Ref ref) {
  SmallVector<Fraction> fractions;
  auto without = [](ArrayRef<Ref> all, size_t i) {
    SmallVector<Ref> rest(all);
    rest.erase(rest.begin() + i);
    return rest;
  };
  if (ref->is(Kind::Product))
    for (auto [i, factor] : llvm::enumerate(ref->operands))
      if (factor->is(Kind::Reciprocal))
        fractions.push_back({make.product(without(ref->operands, i), ref->type),
                             factor->operands[0]});
  if (!isExponential(ref))
    return fractions;
  SmallVector<Ref> terms = termsOf(make, ref->operands[0]);
  for (auto [i, term] : llvm::enumerate(terms)) {
    bool isNegative = term->is(Kind::Product) && term->operands.size() == 2 &&
                      term->operands[1]->isNumber(-1);
    Ref logarithm = isNegative ? term->operands[0] : term;
    bool isOfBase = isa<math::ExpOp>(ref->op)
                        ? isApplied<math::LogOp>(logarithm)
                        : isApplied<math::Log2Op>(logarithm);
    if (isNegative && isOfBase)
      fractions.push_back(
          {make.rebuild(ref, {make.sum(without(terms, i), ref->type)}),
           logarithm->operands[0]});
  }
  return fractions;
}

bool mixattn::isSumOf(Expressions &make, Ref power, Ref summed,
                      const DenseMap<Atom, Atom> &renamed) {
  summed = withoutSign(make, summed);
  if (!isExponential(power) || !isExponential(summed))
    return make.areSame(power, summed, renamed);
  return power->op->getName() == summed->op->getName() &&
         areSameTerms(make, termsOf(make, power->operands[0]),
                      termsOf(make, summed->operands[0]), renamed);
}
