// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of a tile, what they go through, and results.

#include "passes/schedule/x86/dense/DenseTile.h"

#include "passes/body/ScoreBody.h"
#include "passes/schedule/x86/shared/Widen.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

DenseTile::DenseTile(ImplicitLocOpBuilder &b, KernelOp kernel,
                     const Contraction &op, const TileSizes &sizes,
                     Scratch &scratch)
    : TileBuilder(b, sizes, scratch), kernel(kernel), op(op),
      left(kernel.getOperandOf(op.left)), right(kernel.getOperandOf(op.right)),
      target(kernel.getOutputs()[0]),
      leftLayout(layoutOf(op.leftMap, op.row, op.depth)),
      rightLayout(layoutOf(op.rightMap, op.lane, op.depth)) {
  Value init = this->op.op.getDpsInits()[0];
  if (isa<BlockArgument>(init))
    addend = kernel.getOperandOf(init);
}

void DenseTile::takeScratch() {
  sumTile = takeTile(rows);
  panel = takeTile(piece);
  if (leftLayout != Layout::Terms)
    leftTile = takeMatrix(rows, piece);
}

Value DenseTile::sizeOf(unsigned loop) {
  OperandDim of = op.dimOf(loop);
  return b.createOrFold<memref::DimOp>(kernel.getOperandOf(of.value), of.dim);
}

/// Of the lanes from `lane` on, those that the result has.
Value DenseTile::emitIsThere(Value lane) {
  return vector::CreateMaskOp::create(
      b, VectorType::get({sizes.lanes}, b.getI1Type()),
      ValueRange{at.sub(sizeOf(op.lane), lane)});
}

/// Lanes of `buffer` from `indices` on, as f32, those that `isThere` says.
Value DenseTile::loadLanes(Value buffer, ValueRange indices, Value isThere) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({sizes.lanes}, element);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value lanes =
      vector::MaskedLoadOp::create(b, type, buffer, indices, isThere, zero);
  return element.isF32()
             ? lanes
             : arith::ExtFOp::create(b, rowType(), lanes).getResult();
}

/// The operand of a pointwise op at `indices` of the result, of which the last
/// is the first of a row of lanes: one number for all of them where the map has
/// no such loop.
Value DenseTile::emitOperand(Value operand, AffineMap map, ValueRange indices,
                             Value isThere) {
  if (!isa<MemRefType>(operand.getType()))
    return operand;
  SmallVector<Value> own;
  for (AffineExpr expr : map.getResults())
    own.push_back(indices[cast<AffineDimExpr>(expr).getPosition()]);
  if (findLoop(map, indices.size() - 1))
    return loadLanes(operand, own, isThere);
  Value number = memref::LoadOp::create(b, operand, own);
  return vector::BroadcastOp::create(b, rowType(),
                                     toF32(b, b.getLoc(), number));
}

/// `result`, a row of lanes, as the kernel's pointwise ops change it.
Value DenseTile::emitConsumers(Value result, ValueRange indices,
                               Value isThere) {
  DenseMap<Value, Value> made = {{op.getResult(), result}};
  for (Operation *each : kernel.getConsumers()) {
    auto consumer = cast<linalg::GenericOp>(each);
    SmallVector<Value> lanes;
    for (OpOperand *input : consumer.getDpsInputOperands()) {
      Value value = input->get();
      lanes.push_back(made.contains(value)
                          ? made.lookup(value)
                          : emitOperand(kernel.getOperandOf(value),
                                        consumer.getMatchingIndexingMap(input),
                                        indices, isThere));
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

/// Adds the products of all terms: pieces of the innermost loop of terms, for
/// each place of `loops`, the others.
void DenseTile::emitDepths(ArrayRef<unsigned> loops, Value here) {
  if (!loops.empty())
    return forEach(0, sizeOf(loops.front()), 1, [&](Value index) {
      place[loops.front()] = index;
      emitDepths(loops.drop_front(), here);
    });
  Value depth = sizeOf(op.depth);
  forEach(0, depth, piece, [&](Value first) {
    emitPiece(first, at.min(at.sub(depth, first), piece), here);
  });
}

void DenseTile::emit(const DenseMap<unsigned, Value> &first) {
  takeScratch();
  place = first;
  Value here = at.min(at.sub(sizeOf(op.row), place.lookup(op.row)), rows);
  forEach(0, rows, 1, [&](Value row) {
    forEachLane([&](Value lane) { store(splat(0), sumTile, row, lane); });
  });
  emitDepths(op.otherDepths, here);
  forEach(0, here, 1, [&](Value row) {
    forEachLane([&](Value lane) {
      SmallVector<Value> indices;
      for (AffineExpr expr : op.resultMap.getResults()) {
        unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        Value index = place.lookup(loop);
        indices.push_back(loop == op.row    ? at.add(index, row)
                          : loop == op.lane ? at.add(index, lane)
                                            : index);
      }
      Value isThere = emitIsThere(indices.back());
      Value sum = load(sumTile, row, lane);
      if (addend)
        sum = add(sum, loadLanes(addend, indices, isThere));
      Value result = emitConsumers(sum, indices, isThere);
      vector::MaskedStoreOp::create(b, target, indices, isThere, result);
    });
  });
}
