// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of linear attention: features, values and states as tiles.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_BLOCK_H
#define MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_BLOCK_H

#include "passes/schedule/gpu/FeatureNumbers.h"
#include "passes/schedule/mma/LinearSizes.h"

namespace mixattn::mma {

/// Emits what blocks of all kernels of linear attention do.
class LinearBlock {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  LinearBlock(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
              const LinearSizes &sizes)
      : b(b), at(b), kernel(kernel), sizes(sizes),
        buffers(mlir::ValueRange(kernel.getInputs())) {}

  /// A tile of numbers in parts of bf16: their upper bits, the next ones, the
  /// last ones; null where a part is zero or not kept.
  struct Parts {
    mlir::Value high, low = {}, least = {};

    /// Those that there are, from the high ones on.
    Values all() const;
  };
  /// A tile, and the columns after those of copied values.
  struct PartsAndOnes : Parts {
    Parts ones = {};
  };
  /// The term that a quotient adds to its denominator, and the factor of its
  /// result.
  struct Quotient {
    double eps, scale;
  };
  /// Emits the number at a place, an f32.
  using Number =
      llvm::function_ref<mlir::Value(mlir::Value row, mlir::Value column)>;
  /// Emits the numbers, of f32, of a row in a group of columns from `column`
  /// on.
  using Numbers =
      llvm::function_ref<Values(mlir::Value row, mlir::Value column)>;

  /// Begins the code of an item. Column blocks are counted with `heads`.
  void emitItem(tile::GridOp grid);
  /// A tile of `panels` times 64 rows, in two parts or three.
  Parts takeParts(int64_t panels, int64_t columns, int64_t count = 2);
  /// A tile of numbers of `element`.
  mlir::Value takeNumbers(int64_t rows, int64_t columns, mlir::Type element);
  /// A tile of numbers that rows of a chunk share, `count` of each; null where
  /// the features have none.
  mlir::Value takeSharedNumbers(FeatureNumbers &features, int64_t count);
  PartsAndOnes rowsOf(const PartsAndOnes &tile, int64_t first, int64_t count);
  PartsAndOnes panelOf(const PartsAndOnes &tile, int64_t panel) {
    constexpr int64_t chunk = LinearSizes::chunk;
    return rowsOf(tile, panel * chunk, chunk);
  }
  /// A tile for the rows of a chunk of `operand`, as they are, of `matrices`
  /// matrices one below the other.
  mlir::Value takeRows(mlir::Value operand, int64_t matrices = 1);
  /// Begins to copy `matrix`, from row `first` on, to rows `place` of `tile`:
  /// zeros from row `end` on.
  void beginCopy(mlir::Value matrix, mlir::Value first, mlir::Value end,
                 mlir::Value tile, int64_t place = 0);
  /// The matrix of `operand` at `leading`.
  mlir::Value matrixOf(mlir::Value operand,
                       llvm::ArrayRef<mlir::Value> leading) {
    return KernelBuffers::matrixAt(b, buffers.bufferOf(operand), leading);
  }
  /// The block's columns of `matrix`, which has all of them.
  mlir::Value columnsOf(mlir::Value matrix);
  /// Waits for all copies, and for the block.
  void emitWaitForCopies() { tile::MmaWaitOp::create(b, 0); }
  /// An element of `tile`, in f32.
  mlir::Value readTile(mlir::Value tile, mlir::Value row, mlir::Value column);
  /// Writes `numbers`, rounded, side by side to a row of `tile`.
  void writeRow(mlir::ValueRange numbers, mlir::Value tile, mlir::Value row,
                mlir::Value column);
  /// Has threads write all numbers of `tile`, of a group, or of `columns` of
  /// it, at a time.
  void emitNumbers(const Parts &tile, Numbers numbers,
                   int64_t columns = LinearSizes::group);
  /// Writes a fragment to a panel.
  void emitPanel(const Parts &panel, mlir::Value fragment);
  /// Emits `count` features of a row, from `feature` on.
  using Features = llvm::function_ref<Values(
      mlir::Value row, mlir::Value feature, int64_t count)>;
  /// Features of the `count` rows of a chunk, and zeros. Those that are
  /// `pointwise` are made in groups.
  void emitFeatures(const Parts &tile, mlir::Value count, bool pointwise,
                    Features features);
  void emitBarrier();
  /// Waits until what a warp stored may be written again by any lane of it.
  void emitWaitForStores();
  /// The sum of `sum` and the product of `left` and `right`, but for what both
  /// leave out: that of the pairs of parts that LinearSizes::pairsOf() gives.
  /// Both are tiles of one panel; `left` may be an operand.
  mlir::Value emitProduct(const Parts &left, bool isTurned,
                          const PartsAndOnes &right, bool isTransposed,
                          mlir::Value sum);
  /// `fragment` as the left side of products.
  Parts asOperands(mlir::Value fragment);
  /// The quotients of `sums`, a fragment of the block's columns, and zeros
  /// where the denominator is.
  mlir::Value emitQuotients(mlir::Value sums, const Quotient &quotient);
  mlir::Value emitQuotient(mlir::Value sum, mlir::Value total,
                           const Quotient &quotient);
  /// Computes the warp's rows again, a column a lane, where `results` have NaN:
  /// parts of an infinity, or values that a query does not see, may have made
  /// it. `sum` gives a row's sum in a column. Of `matrix` there are `count`
  /// rows from `first` on.
  void emitRowsAgain(mlir::Value results, mlir::Value matrix, mlir::Value first,
                     mlir::Value count, const Quotient &quotient, Number sum);
  /// Whether a row of `fragment` that the warp has is NaN somewhere.
  mlir::Value isSomeNaN(mlir::Value fragment);
  /// A number of a tile, of all its parts. Of features number `feature` is in
  /// column `feature` mod 64 of a panel.
  mlir::Value numberAt(const PartsAndOnes &tile, mlir::Value row,
                       mlir::Value column);
  mlir::Value featureAt(const PartsAndOnes &tile, mlir::Value row,
                        mlir::Value feature) {
    constexpr int64_t chunk = LinearSizes::chunk;
    return numberAt(tile, at.add(at.mul(at.div(feature, chunk), chunk), row),
                    at.rem(feature, chunk));
  }
  /// The sum of what `term` gives for numbers from 0 to before `end`.
  mlir::Value emitSum(mlir::Value end,
                      llvm::function_ref<mlir::Value(mlir::Value)> term);
  /// Writes those of 64 rows of `matrix`, of the block's columns, from `first`
  /// on that are before `rows`.
  void emitStore(mlir::Value fragment, mlir::Value matrix, mlir::Value first,
                 mlir::Value rows);

