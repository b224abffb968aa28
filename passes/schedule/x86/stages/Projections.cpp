// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projected lengths: keys and values become few before an attention reads them.

#include "passes/schedule/x86/stages/Projections.h"
#include "dialect/tile/TileOps.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"
#include "passes/schedule/x86/shared/TileBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits a tile of rows of projection * sequence: lanes are rows.
class ProjectionTile : public TileBuilder {
public:
  ProjectionTile(ImplicitLocOpBuilder &b, const TileSizes &sizes,
                 Scratch &scratch, int64_t features)
      : TileBuilder(b, sizes, scratch), features(features) {}

  void takeScratch() {
    weights = takeTile(sizes.block);
    sums = takeTile(features);
    ones = takeTile(1);
  }

  /// target[row] = sum_j projection[row][j] sequence[j], for `rows` rows from
  /// `first` on.
  void emit(Value projection, Value sequence, Value first, Value rows,
            Value target);

private:
  int64_t features;
  Value weights, sums, ones;
};

} // namespace

void ProjectionTile::emit(Value projection, Value sequence, Value first,
                          Value rows, Value target) {
  takeScratch();
  Value zero = at.value(0);
  forEachLane([&](Value lane) {
    store(splat(1), ones, zero, lane);
    forEach(0, features, 1,
            [&](Value row) { store(splat(0), sums, row, lane); });
  });
  Value length = b.createOrFold<memref::DimOp>(sequence, 0);
  forEach(0, length, sizes.block, [&](Value start) {
    Value count = at.min(at.sub(length, start), sizes.block);
    tile::PackOp::create(b, projection, first, start, rows, count,
                         b.getF32FloatAttr(1.0), weights);
    tile::ProductClauses clauses;
    clauses.isTransposed = clauses.accumulates = true;
    clauses.count = count;
    tile::ProductOp::create(b, sequence, start, weights, sums, clauses);
  });
  tile::UnpackOp::create(b, sums, ones, target, first, rows,
                         /*columns=*/Value());
}

void mixattn::scheduleProjection(KernelOp kernel, const TileSizes &usual) {
  auto op = cast<ProjectOp>(kernel.getAnchor());
  Value sequence = kernel.getOperandOf(op.getSequence());
  Value projection = kernel.getOperandOf(op.getProjection());
  Value result = kernel.getOutputs()[0];
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto type = cast<MemRefType>(sequence.getType());
  int64_t heads = type.getDimSize(1), features = type.getDimSize(3);
  int64_t rows = cast<MemRefType>(projection.getType()).getDimSize(0);
  TileSizes sizes = usual;
  sizes.width =
      std::clamp(int64_t(llvm::PowerOf2Ceil(rows)), sizes.lanes, sizes.width);
  Value batches = b.createOrFold<memref::DimOp>(sequence, 0);
  Value length = b.createOrFold<memref::DimOp>(sequence, 2);
  int64_t tiles = llvm::divideCeil(rows, sizes.width);
  Value terms = at.mul(at.mul(batches, length), heads * rows * features);
  Scratch counted;
  ProjectionTile(b, sizes, counted, features).takeScratch();
  emitGrid(
      b, at.mul(batches, heads * tiles),
      at.compare(arith::CmpIPredicate::sgt, terms, thresholds::fewProjected),
      at.value(counted.taken),
      [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
        IndexMath at(b);
        Value first = at.mul(at.rem(item, tiles), sizes.width);
        Value number = at.div(item, tiles);
        SmallVector<Value> leading = {at.div(number, heads),
                                      at.rem(number, heads)};
        ProjectionTile(b, sizes, scratch, features)
            .emit(projection, KernelBuffers::matrixAt(b, sequence, leading),
                  first, at.min(at.sub(rows, first), sizes.width),
                  KernelBuffers::matrixAt(b, result, leading));
      });
  kernel.erase();
}
