// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From scores of a few keys to their weights, a row of lanes at a time.

#include "dialect/tile/TileOps.h"
#include "passes/body/References.h"
#include "passes/schedule/x86/attention/ScoreWalk.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

/// Turns scores into weights for row `vector` of lanes and the `sizes.bodyRows`
/// keys that are number `part` of such from `keys` on: for `head`, or without
/// one for all that are walked for together.
void ScoreWalk::emitUnit(Value vector, Value part, const Keys &keys,
                         Value head) {
  operands.place.lane = at.mul(vector, sizes.lanes);
  Value first = at.mul(part, sizes.bodyRows);
  Keys few = {at.add(keys.key, first), at.add(keys.row, first),
              at.add(keys.scoreRow, first)};
  SmallVector<SmallVector<Value>> mixed;
  for (int64_t r = 0; r < sizes.bodyRows; ++r)
    mixed.push_back(emitMixed(at.add(few.key, r), at.add(few.scoreRow, r)));
  if (head)
    return emitHead(mixed, head, few);
  forEachWalkedHead([&](Value head) { emitHead(mixed, head, few); });
}

bool ScoreWalk::isBrief() {
  return isAmx() && !op.getLse() && !op.getWeights();
}

template <bool isFlushed>
static Value emitBriefPower(ImplicitLocOpBuilder &b, Value exponent) {
  return tile::Exp2Op::create(b, exponent.getType(), exponent, /*brief=*/true,
                              isFlushed);
}

Softmax ScoreWalk::weighing() {
  if (!isBrief())
    return softmax();
  // Terms of a caller put many keys far below the others, such as distances.
  return Softmax(b, op.getBias() || op.hasScoreMod() ? emitBriefPower<true>
                                                     : emitBriefPower<false>);
}

/// The scores in row `row`.
Value ScoreWalk::emitScore(Value row) {
  Value score = load(scoreTile, row, operands.place.lane);
  if (!scalesScores())
    return score;
  // With a term that is added it is one instruction.
  return arith::MulFOp::create(b, score, splat(body.queryFactor()),
                               arith::FastMathFlags::contract);
}

/// The values that all heads' exponents for `key` start from; its scores are in
/// row `scoreRow` of those of each product.
SmallVector<Value> ScoreWalk::emitMixed(Value key, Value scoreRow) {
  SmallVector<Value> lanes;
  if (op.getQuery())
    for (int64_t i = 0; i < channels * products; ++i)
      lanes.push_back(emitScore(at.add(scoreRow, i * scoreRows())));
  return emitForLanes(
      lanes, [&](OpBuilder &scalar, Value query, ValueRange scores) {
        return body.emitStart(scalar, scores, placeAt(query, key, walkedHead));
      });
}

/// The weights of head `head` for the keys that `mixed` comes from.
void ScoreWalk::emitHead(ArrayRef<SmallVector<Value>> mixed, Value head,
                         const Keys &keys) {
  SmallVector<Value> exponents;
  for (auto [r, values] : llvm::enumerate(mixed)) {
    Value own = at.add(keys.key, int64_t(r));
    llvm::append_range(
        exponents, emitForLanes(values, [&](OpBuilder &scalar, Value query,
                                            ValueRange one) {
          return body.emitExponents(scalar, one, placeAt(query, own, head));
        }));
  }
  exponents = emitMaskedExponents(exponents, head, keys.key);
  SmallVector<Value> weights = emitWeighed(exponents, head, keys.row);
  Value sum = weights.pop_back_val();
  if (op.getKeep())
    for (auto [r, weight] : llvm::enumerate(weights)) {
      Value own = at.add(keys.key, int64_t(r));
      auto kept =
          emitForLanes({}, [&](OpBuilder &scalar, Value query, ValueRange) {
            return SmallVector<Value>{
                body.emitIsKept(scalar, placeAt(query, own, head))};
          });
      weight = arith::SelectOp::create(b, kept.front(), weight, splat(0));
    }
  emitStoredWeights(weights, head, keys.row);
  Value lane = operands.place.lane;
  storeStatistic(add(loadStatistic(head, Partial, lane), sum), head, Partial,
                 lane);
}

void ScoreWalk::emitStoredWeights(ArrayRef<Value> weights, Value head,
                                  Value row) {
  Value lane = operands.place.lane;
  Value first = at.add(schedule.weightRow(head), row);
  if (!holdsPairs(weightTile)) {
    for (auto [r, weight] : llvm::enumerate(weights))
      store(weight, weightTile, at.add(first, int64_t(r)), lane);
    return;
  }
  for (size_t r = 0; r < weights.size(); r += 2)
    storePair(weights[r], weights[r + 1], weightTile,
              at.div(at.add(first, int64_t(r)), 2), lane);
}

/// Whether the lanes' queries see `key` in head `head`.
Value ScoreWalk::emitVisibleLanes(Value head, Value key) {
  Location loc = b.getLoc();
  return emitForLanes(
             {},
             [&](OpBuilder &scalar, Value query, ValueRange) {
               Value seen = arith::CmpIOp::create(
                   scalar, loc, arith::CmpIPredicate::slt, key, range.end);
               if (Value visible =
                       body.emitIsVisible(scalar, placeAt(query, key, head)))
                 seen = arith::AndIOp::create(scalar, loc, seen, visible);
               return SmallVector<Value>{seen};
             })
      .front();
}

