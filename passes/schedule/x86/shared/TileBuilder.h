// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in scratch memory.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_BUILDER_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_BUILDER_H

#include "passes/schedule/x86/shared/TileCode.h"

namespace mixattn {

/// Emits the code of tiles that have scratch memory.
class TileBuilder : public TileCode {
public:
  /// `scratch` is the thread's memory, `memref<?xi8>`. Where it is null, tiles
  /// that are taken are null, and only their bytes are counted.
  TileBuilder(mlir::ImplicitLocOpBuilder &b, const TileSizes &sizes,
              mlir::Value scratch)
      : TileCode(b, sizes), scratch(scratch) {}

  /// The bytes of scratch that were taken, or counted.
  int64_t bytesTaken() const { return scratchUsed; }

protected:
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

  mlir::Value scratch;

private:
  /// The next bytes of scratch as a buffer of `type`.
  mlir::Value take(mlir::MemRefType type);

  int64_t scratchUsed = 0;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_BUILDER_H
