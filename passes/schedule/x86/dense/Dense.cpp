// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dense schedule: tiles of a contraction's result.

#include "passes/schedule/x86/dense/Dense.h"

#include "dialect/tile/TileOps.h"
#include "passes/body/ScoreBody.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/TileBuilder.h"
#include "passes/schedule/x86/shared/Widen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits one tile of the result: some rows, and as many columns as a tile has
/// lanes.
class DenseTile : public TileBuilder {
public:
  DenseTile(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
            Scratch &scratch)
      : TileBuilder(b, sizes, scratch), kernel(kernel),
        op(cast<linalg::MatmulOp>(kernel.getAnchor())),
        left(kernel.getOperandOf(op.getInputs()[0])),
        right(kernel.getOperandOf(op.getInputs()[1])),
        target(kernel.getOutputs()[0]) {}

  /// Rows of a tile, and terms of a sum that are added up from zero: sums of
  /// any depth stay exact (mostInPart).
  static constexpr int64_t rows = 64, piece = 128;

  void takeScratch() {
    sumTile = takeTile(rows);
    panel = takeTile(piece);
  }

  void emit(Value firstRow, Value firstColumn);

private:
  Value sizeOf(Value buffer, int64_t dim) {
    return b.createOrFold<memref::DimOp>(buffer, dim);
  }
  /// The first lanes of those from `column` on that the result has.
  Value emitIsThere(Value column) {
    return vector::CreateMaskOp::create(
        b, VectorType::get({sizes.lanes}, b.getI1Type()),
        ValueRange{at.sub(sizeOf(target, 1), column)});
  }
  Value loadLanes(Value buffer, ValueRange place, Value isThere);
  void emitPanel(Value first, Value count, Value firstColumn);
  void emitProducts(Value firstRow, Value row, Value first, Value count);
  Value emitOperand(Value operand, AffineMap map, ValueRange place,
                    Value isThere);
  Value emitConsumers(Value result, ValueRange place, Value isThere);

  KernelOp kernel;
  linalg::MatmulOp op;
  Value left, right, target;
  Value sumTile, panel;
};

} // namespace

/// Lanes of `buffer` from `place` on, as f32, those that `isThere` says.
Value DenseTile::loadLanes(Value buffer, ValueRange place, Value isThere) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({sizes.lanes}, element);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value lanes =
      vector::MaskedLoadOp::create(b, type, buffer, place, isThere, zero);
  return element.isF32()
             ? lanes
             : arith::ExtFOp::create(b, rowType(), lanes).getResult();
}

/// Packs `count` rows of the right side from `first` on, with zeros in columns
/// that it does not have.
void DenseTile::emitPanel(Value first, Value count, Value firstColumn) {
  forEach(0, count, 1, [&](Value row) {
    forEachLane([&](Value lane) {
      Value column = at.add(firstColumn, lane);
      store(loadLanes(right, ValueRange{at.add(first, row), column},
                      emitIsThere(column)),
            panel, row, lane);
    });
  });
}

/// Adds the products of `count` terms from `first` on to a few rows of sums,
/// from `row` on.
void DenseTile::emitProducts(Value firstRow, Value row, Value first,
                             Value count) {
  SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0), first};
  SmallVector<OpFoldResult> extents = {sizeOf(left, 0), count};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  Value part = memref::SubViewOp::create(b, left, offsets, extents, strides);
  tile::ProductClauses clauses;
  // Rows beyond the last one are not stored.
  clauses.last = at.sub(sizeOf(left, 0), 1);
  clauses.count = count;
  clauses.accumulates = true;
  tile::ProductOp::create(b, part, at.add(firstRow, row), panel,
                          rowsOf(sumTile, row, sizes.rows), clauses);
}

/// The operand of a pointwise op at row `place[0]` and the lanes from column
/// `place[1]` on: one number for all of them where the map has no column.
Value DenseTile::emitOperand(Value operand, AffineMap map, ValueRange place,
                             Value isThere) {
  if (!isa<MemRefType>(operand.getType()))
    return operand;
  SmallVector<Value> indices;
  bool hasLanes = false;
  for (AffineExpr expr : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    hasLanes |= dim == 1;
    indices.push_back(place[dim]);
  }
  if (hasLanes)
    return loadLanes(operand, indices, isThere);
  Value number = memref::LoadOp::create(b, operand, indices);
  return vector::BroadcastOp::create(b, rowType(),
                                     toF32(b, b.getLoc(), number));
}

