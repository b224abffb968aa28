// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in shared memory: where they lie, what is copied there and read.

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
    As many rows as the result has, from `row` on: those that follow, or every
    so many of them as the result's type says.

    - (C1) the result differs in the number of rows alone, and in which of them.

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

def Tile_SharedReadOp : Tile_Op<"shared_read", [TypesMatchWith<
    "element of the tile", "tile", "element",
    "::llvm::cast<SharedType>($_self).getElementType()">]> {
  let summary = "An element of a padded tile";
  let description = [{
    `tile[row][column]`, which must have been written before.

    ```mlir
    func.func @f(%row: index, %column: index) -> bf16 {
      %bias = tile.shared_tile at 0 : !tile.shared<64x64xbf16, padded>
      %x = tile.shared_read %bias[%row, %column]
          : !tile.shared<64x64xbf16, padded>
      return %x : bf16
    }
    ```
  }];
  let arguments = (ins Arg<Tile_PaddedTile, "", [MemRead]>:$tile, Index:$row,
      Index:$column);
  let results = (outs AnyType:$element);
  let assemblyFormat = [{
    $tile `[` $row `,` $column `]` attr-dict `:` type($tile)
  }];
}

def Tile_SharedWriteOp : Tile_Op<"shared_write", [TypesMatchWith<
    "element of the tile", "tile", "element",
    "::llvm::cast<SharedType>($_self).getElementType()">]> {
  let summary = "Writes an element of a padded tile";
  let description = [{
    `tile[row][column]` becomes `element`. Other threads read it after a
    barrier.

    ```mlir
    func.func @f(%x: f32, %row: index, %column: index) {
      %numbers = tile.shared_tile at 0 : !tile.shared<4x64xf32, padded>
      tile.shared_write %x into %numbers[%row, %column]
          : !tile.shared<4x64xf32, padded>
      return
    }
    ```
  }];
  let arguments = (ins AnyType:$element,
      Arg<Tile_PaddedTile, "", [MemWrite]>:$tile, Index:$row, Index:$column);
  let assemblyFormat = [{
    $element `into` $tile `[` $row `,` $column `]` attr-dict `:` type($tile)
  }];
}

def Tile_SharedWriteRowOp : Tile_Op<"shared_write_row"> {
  let summary = "Writes elements side by side of a padded tile";
  let description = [{
    `tile[row][column + i]` becomes element i, by one store. Other threads read
    them after a barrier.

    `column` is a multiple of the number of elements.

    - (C1) elements are of the tile's type, and take 2, 4, 8 or 16 bytes.

    ```mlir
    func.func @f(%x: vector<8xbf16>, %row: index, %column: index) {
      %features = tile.shared_tile at 0 : !tile.shared<64x64xbf16, padded>
      tile.shared_write_row %x into %features[%row, %column]
          : vector<8xbf16>, !tile.shared<64x64xbf16, padded>
      return
    }
    ```
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$elements,
      Arg<Tile_PaddedTile, "", [MemWrite]>:$tile, Index:$row, Index:$column);
  let assemblyFormat = [{
    $elements `into` $tile `[` $row `,` $column `]` attr-dict
    `:` type($elements) `,` type($tile)
  }];
  let hasVerifier = 1;
}

def Tile_FetchOp : Tile_Op<"fetch"> {
  let summary = "Begins to copy a part of a buffer to shared memory";
  let description = [{
    `tile[r][c]` becomes the element of `source` that is r further on along its
    last dim but one and c along its last than `indices` say, or 0 where the
    source has no such element. A source of one dim has one row.

    `threads` threads copy together: those of the block, whose number divides by
    it, or each warp for itself. The tile is there once they have waited:
    `tile.fetched`, or `tile.mma.wait` as for `tile.mma.copy`.

    Copies are asynchronous, of 16 bytes where all rows begin at a multiple of
    16, else of 4 where they do at a multiple of 4. Other rows, of 8 or 16 bits
    an element, go through registers. Nothing is read that is not the source's.

    - (C1) there is an index for each dim of the source.
    - (C2) the source is contiguous along its last dim, and has elements of the
      tile's type.

    ```mlir
    func.func @f(%bias: memref<8x?x?xbf16>, %h: index, %i: index, %j: index) {
      %tile = tile.shared_tile at 0 : !tile.shared<16x64xbf16, padded>
      tile.fetch %bias[%h, %i, %j] into %tile threads 32
          : memref<8x?x?xbf16>, !tile.shared<16x64xbf16, padded>
      tile.fetched
      return
    }
    ```
  }];
  let arguments = (ins Arg<AnyStridedMemRef, "", [MemRead]>:$source,
      Variadic<Index>:$indices, Arg<Tile_PaddedTile, "", [MemWrite]>:$tile,
      ConfinedAttr<I64Attr, [IntPositive]>:$threads);
  let assemblyFormat = [{
    $source `[` $indices `]` `into` $tile `threads` $threads attr-dict
    `:` type($source) `,` type($tile)
  }];
  let hasVerifier = 1;
}

def Tile_FetchedOp : Tile_Op<"fetched"> {
  let summary = "Waits for what the warp copies";
  let description = [{
    Goes on when all copies of the warp's lanes are there, and all lanes have
    come here: they may read what any of them copied, and overwrite what any of
    them has read.

    ```mlir
    func.func @f() {
      tile.fetched
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // MIXATTN_DIALECT_TILE_SHARED_OPS_TD
