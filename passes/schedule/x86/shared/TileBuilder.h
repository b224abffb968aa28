// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in scratch memory, and the loops and numbers of one tile's code.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_BUILDER_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_BUILDER_H

#include "passes/body/IndexMath.h"
#include "passes/body/Softmax.h"
#include "passes/schedule/x86/shared/TileSizes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mixattn {

/// Emits the code of tiles of one width.
class TileBuilder {
public:
  /// `scratch` is the thread's memory, `memref<?xi8>`. Where it is null, tiles
  /// that are taken are null, and only their bytes are counted.
  TileBuilder(mlir::ImplicitLocOpBuilder &b, const TileSizes &sizes,
              mlir::Value scratch)
      : b(b), at(b), sizes(sizes), scratch(scratch) {}

  /// The bytes of scratch that were taken, or counted.
  int64_t bytesTaken() const { return scratchUsed; }

protected:
  /// The bytes of `rows` rows of lanes.
  int64_t bytesOf(int64_t rows) const {
    return rows * sizes.width * int64_t(sizeof(float));
  }
  /// `count` rounded up to whole rows of lanes.
  int64_t padded(int64_t count) const {
    return (count + sizes.lanes - 1) / sizes.lanes * sizes.lanes;
  }
  /// The next `rows` rows of scratch, as a tile.
  mlir::Value takeTile(int64_t rows);
  /// The same rows as pairs of bf16: row p holds rows 2p and 2p + 1, whose
  /// lanes alternate.
  mlir::Value takePairs(int64_t rows);
  /// The next bytes of scratch as a matrix of f32, or of `element`.
  mlir::Value takeMatrix(int64_t rows, int64_t columns,
                         mlir::Type element = {});
  /// All that is left of scratch as a tile of `rows` rows.
  mlir::Value takeRest(mlir::Value rows);
  /// `rows` rows of `tile` from `row` on.
  mlir::Value rowsOf(mlir::Value tile, mlir::Value row, int64_t rows);

  /// A loop over numbers, which are known or values.
  template <typename From, typename To>
  void forEach(From from, To to, int64_t step,
               llvm::function_ref<void(mlir::Value)> inside) {
    emitLoop(at.value(from), at.value(to), step, inside);
  }
  /// A loop over the rows of lanes of a tile.
  void forEachLane(llvm::function_ref<void(mlir::Value lane)> inside) {
    forEach(0, sizes.width, sizes.lanes, inside);
  }

  mlir::VectorType rowType() {
    return mlir::VectorType::get({sizes.lanes}, b.getF32Type());
  }
  mlir::Value splat(double number);
  mlir::Value load(mlir::Value tile, mlir::Value row, mlir::Value lane);
  void store(mlir::Value value, mlir::Value tile, mlir::Value row,
             mlir::Value lane);
  /// The first `count` elements of `buffer` from `place` on, as f32; 0 after
  /// them.
  mlir::Value loadSome(mlir::Value buffer, mlir::ValueRange place,
                       mlir::Value count);
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddFOp::create(b, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubFOp::create(b, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, x, y);
  }
  /// Stores two rows of lanes, rounded to bf16, in row `pair` of a tile of
  /// pairs; their lanes alternate. Halves are rounded away from 0.
  void storePair(mlir::Value first, mlir::Value second, mlir::Value tile,
                 mlir::Value pair, mlir::Value lane);
  /// The two rows of row `pair` of a tile of pairs.
  std::pair<mlir::Value, mlir::Value>
  loadPair(mlir::Value tile, mlir::Value pair, mlir::Value lane);
  static bool holdsPairs(mlir::Value tile) {
    return llvm::cast<mlir::MemRefType>(tile.getType())
        .getElementType()
        .isBF16();
  }
  /// Asks for `columns` elements of row `row` of `matrix` from `column` on.
  /// They need not be there: nothing reads them.
  void emitPrefetch(mlir::Value matrix, mlir::Value row, mlir::Value column,
                    int64_t columns, bool isWrite = false);
  /// x where it is above y or y is NaN, else y.
  mlir::Value larger(mlir::Value x, mlir::Value y);
  /// The arithmetic of weights on rows of lanes.
  Softmax softmax();

  mlir::ImplicitLocOpBuilder &b;
  IndexMath at;
  TileSizes sizes;
  mlir::Value scratch;

private:
  /// The next bytes of scratch as a buffer of `type`.
  mlir::Value take(mlir::MemRefType type);
  void emitLoop(mlir::Value from, mlir::Value to, int64_t step,
                llvm::function_ref<void(mlir::Value)> inside);

  int64_t scratchUsed = 0;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_BUILDER_H
