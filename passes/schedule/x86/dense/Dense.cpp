// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dense schedule: a grid of tiles of a contraction's result.

#include "passes/schedule/x86/dense/Dense.h"

#include "passes/schedule/x86/dense/DenseTile.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/Grid.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

std::string mixattn::whyNotFused(Operation *anchor, Operation *consumer) {
  auto generic = cast<linalg::GenericOp>(consumer);
  auto isF32 = [](Type type) { return getElementTypeOrSelf(type).isF32(); };
  if (!isF32(generic.getResult(0).getType()))
    return "its result is not f32";
  for (OpOperand *input : generic.getDpsInputOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(input);
    if (input->get() == anchor->getResult(0) && !map.isIdentity())
      return "it permutes the anchor's result";
    // Lanes are read as they lie.
    std::optional<unsigned> lanes = findLoop(map, map.getNumDims() - 1);
    if (!map.isProjectedPermutation() ||
        (lanes && *lanes != map.getNumResults() - 1))
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

void mixattn::scheduleDense(KernelOp kernel, const TileSizes &usual) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  Contraction op = *findContraction(kernel.getAnchor());
  // As wide as the lanes that there are.
  TileSizes sizes = usual;
  int64_t columns = op.dimOf(op.lane).size();
  while (!ShapedType::isDynamic(columns) && sizes.width > sizes.lanes &&
         sizes.width / 2 >= columns)
    sizes = sizes.withWidth(sizes.width / 2);
  Scratch counted;
  DenseTile shape(b, kernel, op, sizes, counted);
  shape.takeScratch();
  auto tilesOf = [&](unsigned loop, int64_t tile) {
    return at.div(at.add(shape.sizeOf(loop), tile - 1), tile);
  };
  Value panels = tilesOf(op.lane, sizes.width);
  Value items = at.mul(tilesOf(op.row, DenseTile::rows), panels);
  Value terms = at.mul(at.mul(shape.sizeOf(op.row), shape.sizeOf(op.lane)),
                       shape.sizeOf(op.depth));
  SmallVector<std::pair<unsigned, Value>> others;
  for (unsigned loop : op.others) {
    others.emplace_back(loop, shape.sizeOf(loop));
    items = at.mul(items, others.back().second);
    terms = at.mul(terms, others.back().second);
  }
  for (unsigned loop : op.otherDepths)
    terms = at.mul(terms, shape.sizeOf(loop));
  Value blocks = tilesOf(op.row, DenseTile::rows);
  emitGrid(
      b, items,
      at.compare(arith::CmpIPredicate::sgt, terms, calibration::fewProjected),
      at.value(counted.taken),
      [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
        IndexMath at(b);
        DenseMap<unsigned, Value> place;
        place[op.lane] = at.mul(at.rem(item, panels), sizes.width);
        Value rest = at.div(item, panels);
        place[op.row] = at.mul(at.rem(rest, blocks), DenseTile::rows);
        rest = at.div(rest, blocks);
        for (auto [loop, size] : llvm::reverse(others)) {
          place[loop] = at.rem(rest, size);
          rest = at.div(rest, size);
        }
        DenseTile(b, kernel, op, sizes, scratch).emit(place);
      });
  kernel.erase();
}
