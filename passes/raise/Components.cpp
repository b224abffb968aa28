// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of several keys a position, combined to one.

#include "passes/raise/Scores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

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
  RawScore &raw = result.raw;
  for (const ProductTerm &term : *terms) {
    if (!readsBoth(make.product(term.factors, ref->type))) {
      raw.terms.push_back(term);
      continue;
    }
    if (!hasProduct) {
      if (!readTerm(term))
        return false;
      hasProduct = true;
      continue;
    }
    // Once more, or another one.
    std::optional<SummedProduct> product = tellApart(term);
    if (product)
      addProduct(std::move(*product));
    if (!product || !raw.others.empty())
      return no("a component has several products of queries and keys");
  }
  return hasProduct || no("a component has no product of queries and keys");
}

bool ScoreReader::readComponents(SmallVector<Ref> &sum) {
  for (auto [i, operand] : llvm::enumerate(sum)) {
    if (!readsBoth(operand))
      continue;
    Ref power = operandOf<math::LogOp>(operand);
    auto [all, components] =
        power ? findComponents(power) : std::pair(Ref(), Place());
    if (!all)
      continue;
    // log(sum of exp(s - m)) + m is the same for any m: usually the largest s,
    // or 0 where that is infinite.
    SmallVector<Ref> inner(all->is(Kind::Sum) ? all->operands
                                              : SmallVector<Ref>{all});
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
    result.raw.components = components;
    sum = outer;
    return readComponent(make.sum(inner, all->type));
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

bool ScoreReader::readMixedComponents(SmallVector<Ref> &sum) {
  if (readComponents(sum))
    return true;
  for (size_t i = 0; i < sum.size() && reason.empty(); ++i) {
    bool isMixed = sum[i]->is(Kind::Total);
    Ref all = isMixed ? sum[i]->operands[0] : sum[i];
    if (!all->is(Kind::Product) || !readsBoth(all))
      continue;
    Ref combined = nullptr;
    SmallVector<Ref> factors;
    for (Ref factor : all->operands)
      if (!combined && readsBoth(factor))
        combined = factor;
      else
        factors.push_back(factor);
    auto isOfHeads = [&](Ref factor) {
      Dependence on = dependenceOf(factor);
      return factor->is(Kind::Number) || (isMixed && !on.onQuery && !on.onKey);
    };
    if (!combined || !llvm::all_of(factors, isOfHeads))
      continue;
    SmallVector<Ref> below(combined->is(Kind::Sum)
                               ? combined->operands
                               : SmallVector<Ref>{combined});
    if (!readMixedComponents(below))
      continue;
    // Terms that are added to components are mixed, too.
    Place bound = isMixed ? make.atoms.flat(sum[i]->bound) : Place();
    sum.erase(sum.begin() + i);
    for (Ref each : below) {
      SmallVector<Ref> product(factors);
      product.push_back(each);
      sum.push_back(make.total(make.product(product, each->type), bound));
    }
    RawScore &raw = result.raw;
    llvm::append_range(raw.bound, bound);
    for (Ref factor : factors)
      if (factor->is(Kind::Number))
        raw.combinedFactor *= factor->number;
      else
        raw.combinedMixers.push_back(factor);
    return true;
  }
  return false;
}

Ref ScoreReader::findLogarithm(Ref power) {
  if (power->is(Kind::Number))
    return power->number > 0 ? make.number(std::log(power->number), make.f32)
                             : nullptr;
  if (Ref score = operandOf<math::ExpOp>(power))
    return score;
  if (Ref score = operandOf<math::Exp2Op>(power))
    return make.product({score, make.number(llvm::numbers::ln2, make.f32)},
                        score->type);
  // Where 0 is chosen, the score is infinitely low.
  if (power->is(Kind::Apply) && isa<arith::SelectOp>(power->op)) {
    SmallVector<Ref> chosen = {power->operands[0]};
    for (Ref each : ArrayRef(power->operands).drop_front())
      chosen.push_back(each->isNumber(0) ? make.number(-INFINITY, each->type)
                                         : findLogarithm(each));
    return llvm::is_contained(chosen, nullptr) ? nullptr
                                               : make.rebuild(power, chosen);
  }
  // A weight of 0 is a score that is infinitely low.
  if (!readsBoth(power) && make.isAtLeastZero(power))
    return make.logarithm(power);
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

std::pair<Ref, Place> ScoreReader::findComponents(Ref power) {
  if (power->is(Kind::Total))
    return {findLogarithm(power->operands[0]), make.atoms.flat(power->bound)};
  if (!power->is(Kind::Sum))
    return {nullptr, Place()};
  SmallVector<Ref> logarithms;
  for (Ref each : power->operands) {
    logarithms.push_back(findLogarithm(each));
    if (!logarithms.back() || !readsBoth(each))
      return {nullptr, Place()};
  }
  Place index = make.atoms.makePlace(Size::of(logarithms.size()));
  return {make.joinPieces(index, logarithms), index};
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
  auto [component, components] = findComponents(power);
  if (!component)
    return no("weights are no exponentials over their sum");
  result.raw.components = components;
  return readComponent(component) ? make.raw(make.f32) : nullptr;
}
