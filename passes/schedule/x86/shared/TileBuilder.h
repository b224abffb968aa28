// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in scratch memory.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_BUILDER_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_BUILDER_H

#include "passes/schedule/x86/shared/Scratch.h"
#include "passes/schedule/x86/shared/TileCode.h"

namespace mixattn {

/// Emits the code of tiles that lie in scratch memory. Several builders may
/// take from the same.
class TileBuilder : public TileCode {
public:
  TileBuilder(mlir::ImplicitLocOpBuilder &b, const TileSizes &sizes,
              Scratch &scratch)
      : TileCode(b, sizes), scratch(scratch) {}

protected:
  /// Whether tiles are only counted.
  bool isCounting() const { return !scratch.memory; }
  /// The next `rows` rows of scratch, as a tile.
  mlir::Value takeTile(int64_t rows);
  /// The same rows as pairs of bf16: row p holds rows 2p and 2p + 1, whose
  /// lanes alternate.
  mlir::Value takePairs(int64_t rows);
  /// The next bytes of scratch as a matrix of f32, or of `element`.
  mlir::Value takeMatrix(int64_t rows, int64_t columns,
                         mlir::Type element = {});
  /// The rest of scratch, from `begin` bytes on, as a tile of `rows` rows
  /// of f32 or of `element`.
  mlir::Value takeRest(mlir::Value rows, mlir::Value begin,
                       mlir::Type element = {});

  Scratch &scratch;

private:
  /// The next bytes of scratch as a buffer of `type`.
  mlir::Value take(mlir::MemRefType type);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_BUILDER_H