  /// Runs `inside` with every number from `begin` to `end`, a step each.
  void forEach(mlir::Value begin, mlir::Value end, int64_t step,
               llvm::function_ref<void(mlir::Value)> inside);
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> inside);
  /// `number` where `condition` holds, which is not computed elsewhere: then 0.
  mlir::Value numberIf(mlir::Value condition, mlir::Type type,
                       llvm::function_ref<mlir::Value()> number) {
    return numbersIf(condition, type, [&] { return Values{number()}; })[0];
  }
  Values numbersIf(mlir::Value condition, llvm::ArrayRef<mlir::Type> types,
                   llvm::function_ref<Values()> numbers);
  /// New fragments of `operands`, element by element.
  Values map(mlir::ValueRange operands, size_t results,
             llvm::function_ref<Values(mlir::Value row, mlir::Value column,
                                       mlir::ValueRange elements)>
                 element);
  mlir::Value read(mlir::Value operand, mlir::ValueRange place);
  mlir::Value number(double value) {
    return mlir::arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  mlir::Value zeros(int64_t columns);
  mlir::Value sizeOf(mlir::Value operand, int64_t dim) {
    return b.createOrFold<mlir::memref::DimOp>(buffers.bufferOf(operand), dim);
  }
  mlir::Value isBelow(mlir::Value number, IndexMath::Index bound) {
    return at.compare(mlir::arith::CmpIPredicate::slt, number, bound);
  }
  mlir::Value both(mlir::Value first, mlir::Value second) {
    return mlir::arith::AndIOp::create(b, first, second);
  }

  mlir::ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  const LinearSizes &sizes;
  KernelBuffers buffers;
  mlir::Value thread, batch, head, firstColumn;

private:
  friend class LinearQueries;

  Values splitInParts(mlir::Value number, size_t count);

  int64_t taken = 0;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_BLOCK_H
