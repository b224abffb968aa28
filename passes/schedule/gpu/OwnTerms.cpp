// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms of keys that a block of threads makes of the keys in shared memory.

#include "passes/schedule/gpu/OwnTerms.h"

#include "passes/body/ScoreBody.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

/// Sums that grow at the same time: an addition waits for the one before.
static constexpr int64_t numSums = 4;

RowTermOp mixattn::findOwnTerm(AttentionOpInterface op) {
  Value term = op.getKeyTerm();
  return term ? term.getDefiningOp<RowTermOp>() : RowTermOp();
}

/// Shifts and terms of the caller's would be read from the device's memory for
/// each key. Where scores or weights of heads meet, registers are scarce.
bool mixattn::makesOwnTerm(AttentionOpInterface op) {
  auto generic = dyn_cast<GenericOp>(op.getOperation());
  if (!generic || op.hasPremix() || op.hasPostmix())
    return false;
  if (generic.getKeyTerm()) {
    RowTermOp own = findOwnTerm(op);
    return own && !own.getShifts() && !own.getTerm();
  }
  return generic.getGaussian() && !generic.getShifts();
}

Value OwnTerm::read(Value operand, ValueRange place) {
  Location loc = b.getLoc();
  return toF32(b, loc, buffers.emitRead(b, loc, operand, place));
}

SmallVector<Value> OwnTerm::emitPriors(Value head) {
  SmallVector<Value> priors;
  if (!op.getPrior())
    return priors;
  for (int64_t r = 0; r < int64_t(op.getFactors().size()); ++r)
    priors.push_back(read(op.getPrior(), {head, at.value(r)}));
  return priors;
}

/// -squares / (2 v) + prior
Value OwnTerm::emitOf(Value component, Value squares, ValueRange priors) {
  auto choose = [&](auto numberOf) {
    Value chosen = numberOf(0);
    for (int64_t r = 1; r < int64_t(op.getFactors().size()); ++r)
      chosen = b.createOrFold<arith::SelectOp>(
          at.compare(arith::CmpIPredicate::eq, component, r), numberOf(r),
          chosen);
    return chosen;
  };
  Value factor =
      choose([&](int64_t r) { return number(-0.5 * op.getFactors()[r]); });
  if (priors.empty())
    return arith::MulFOp::create(b, squares, factor);
  return math::FmaOp::create(b, squares, factor,
                             choose([&](int64_t r) { return priors[r]; }));
}

Value OwnTerm::emit(Value component, ValueRange priors,
                    function_ref<Value(int64_t)> read) {
  SmallVector<Value> sums(numSums, number(0));
  for (int64_t feature = 0; feature < numFeatures(); ++feature) {
    Value x = read(feature), &sum = sums[feature % numSums];
    sum = math::FmaOp::create(b, x, x, sum);
  }
  for (int64_t half = numSums / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half; ++i)
      sums[i] = arith::AddFOp::create(b, sums[i], sums[i + half]);
  return emitOf(component, sums[0], priors);
}

Value OwnTerm::emitAt(ValueRange place) {
  SmallVector<Value> row(place.take_front(2));
  if (op.getRows().getType().getRank() == 5)
    row.push_back(place[2]);
  row.append({place[3], Value()});
  auto loop = scf::ForOp::create(b, at.value(0), at.value(numFeatures()),
                                 at.value(1), number(0));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    row.back() = loop.getInductionVar();
    Value x = read(op.getRows(), row);
    scf::YieldOp::create(
        b, math::FmaOp::create(b, x, x, loop.getRegionIterArg(0)).getResult());
  }
  return emitOf(place[2], loop.getResult(0), emitPriors(place[1]));
}