/// `exponents`, of keys from `key` on, with -inf for what is hidden.
SmallVector<Value> ScoreWalk::emitMaskedExponents(ArrayRef<Value> exponents,
                                                  Value head, Value key) {
  int64_t perKey = body.numExponents();
  int64_t count = exponents.size() / perKey;
  auto hide = [&] {
    SmallVector<Value> hidden;
    Value never = splat(-std::numeric_limits<double>::infinity());
    for (int64_t r = 0; r < count; ++r) {
      Value seen = emitVisibleLanes(head, at.add(key, r));
      for (Value exponent : exponents.slice(r * perKey, perKey))
        hidden.push_back(arith::SelectOp::create(b, seen, exponent, never));
    }
    return hidden;
  };
  if (op.getMask())
    return hide();
  Value isInside = arith::AndIOp::create(
      b, at.compare(arith::CmpIPredicate::sge, key, range.insideBegin),
      at.compare(arith::CmpIPredicate::sle, at.add(key, count),
                 range.insideEnd));
  SmallVector<Type> types(exponents.size(), rowType());
  auto choice = scf::IfOp::create(b, types, isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, exponents);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, hide());
  return SmallVector<Value>(choice.getResults());
}

/// The weights of keys, powers of `exponents` less their queries' references,
/// and last their sum. References move up where an exponent exceeds them by
/// more than the slack.
SmallVector<Value> ScoreWalk::emitWeighed(ArrayRef<Value> exponents, Value head,
                                          Value row) {
  Value factor = scalesExponents() ? splat(body.queryFactor()) : Value();
  auto less = [&](Value reference) {
    if (!factor)
      return llvm::map_to_vector(
          exponents, [&](Value exponent) { return sub(exponent, reference); });
    Value term = arith::NegFOp::create(b, reference);
    return llvm::map_to_vector(exponents, [&](Value exponent) -> Value {
      return vector::FMAOp::create(b, exponent, factor, term);
    });
  };
  auto weigh = [&](ArrayRef<Value> shifted) {
    SmallVector<Value> weights;
    Value sum;
    for (; !shifted.empty();
         shifted = shifted.drop_front(body.numExponents())) {
      weights.push_back(
          weighing().emitWeight(shifted.take_front(body.numExponents())));
      sum = sum ? add(sum, weights.back()) : weights.back();
    }
    weights.push_back(sum);
    return weights;
  };
  bool areHalves =
      cast<MemRefType>(weightTile.getType()).getElementType().isF16();
  double most = areHalves ? slackOfHalves : slack;
  Value reference = loadStatistic(head, Reference, operands.place.lane);
  SmallVector<Value> shifted = less(reference);
  auto emitMoved = [&] {
    return less(emitMovedReference(exponents, factor, reference, head, row));
  };
  // Where powers become infinite, their sum tells whether a reference moves: it
  // is needed anyway, and none exceeds it, as none is negative. Several smaller
  // ones together move the reference a little earlier.
  if (isBrief() || sizes.powersOverflow) {
    SmallVector<Value> weights = weigh(shifted);
    return emitIfAny(weights.back(), std::exp2(most), weights,
                     [&] { return weigh(emitMoved()); });
  }
  Value largest = shifted.front();
  for (Value each : ArrayRef<Value>(shifted).drop_front())
    largest = larger(each, largest);
  return weigh(emitIfAny(largest, most, shifted, emitMoved));
}

/// `values`, or where a lane of `largest` exceeds `most` those of `other`.
SmallVector<Value>
ScoreWalk::emitIfAny(Value largest, double most, ArrayRef<Value> values,
                     function_ref<SmallVector<Value>()> other) {
  Value exceeds =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, largest, splat(most));
  Value any =
      vector::ReductionOp::create(b, vector::CombiningKind::OR, exceeds);
  any = LLVM::ExpectOp::create(
      b, any, arith::ConstantOp::create(b, b.getBoolAttr(false)));
  SmallVector<Type> types(values.size(), rowType());
  auto choice = scf::IfOp::create(b, types, any, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, values);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, other());
  return SmallVector<Value>(choice.getResults());
}

/// The largest of `reference` and `exponents`, times `factor` if there is one,
/// which becomes the reference: the weights in front of `row` and all sums are
/// scaled down.
Value ScoreWalk::emitMovedReference(ArrayRef<Value> exponents, Value factor,
                                    Value reference, Value head, Value row) {
  Value lane = operands.place.lane;
  Value largest = reference;
  for (Value exponent : exponents)
    largest = larger(factor ? mul(exponent, factor) : exponent, largest);
  storeStatistic(largest, head, Reference, lane);
  Value lowered = weighing().emitRescale(reference, largest);
  for (Statistic which : {Partial, Sum, Lost})
    storeStatistic(mul(loadStatistic(head, which, lane), lowered), head, which,
                   lane);
  Value first = schedule.weightRow(head);
  emitLoweredRows(lowered, weightTile, first, at.add(first, row));
  schedule.emitLoweredOutputs(lowered, head);
  return largest;
}
