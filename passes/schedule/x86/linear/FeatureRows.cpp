// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feature maps row by row, a vector of features at a time.

#include "passes/schedule/x86/linear/FeatureRows.h"

#include "passes/body/FeatureMap.h"
#include "passes/schedule/x86/shared/Thresholds.h"
#include "passes/schedule/x86/shared/Widen.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

FeatureRows::FeatureRows(ImplicitLocOpBuilder &b, FeatureOpInterface op,
                         int64_t inputs, KernelOperands &operands,
                         const TileSizes &sizes, Scratch &scratch)
    : RowBuilder(b, sizes, scratch), operands(operands), inputs(inputs),
      features(getNumFeatures(op, inputs)), columns(padded(features)), op(op) {}

void FeatureRows::takeFeatureScratch() {
  std::optional<FeatureMapAttr> map = op.getFeatureMap();
  if (map && map->getKind() == FeatureKind::Dpfp)
    stepTile = takeMatrix(1, padded(4 * inputs + sizes.lanes));
  if (map && map->getKind() == FeatureKind::Favor)
    stepTile = takeMatrix(1, padded(inputs));
}

void FeatureRows::emitPrefetchAhead(Value matrix, Value row, bool isWrite) {
  emitPrefetch(matrix, at.add(row, thresholds::chunksAhead * sizes.block),
               at.value(0), cast<MemRefType>(matrix.getType()).getDimSize(1),
               isWrite);
}

Value FeatureRows::emitInput(const Source &source, Value column, Value mask) {
  Value x = loadPart(source.matrix, source.row, column, mask);
  if (!source.shifts)
    return x;
  return add(x, loadPart(source.shifts, source.shiftRow, column, mask));
}

/// `each` of one number, for all of `lanes`.
static Value emitOnLanes(ImplicitLocOpBuilder &b, Value lanes,
                         function_ref<Value(OpBuilder &, Value)> each) {
  return emitWide(
             b, b.getLoc(), cast<VectorType>(lanes.getType()).getDimSize(0),
             lanes,
             [&](OpBuilder &scalar, ValueRange x) -> SmallVector<Value> {
               return {each(scalar, x[0])};
             },
             [](OpBuilder &, memref::LoadOp, ArrayRef<Value>) -> Value {
               llvm_unreachable("feature maps read no memory");
             })
      .front();
}

/// tile[row][d] = each(x[d])
void FeatureRows::emitEach(const Source &source, Value tile, Value row,
                           function_ref<Value(OpBuilder &, Value)> each) {
  forEachPart(inputs, [&](Value column, Value mask) {
    Value y = emitOnLanes(b, emitInput(source, column, mask), each);
    if (mask)
      y = arith::SelectOp::create(b, mask, y, splat(0));
    store(y, tile, row, column);
  });
}

/// Divides a row by its sum; it becomes 0 where that is.
void FeatureRows::emitNormalized(Value tile, Value row) {
  Value sum = emitDot(tile, row, {}, columns);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0));
  Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1.0));
  Value isZero = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, zero);
  Value inverse = arith::DivFOp::create(b, one, sum);
  Value factor =
      spread(arith::SelectOp::create(b, isZero, zero, inverse).getResult());
  forEach(0, columns, sizes.lanes, [&](Value column) {
    store(mul(load(tile, row, column), factor), tile, row, column);
  });
}

/// Zeros after the last feature.
void FeatureRows::emitPadding(Value tile, Value row) {
  if (features != columns)
    storePart(splat(0), tile, row, at.value(columns - sizes.lanes),
              lanesBetween(features % sizes.lanes, sizes.lanes));
}

