// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projected lengths: keys and values become few before a kernel reads them.

#include "passes/schedule/x86/shared/Projections.h"
#include "dialect/tile/TileOps.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/Threads.h"
#include "passes/schedule/x86/shared/TileBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits a tile of rows of projection * sequence: lanes are rows.
class ProjectionTile : public TileBuilder {
public:
  ProjectionTile(ImplicitLocOpBuilder &b, const TileSizes &sizes, Value scratch,
                 int64_t features)
      : TileBuilder(b, sizes, scratch), features(features) {}

  int64_t bytes() const { return bytesOf(sizes.block + features + 1); }

  /// target[row] = sum_j projection[row][j] sequence[j], for `rows` rows from
  /// `first` on.
  void emit(Value projection, Value sequence, Value first, Value rows,
            Value target);

private:
  int64_t features;
};

} // namespace

void ProjectionTile::emit(Value projection, Value sequence, Value first,
                          Value rows, Value target) {
  Value weights = takeTile(sizes.block), sums = takeTile(features);
  Value ones = takeTile(1), zero = at.value(0);
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
  tile::UnpackOp::create(b, sums, ones, target, first, rows);
}

/// The product of `projection`, [C,S], with each matrix of `sequence`,
/// [B,H,S,D], in a new buffer of f32.
static Value emitProjected(ImplicitLocOpBuilder &b, Value sequence,
                           Value projection, TileSizes sizes) {
  IndexMath at(b);
  auto type = cast<MemRefType>(sequence.getType());
  int64_t heads = type.getDimSize(1), features = type.getDimSize(3);
  int64_t rows = cast<MemRefType>(projection.getType()).getDimSize(0);
  sizes.width =
      std::clamp(int64_t(llvm::PowerOf2Ceil(rows)), sizes.lanes, sizes.width);
  Value batches = b.createOrFold<memref::DimOp>(sequence, 0);
  Value length = b.createOrFold<memref::DimOp>(sequence, 2);
  SmallVector<Value> open;
  if (type.isDynamicDim(0))
    open.push_back(batches);
  Value result = memref::AllocOp::create(
      b,
      MemRefType::get({type.getDimSize(0), heads, rows, features},
                      b.getF32Type()),
      open, b.getI64IntegerAttr(64));
  int64_t tiles = llvm::divideCeil(rows, sizes.width);
  Value terms = at.mul(at.mul(batches, length), heads * rows * features);
  emitThreads(
      b, at.mul(batches, heads * tiles),
      at.compare(arith::CmpIPredicate::sgt, terms, calibration::fewProjected),
      at.value(ProjectionTile(b, sizes, {}, features).bytes()),
      [&](ImplicitLocOpBuilder &b, Value item, Value scratch) {
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
  return result;
}

KernelOp mixattn::scheduleProjections(KernelOp kernel, const TileSizes &sizes) {
  auto op = dyn_cast<GenericOp>(kernel.getComputation());
  if (!op || !op.getKeyProjection())
    return kernel;
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto project = [&](Value sequence, Value projection) {
    return emitProjected(b, kernel.getOperandOf(sequence),
                         kernel.getOperandOf(projection), sizes);
  };
  Value key = project(op.getKey(), op.getKeyProjection());
  Value value = project(op.getValue(), op.getValueProjection());

  // The same kernel, which reads them.
  SmallVector<Value> arguments;
  KernelOp next = kernel.cloneWith(b, {key, value}, arguments);
  auto projected = cast<GenericOp>(next.getComputation());
  projected.getKeyMutable().assign(arguments[0]);
  projected.getValueMutable().assign(arguments[1]);
  projected.getKeyProjectionMutable().clear();
  projected.getValueProjectionMutable().clear();
  memref::DeallocOp::create(b, value);
  memref::DeallocOp::create(b, key);
  kernel.erase();
  return next;
}
