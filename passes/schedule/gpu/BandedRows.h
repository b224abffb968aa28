// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights, errors and sums of a few rows of a pool, which lanes of a warp hold
// for each other.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_BANDED_ROWS_H
#define MIXATTN_PASSES_SCHEDULE_GPU_BANDED_ROWS_H

#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/gpu/PoolTables.h"

#include "llvm/Support/MathExtras.h"

namespace mixattn::gpus {

/// Emits the operands, but for values, of rows `first` to before
/// `first + step` of `head`. Lanes side by side hold the weights of one row of
/// the band.
class BandedRows {
public:
  /// Lanes of a warp, and rows that it computes at once: so many loads of a
  /// lane wait for memory at the same time.
  static constexpr int64_t lanes = 32, step = 8;

  BandedRows(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
             const PoolTables &tables, mlir::Value head, mlir::Value lane)
      : b(b), at(b), kernel(kernel),
        op(llvm::cast<StructuredPoolOp>(kernel.getAnchor())), tables(tables),
        buffers(mlir::ValueRange(kernel.getInputs())), head(head), lane(lane),
        places(op.getBand() ? 2 * op.getHalfWidth() + 1 : 1),
        rowLanes(std::max<int64_t>(int64_t(llvm::PowerOf2Ceil(places)),
                                   lanes / step)) {}

  /// Reads weights of the rows from `first` on, if there is a band.
  llvm::SmallVector<mlir::Value> readWeights(mlir::Value first);
  /// Goes on with the rows from `first` on, of which these weights were read.
  /// Reads their columns.
  void begin(mlir::Value first, mlir::ValueRange read);
  /// The number of the first error of the warp, whose rows begin at `first`,
  /// and its row: what emitErrors takes and gives. Nothing where there are
  /// none.
  llvm::SmallVector<mlir::Value> emitFirstError(mlir::Value first);
  /// Adds the errors of the rows to `sums`, those of a row side by side, and to
  /// the sums of weights. `readRow` reads the values of a column.
  llvm::SmallVector<mlir::Value> emitErrors(
      mlir::ValueRange before, llvm::SmallVectorImpl<mlir::Value> &sums,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value)> readRow);

  /// Makes weights that are 0 the positive 0.
  void dropSigns();

  /// In all lanes: weight `t` of row `u`, and the column that the row reads.
  mlir::Value weightOf(int64_t u, int64_t t) {
    return fromLane(weights[u / rowsAtOnce()], laneOf(u) + t);
  }
  mlir::Value columnOf(int64_t u);
  /// `sum` divided by the sum of the weights of row `u`, where rows are: 0
  /// where that is 0.
  mlir::Value emitNormalised(int64_t u, mlir::Value sum);
  /// `sum + weight value`; or `sum` where the weight is 0, if it
  /// `checksWeight`.
  mlir::Value addWeighted(mlir::Value weight, mlir::Value value,
                          mlir::Value sum, bool checksWeight = true);
  mlir::Value number(double value) {
    return mlir::arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Rows whose weights one register of all lanes holds, and the first lane of
  /// row `u`.
  int64_t rowsAtOnce() const { return lanes / rowLanes; }
  int64_t laneOf(int64_t u) const { return u % rowsAtOnce() * rowLanes; }
  /// The row of the lane in register `k`.
  mlir::Value rowOf(int64_t k) {
    return at.add(first, at.add(at.div(lane, rowLanes), k * rowsAtOnce()));
  }
  mlir::Value sizeOf(mlir::Value operand, int64_t dim) {
    return b.createOrFold<mlir::memref::DimOp>(buffers.bufferOf(operand), dim);
  }
  mlir::Value fromLane(mlir::Value number, int64_t from);
  mlir::Value wide(mlir::Value index);
  mlir::Value wideNumber(int64_t value);
  mlir::Value readWeight(mlir::Value row);
  mlir::Value errorAt(mlir::Value error);
  mlir::Value rowOfError(mlir::Value error);
  void makeFactors();

  mlir::ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  StructuredPoolOp op;
  PoolTables tables;
  KernelBuffers buffers;
  mlir::Value head, lane, first;
  /// Places of a row's band, and lanes that hold them.
  int64_t places, rowLanes;
  /// A register each: weights, sums of rows in f64, and the two factors that
  /// divide by these. The columns of rows, a lane each.
  Values weights, rowSums, factors, scales;
  mlir::Value columns;
};

} // namespace mixattn::gpus

#endif // MIXATTN_PASSES_SCHEDULE_GPU_BANDED_ROWS_H
