// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in shared memory: where they lie, and parts of them.

#ifndef MIXATTN_DIALECT_TILE_SHARED_OPS_TD
#define MIXATTN_DIALECT_TILE_SHARED_OPS_TD

include "dialect/tile/SharedTypes.td"

def Tile_SharedTileOp : Tile_Op<"shared_tile", [Pure]> {
  let summary = "A tile at a place in shared memory";
  let description = [{
    `offset` bytes from the beginning of the block's dynamic shared memory, of
    which the launch gives as much as all tiles and rings take.

    - (C1) the offset is a multiple of 16 bytes, with a swizzle of 1024: it
      repeats after 8 rows.

    ```mlir
    func.func @f() -> !tile.shared<128x64xbf16, padded> {
      %k = tile.shared_tile at 18432 : !tile.shared<128x64xbf16, padded>
      return %k : !tile.shared<128x64xbf16, padded>
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$offset);
  let results = (outs Tile_SharedType:$tile);
  let assemblyFormat = "`at` $offset attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def Tile_SharedRowsOp : Tile_Op<"shared_rows", [Pure]> {
  let summary = "Rows of a padded tile as a tile";
  let description = [{
    As many rows as the result has, from `row` on.

    - (C1) the result differs in the number of rows alone.

    ```mlir
    func.func @f(%stage: index) -> !tile.shared<32x64xbf16, padded> {
      %stages = tile.shared_tile at 0 : !tile.shared<64x64xbf16, padded>
      %k = tile.shared_rows %stages[%stage]
          : !tile.shared<64x64xbf16, padded> -> !tile.shared<32x64xbf16, padded>
      return %k : !tile.shared<32x64xbf16, padded>
    }
    ```
  }];
  let arguments = (ins Tile_PaddedTile:$source, Index:$row);
  let results = (outs Tile_PaddedTile:$tile);
  let assemblyFormat = [{
    $source `[` $row `]` attr-dict `:` type($source) `->` type($tile)
  }];
  let hasVerifier = 1;
}

#endif // MIXATTN_DIALECT_TILE_SHARED_OPS_TD
