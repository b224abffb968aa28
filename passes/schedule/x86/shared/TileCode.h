// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops, rows of lanes and numbers of one tile's code.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_CODE_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_CODE_H

#include "passes/body/IndexMath.h"
#include "passes/body/Softmax.h"
#include "passes/schedule/x86/shared/TileSizes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mixattn {

/// Emits the code of tiles of one width.
class TileCode {
public:
  TileCode(mlir::ImplicitLocOpBuilder &b, const TileSizes &sizes)
      : b(b), at(b), sizes(sizes) {}

protected:
  /// The bytes of `rows` rows of lanes.
  int64_t bytesOf(int64_t rows) const {
    return rows * sizes.width * int64_t(sizeof(float));
  }
  /// `count` rounded up to whole rows of lanes.
  int64_t padded(int64_t count) const {
    return (count + sizes.lanes - 1) / sizes.lanes * sizes.lanes;
  }
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
  /// A row of lanes of f32 in a tile of f32 or f16, and back.
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

private:
  void emitLoop(mlir::Value from, mlir::Value to, int64_t step,
                llvm::function_ref<void(mlir::Value)> inside);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_CODE_H
