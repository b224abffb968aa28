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

Ref mixattn::contraryOf(Ref ref) {
  if (!ref || !ref->is(Kind::Apply) || !isa<arith::XOrIOp>(ref->op))
    return nullptr;
  bool isContrary = ref->type.isInteger(1) && ref->operands[1]->isNumber(1);
  return isContrary ? ref->operands[0] : nullptr;
}

bool mixattn::readsTensor(Ref ref, Value tensor) {
  return (ref->is(Kind::Element) && ref->tensor == tensor) ||
         llvm::any_of(ref->operands, [&](Ref operand) {
           return readsTensor(operand, tensor);
         });
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

/// Whether `ref` compares one of `weights` by `predicate` with itself, or with
/// an infinity where `isInfinite` is set.
static bool asksFor(const Expressions &make, Ref ref, ArrayRef<Ref> weights,
                    arith::CmpFPredicate predicate, bool isInfinite) {
  auto compare =
      ref->is(Kind::Apply) ? dyn_cast<arith::CmpFOp>(ref->op) : nullptr;
  if (!compare || compare.getPredicate() != predicate)
    return false;
  Ref left = ref->operands[0], right = ref->operands[1];
  bool isAsked = isInfinite
                     ? right->is(Kind::Number) && std::isinf(right->number)
                     : make.areSame(left, right);
  return isAsked && llvm::any_of(weights, [&](Ref each) {
           return make.areSame(each, left);
         });
}

Ref mixattn::peelZeros(Expressions &make, Ref ref, const FoundSoftmax &softmax,
                       SmallVectorImpl<Ref> &zeroed) {
  // From the outermost choice to the weights.
  SmallVector<Ref> choices;
  Ref weights = ref;
  while (weights->is(Kind::Apply) && isa<arith::SelectOp>(weights->op)) {
    if (Ref guarded = findGuardedWeights(make, weights, softmax)) {
      weights = guarded;
      break;
    }
    unsigned other = weights->operands[1]->is(Kind::Number) ? 2 : 1;
    choices.push_back(weights);
    weights = weights->operands[other];
  }
  if (!weights->is(Kind::Element) || weights->tensor != softmax.weights)
    return ref;
  SmallVector<Ref> left, inside = {weights};
  for (Ref choice : llvm::reverse(choices)) {
    Ref condition = choice->operands[0];
    bool isFirst = choice->operands[1]->is(Kind::Number);
    // As nan_to_num has them: a weight is never infinite, and NaN only in rows
    // that see no key, or whose scores are no numbers.
    using P = arith::CmpFPredicate;
    bool isNever = isFirst && !softmax.sum &&
                   asksFor(make, condition, inside, P::OEQ, true);
    bool isZero = choice->operands[isFirst ? 1 : 2]->isNumber(0);
    bool isNaN =
        isFirst && isZero && asksFor(make, condition, inside, P::UNO, false);
    inside.push_back(choice);
    if (isNever || isNaN)
      continue;
    if (!isZero || readsTensor(condition, softmax.weights))
      return ref;
    left.push_back(choice);
  }
  llvm::append_range(zeroed, left);
  return weights;
}