/// `result`, a row of lanes, as the kernel's pointwise ops change it.
Value DenseTile::emitConsumers(Value result, ValueRange place, Value isThere) {
  DenseMap<Value, Value> made = {{op->getResult(0), result}};
  for (Operation *each : kernel.getConsumers()) {
    auto consumer = cast<linalg::GenericOp>(each);
    SmallVector<Value> lanes;
    for (OpOperand *input : consumer.getDpsInputOperands()) {
      Value value = input->get();
      lanes.push_back(made.contains(value)
                          ? made.lookup(value)
                          : emitOperand(kernel.getOperandOf(value),
                                        consumer.getMatchingIndexingMap(input),
                                        place, isThere));
    }
    Block *body = consumer.getBody();
    result = emitWide(
                 b, b.getLoc(), lanes,
                 [&](OpBuilder &scalar, ValueRange elements) {
                   IRMapping mapping;
                   mapping.map(body->getArguments().take_front(elements.size()),
                               elements);
                   llvm::SetVector<Value> constants;
                   getUsedValuesDefinedAbove(consumer.getRegion(), constants);
                   for (Value constant : constants)
                     mapping.map(
                         constant,
                         scalar.clone(*constant.getDefiningOp())->getResult(0));
                   for (Operation &inner : body->without_terminator())
                     scalar.clone(inner, mapping);
                   return SmallVector<Value>{
                       mapping.lookup(body->getTerminator()->getOperand(0))};
                 },
                 [](OpBuilder &, memref::LoadOp, ArrayRef<Value>) -> Value {
                   llvm_unreachable("bodies of pointwise ops load nothing");
                 })
                 .front();
    made[consumer->getResult(0)] = result;
  }
  return result;
}

void DenseTile::emit(Value firstRow, Value firstColumn) {
  takeScratch();
  Value here = at.min(at.sub(sizeOf(left, 0), firstRow), rows);
  forEach(0, rows, 1, [&](Value row) {
    forEachLane([&](Value lane) { store(splat(0), sumTile, row, lane); });
  });
  Value depth = sizeOf(left, 1);
  forEach(0, depth, piece, [&](Value first) {
    Value count = at.min(at.sub(depth, first), piece);
    emitPanel(first, count, firstColumn);
    forEach(0, here, sizes.rows,
            [&](Value row) { emitProducts(firstRow, row, first, count); });
  });
  forEach(0, here, 1, [&](Value row) {
    forEachLane([&](Value lane) {
      SmallVector<Value> place = {at.add(firstRow, row),
                                  at.add(firstColumn, lane)};
      Value isThere = emitIsThere(place[1]);
      Value result = emitConsumers(load(sumTile, row, lane), place, isThere);
      vector::MaskedStoreOp::create(b, target, place, isThere, result);
    });
  });
}

std::string mixattn::whyNotFused(Operation *anchor, Operation *consumer) {
  auto generic = cast<linalg::GenericOp>(consumer);
  auto isF32 = [](Type type) { return getElementTypeOrSelf(type).isF32(); };
  if (!isF32(generic.getResult(0).getType()))
    return "its result is not f32";
  for (OpOperand *input : generic.getDpsInputOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(input);
    if (input->get() == anchor->getResult(0) && !map.isIdentity())
      return "it permutes the anchor's result";
    if (!map.isProjectedPermutation() ||
        (map.getNumResults() == 2 && !map.isIdentity()))
      return "it permutes an operand";
    if (!isa<FloatType>(getElementTypeOrSelf(input->get().getType())) ||
        getElementTypeOrSelf(input->get().getType()).isF64())
      return "it reads what is no float of 32 bits or less";
  }
  for (BlockArgument output : generic.getRegionOutputArgs())
    if (!output.use_empty())
      return "it reads the tensor that it is computed in";
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(generic.getRegion(), captured);
  if (llvm::any_of(captured, [](Value value) {
        return !matchPattern(value, m_Constant());
      }))
    return "it captures a number";
  for (Operation &inner : generic.getBody()->without_terminator()) {
    bool isConstant = inner.hasTrait<OpTrait::ConstantLike>();
    if (!isConstant && !OpTrait::hasElementwiseMappableTraits(&inner))
      return "'" + inner.getName().getStringRef().str() +
             "' is not elementwise";
    if (llvm::any_of(inner.getResultTypes(), [](Type type) {
          return isa<FloatType>(type) && !type.isF32();
        }))
      return "it computes in another type than f32";
  }
  return "";
}

void mixattn::scheduleDense(KernelOp kernel, const TileSizes &sizes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<linalg::MatmulOp>(kernel.getAnchor());
  auto sizeOf = [&](unsigned input, int64_t dim) {
    return b.createOrFold<memref::DimOp>(
        kernel.getOperandOf(op.getInputs()[input]), dim);
  };
  Value rows = sizeOf(0, 0), depth = sizeOf(0, 1), columns = sizeOf(1, 1);
  auto tilesOf = [&](Value size, int64_t tile) {
    return at.div(at.add(size, tile - 1), tile);
  };
  Value panels = tilesOf(columns, sizes.width);
  Value terms = at.mul(at.mul(rows, columns), depth);
  Scratch counted;
  DenseTile(b, kernel, sizes, counted).takeScratch();
  emitGrid(
      b, at.mul(tilesOf(rows, DenseTile::rows), panels),
      at.compare(arith::CmpIPredicate::sgt, terms, calibration::fewProjected),
      at.value(counted.taken),
      [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
        IndexMath at(b);
        DenseTile(b, kernel, sizes, scratch)
            .emit(at.mul(at.div(item, panels), DenseTile::rows),
                  at.mul(at.rem(item, panels), sizes.width));
      });
  kernel.erase();
}
