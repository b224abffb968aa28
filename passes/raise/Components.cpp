// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of several keys a position, combined to one.

#include "passes/raise/Scores.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// The operand of `ref`, where it is `Op` of one; or null.
template <typename Op> static Ref operandOf(Ref ref) {
  return ref->is(Kind::Apply) && isa<Op>(ref->op) ? ref->operands[0] : nullptr;
}

/// The expression whose negative `ref` is, or null.
static Ref negatedBy(Ref ref) {
  bool isNegated = ref->is(Kind::Product) && ref->operands.size() == 2 &&
                   ref->operands[1]->isNumber(-1);
  return isNegated ? ref->operands[0] : nullptr;
}

bool ScoreReader::readComponent(Ref ref) {
  auto terms = expandToTerms(make, ref);
  if (!terms)
    return no("the score of a component is no sum of products");
  bool hasProduct = false;
  for (const ProductTerm &term : *terms) {
    if (!readsBoth(make.product(term.factors, ref->type))) {
      result.raw.terms.push_back(term);
      continue;
    }
    if (hasProduct || !readTerm(term))
      return no("a component has several products of queries and keys");
    hasProduct = true;
  }
  return hasProduct || no("a component has no product of queries and keys");
}

bool ScoreReader::readComponents(SmallVector<Ref> &sum) {
  for (auto [i, operand] : llvm::enumerate(sum)) {
    if (!readsBoth(operand))
      continue;
    Ref total = operandOf<math::LogOp>(operand);
    Ref power = total && total->is(Kind::Total)
                    ? operandOf<math::ExpOp>(total->operands[0])
                    : nullptr;
    if (!power)
      continue;
    // log(sum of exp(s - m)) + m is the same for any m: usually the largest s,
    // or 0 where that is infinite.
    SmallVector<Ref> inner(power->is(Kind::Sum) ? power->operands
                                                : SmallVector<Ref>{power});
    SmallVector<Ref> outer(sum);
    outer.erase(outer.begin() + i);
    for (auto [at, each] : llvm::enumerate(inner)) {
      Ref shift = negatedBy(each);
      auto *same = llvm::find_if(outer, [&](Ref other) {
        return shift && make.areSame(shift, other);
      });
      if (same == outer.end())
        continue;
      outer.erase(same);
      inner.erase(inner.begin() + at);
      break;
    }
    result.raw.components = make.atoms.flat(total->bound);
    sum = outer;
    return readComponent(make.sum(inner, power->type));
  }
  for (auto [i, operand] : llvm::enumerate(sum)) {
    if (!operand->is(Kind::Largest) || !readsBoth(operand))
      continue;
    result.raw.components = make.atoms.flat(operand->bound);
    result.raw.isMaximum = true;
    Ref component = operand->operands[0];
    sum.erase(sum.begin() + i);
    return readComponent(component);
  }
  return false;
}

Ref ScoreReader::findLogarithm(Ref power) {
  if (power->is(Kind::Number))
    return power->number > 0 ? make.number(std::log(power->number), make.f32)
                             : nullptr;
  if (Ref score = operandOf<math::ExpOp>(power))
    return score;
  if (!power->is(Kind::Product))
    return nullptr;
  SmallVector<Ref> sum;
  for (Ref operand : power->operands) {
    Ref logarithm = findLogarithm(operand);
    if (!logarithm)
      return nullptr;
    sum.push_back(logarithm);
  }
  return make.sum(sum, make.f32);
}

Ref ScoreReader::readPowers(Ref quotient) {
  // Numbers of a row alone, its sum above all, were divided by.
  SmallVector<Ref> factors;
  for (Ref factor : quotient->is(Kind::Product) ? quotient->operands
                                                : SmallVector<Ref>{quotient})
    if (factor->is(Kind::Number) || dependenceOf(factor).onKey)
      factors.push_back(factor);
  Ref power = make.product(factors, make.f32);
  if (Ref score = findLogarithm(power))
    return findRaw(peelMasks(score));
  // A sum of powers is one over components.
  Ref component = nullptr;
  if (power->is(Kind::Total)) {
    result.raw.components = make.atoms.flat(power->bound);
    component = findLogarithm(power->operands[0]);
  } else if (power->is(Kind::Sum)) {
    SmallVector<Ref> logarithms;
    for (Ref each : power->operands) {
      logarithms.push_back(findLogarithm(each));
      if (!logarithms.back())
        return no("weights are no sum of exponentials");
    }
    Place index = make.atoms.makePlace(Size::of(logarithms.size()));
    result.raw.components = index;
    component = make.joinPieces(index, logarithms);
  }
  if (!component)
    return no("weights are no exponentials over their sum");
  return readComponent(component) ? make.raw(make.f32) : nullptr;
}
