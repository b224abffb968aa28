// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zeros in place of the weights of rows that see no key.

#include "passes/raise/EmptyRows.h"
#include "passes/raise/ReadElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// The condition whose contrary `ref` is, or null.
static Ref contraryOf(Ref ref) {
  if (!ref || !ref->is(Kind::Apply) || !isa<arith::XOrIOp>(ref->op))
    return nullptr;
  bool isContrary = ref->type.isInteger(1) && ref->operands[1]->isNumber(1);
  return isContrary ? ref->operands[0] : nullptr;
}

/// Whether `ref` compares with -inf, and equals it; gives the other side.
static Ref comparedWithNone(Ref ref) {
  if (!ref || !ref->is(Kind::Apply))
    return nullptr;
  auto compare = dyn_cast<arith::CmpFOp>(ref->op);
  bool isNone =
      compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
      ref->operands[1]->isNumber(-std::numeric_limits<double>::infinity());
  return isNone ? ref->operands[0] : nullptr;
}

/// Whether `ref` is true where `weights` is NaN, which only a row that sees no
/// key is, or one whose scores are no numbers: its result stays NaN.
static bool isNoNumber(const Expressions &make, Ref ref, Ref weights) {
  if (!ref || !ref->is(Kind::Apply))
    return false;
  auto compare = dyn_cast<arith::CmpFOp>(ref->op);
  return compare && compare.getPredicate() == arith::CmpFPredicate::UNO &&
         make.areSame(ref->operands[0], weights) &&
         make.areSame(ref->operands[1], weights);
}

/// Whether a score is -inf where `ref` is: it is the score, or the sum of some
/// of what adds up to it.
static bool hides(const Expressions &make, Ref ref, Ref score) {
  auto termsOf = [](const Ref &each) {
    return each->is(Kind::Sum) ? ArrayRef<Ref>(each->operands)
                               : ArrayRef<Ref>(each);
  };
  return llvm::all_of(termsOf(ref), [&](Ref term) {
    return llvm::any_of(termsOf(score),
                        [&](Ref each) { return make.areSame(term, each); });
  });
}

Ref mixattn::findGuardedWeights(Expressions &make, Ref ref,
                                const FoundSoftmax &softmax) {
  if (!softmax.scores || !ref->is(Kind::Apply) ||
      !isa<arith::SelectOp>(ref->op))
    return nullptr;
  Ref condition = ref->operands[0], weights = ref->operands[2];
  bool choosesWeights = ref->operands[1]->isNumber(0) &&
                        weights->is(Kind::Element) &&
                        weights->tensor == softmax.weights;
  if (!choosesWeights)
    return nullptr;
  if (isNoNumber(make, condition, weights))
    return weights;
  // Scores are not taken apart.
  ElementReader reader(make, [&](Value value, ArrayRef<Place>) {
    return value == softmax.scores || sumsSeveral(value);
  });
  auto follow = [&](Ref each) {
    return each && each->is(Kind::Element)
               ? reader.read(each->tensor, each->places)
               : each;
  };
  condition = follow(condition);
  // Not: there is a key whose score is not -inf. Or: the largest score is -inf.
  Ref score = nullptr, over = contraryOf(condition);
  if (over && over->is(Kind::Any)) {
    score = comparedWithNone(contraryOf(over->operands[0]));
  } else {
    over = follow(comparedWithNone(condition));
    if (over && over->is(Kind::Largest))
      score = over->operands[0];
  }
  if (!score)
    return nullptr;
  // No row is empty.
  if (score->is(Kind::Number) && std::isfinite(score->number))
    return weights;
  // Scores may be sums of products, which are not looked into, and others.
  ElementReader inside(
      make, [](Value value, ArrayRef<Place>) { return sumsSeveral(value); });
  SmallVector<Place> places(weights->places);
  places[softmax.axis] = over->bound;
  if (score->is(Kind::Element))
    score = inside.read(score->tensor, score->places);
  bool isOfRow = hides(make, score, inside.read(softmax.scores, places));
  return isOfRow ? weights : nullptr;
}