/// With y = [relu(x), relu(-x)] of width w = 2 D, twice in the row of steps:
/// tile[row][r w + f] = y[f] y[(f - r - 1) mod w].
void FeatureRows::emitRolled(const Source &source, Value tile, Value row) {
  Value zero = at.value(0);
  // Later parts overwrite what earlier ones leave after their last feature.
  for (int64_t half = 0; half < 4; ++half)
    forEachPart(inputs, [&](Value column, Value mask) {
      Value x = emitInput(source, column, mask);
      if (half % 2)
        x = arith::NegFOp::create(b, x);
      Value y = emitOnLanes(b, x, [&](OpBuilder &scalar, Value x) {
        return emitRelu(scalar, b.getLoc(), x);
      });
      store(y, stepTile, zero, at.add(column, half * inputs));
    });
  int64_t width = 2 * inputs;
  for (int64_t r = 0; r < op.getFeatureMap()->getRolls(); ++r)
    forEachPart(width, [&](Value column, Value mask) {
      Value own = load(stepTile, zero, column);
      Value other =
          load(stepTile, zero, at.add(column, width - (r + 1) % width));
      storePart(mul(own, other), tile, row, at.add(column, r * width), mask);
    });
  emitPadding(tile, row);
}

/// With p = x W: tile[row][s m + f] from the exponent +-p[f] - |x|^2 / 2. These
/// are f64: powers would multiply their errors.
void FeatureRows::emitRandom(const Source &source, Value tile, Value row) {
  Value zero = at.value(0);
  emitEach(source, stepTile, zero, [](OpBuilder &, Value x) { return x; });
  Type f64 = b.getF64Type();
  auto type = VectorType::get({sizes.lanes}, f64);
  auto wide = [&](Value x) -> Value {
    return arith::ExtFOp::create(b, isa<VectorType>(x.getType()) ? type : f64,
                                 x);
  };
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  };
  auto sumOf = [&](int64_t count, int64_t step,
                   function_ref<Value(Value)> term) -> Value {
    auto loop = scf::ForOp::create(b, zero, at.value(count), at.value(step),
                                   ValueRange{spread(number(0), type)});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = add(loop.getRegionIterArg(0), term(loop.getInductionVar()));
    scf::YieldOp::create(b, next);
    return loop.getResult(0);
  };
  Value squares = sumOf(padded(inputs), sizes.lanes, [&](Value column) {
    Value x = wide(load(stepTile, zero, column));
    return mul(x, x);
  });
  Value norm = vector::ReductionOp::create(
      b, vector::CombiningKind::ADD, squares, arith::FastMathFlags::reassoc);
  Value half = spread(mul(norm, number(0.5)), type);
  Value projection = operands.bufferOf(op.getProjection());
  forEachPart(features / 2, [&](Value column, Value mask) {
    Value product = sumOf(inputs, 1, [&](Value d) {
      Value x = wide(loadNumber(stepTile, {zero, d}));
      return mul(spread(x, type), wide(loadPart(projection, d, column, mask)));
    });
    Value negated = arith::NegFOp::create(b, product);
    for (int64_t s = 0; s < 2; ++s) {
      Value y = emitOnLanes(
          b, sub(s ? negated : product, half), [&](OpBuilder &scalar, Value x) {
            return emitRandomFeature(scalar, b.getLoc(), x, features);
          });
      storePart(y, tile, row, at.add(column, s * (features / 2)), mask);
    }
  });
  emitPadding(tile, row);
}

void FeatureRows::emitFeatures(const Source &source, Value tile, Value row) {
  auto elu = [&](OpBuilder &scalar, Value x) {
    return emitElu(scalar, b.getLoc(), x);
  };
  std::optional<FeatureMapAttr> map = op.getFeatureMap();
  if (!map)
    return emitEach(source, tile, row, [](OpBuilder &, Value x) { return x; });
  switch (map->getKind()) {
  case FeatureKind::Elu:
    return emitEach(source, tile, row, elu);
  case FeatureKind::NormalizedElu:
    emitEach(source, tile, row, elu);
    return emitNormalized(tile, row);
  case FeatureKind::Relu:
    return emitEach(source, tile, row, [&](OpBuilder &scalar, Value x) {
      return emitRelu(scalar, b.getLoc(), x);
    });
  case FeatureKind::Dpfp:
    return emitRolled(source, tile, row);
  case FeatureKind::Favor:
    return emitRandom(source, tile, row);
  }
  llvm_unreachable("all feature maps are emitted");
}
