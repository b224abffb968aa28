// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of mma: copies by cp.async, products by mma.sync.

#ifndef MIXATTN_DIALECT_TILE_MMA_OPS_TD
#define MIXATTN_DIALECT_TILE_MMA_OPS_TD

include "dialect/tile/FragmentOps.td"
include "dialect/tile/SharedOps.td"

def Tile_MmaCopyOp : Tile_Op<"mma.copy"> {
  let summary = "Begins to copy rows to shared memory";
  let description = [{
    `tile[r][c] = source[row + r][c]`, and 0 from row `rows` of the source on and
    in columns that it has not. Rows of 4, 8 or 16 bytes and multiples of them
    are copied by cp.async in such pieces; others by loads and stores. All
    threads of the block copy together. The tile is there once they have
    waited for the group of copies that this one belongs to. Rows of a source of
    several matrices come in turn.

    - (C1) the tile has as many columns as the source, or more.
    - (C2) the number of matrices is known.

    ```mlir
    func.func @f(%k: memref<?x64xbf16>, %row: index, %rows: index,
                 %tile: !tile.shared<32x64xbf16, padded>) {
      tile.mma.copy %k[%row] rows %rows into %tile threads 128
          : memref<?x64xbf16>, !tile.shared<32x64xbf16, padded>
      tile.mma.commit
      tile.mma.wait 0
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_Matrix, "", [MemRead]>:$source, Index:$row,
      Index:$rows, Arg<Tile_MmaTile, "", [MemWrite]>:$tile,
      ConfinedAttr<I64Attr, [IntPositive]>:$threads);
  let assemblyFormat = [{
    $source `[` $row `]` `rows` $rows `into` $tile `threads` $threads attr-dict
    `:` type($source) `,` type($tile)
  }];
  let hasVerifier = 1;
}

def Tile_MmaCommitOp : Tile_Op<"mma.commit"> {
  let summary = "Ends a group of copies";
  let description = [{
    The copies begun since the last commit are one group.

    ```mlir
    func.func @f() {
      tile.mma.commit
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_MmaWaitOp : Tile_Op<"mma.wait"> {
  let summary = "Waits for copies, and for the block";
  let description = [{
    Goes on when at most `pending` groups of copies are under way, in any thread
    of the block, and all threads have come here: what the others copied is
    there, and what they read before may be overwritten. Where `own`, a thread
    waits for its own copies alone: of those that nobody reads.

    ```mlir
    func.func @f() {
      tile.mma.wait 1
      tile.mma.wait 0 own
      return
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending,
      UnitAttr:$own);
  let assemblyFormat = "$pending (`own` $own^)? attr-dict";
}

def Tile_MmaLoadOp : Tile_Op<"mma.load"> {
  let summary = "Rows of a matrix as the left side of products";
  let description = [{
    The warp's 16 rows from `row` on, all columns, and zeros up to a multiple of
    16. Rows from `rows` on are the last of the `rows` rows again. Rows of a
    source of several matrices come in turn.

    - (C1) the number of columns is known, and that of matrices.

    ```mlir
    func.func @f(%q: memref<4x?x64xbf16>, %row: index, %rows: index)
        -> vector<32xbf16> {
      %a = tile.mma.load %q[%row] rows %rows
          : memref<4x?x64xbf16> -> vector<32xbf16>
      return %a : vector<32xbf16>
    }
    ```
  }];
  let arguments = (ins Arg<Tile_Matrix, "", [MemRead]>:$source, Index:$row,
      Index:$rows);
  let results = (outs Tile_Operand:$operand);
  let assemblyFormat = [{
    $source `[` $row `]` `rows` $rows attr-dict
    `:` type($source) `->` type($operand)
  }];
  let hasVerifier = 1;
}

def Tile_MmaProductOp : Tile_Op<"mma.product",
    [AttrSizedOperandSegments,
     RangedTypesMatchWith<"products and accumulators have the same types",
                          "accumulators", "products", "$_self">]> {
  let summary = "Multiplies groups of 16 rows by a tile, and adds";
  let description = [{
    For every group of 16 rows: `product = accumulator + left tile`, or, where
    `transposed`, `accumulator + left tile^T`: then the rows of the tile are
    columns of the product. `left` is an operand in registers, or a tile, of
    which warp w takes the rows from 16 w on; where lefts are `turned`, tiles
    whose columns are the rows of the left side. Sums are f32. All sizes of
    tiles are multiples of 16. What is read of the tile serves all groups.

    ```mlir
    func.func @f(%q: vector<32xbf16>, %r: vector<32xbf16>, %s: vector<16xf32>,
                 %tile: !tile.shared<32x64xbf16, padded>)
        -> (vector<16xf32>, vector<16xf32>) {
      %p:2 = tile.mma.product %q, %r by %tile transposed onto %s, %s
          : vector<32xbf16>, vector<32xbf16>
          by !tile.shared<32x64xbf16, padded>
          onto vector<16xf32>, vector<16xf32>
      return %p#0, %p#1 : vector<16xf32>, vector<16xf32>
    }
    ```

    ```mlir
    func.func @state(%k: !tile.shared<32x64xbf16, padded>,
                     %v: !tile.shared<32x16xbf16, padded>,
                     %s: vector<8xf32>) -> vector<8xf32> {
      %p = tile.mma.product turned %k by %v onto %s
          : !tile.shared<32x64xbf16, padded>
          by !tile.shared<32x16xbf16, padded> onto vector<8xf32>
      return %p : vector<8xf32>
    }
    ```
  }];
  let arguments = (ins
      UnitAttr:$turned,
      Arg<Variadic<AnyTypeOf<[Tile_Operand, Tile_MmaTile]>>, "", [MemRead]>:
          $lefts,
      Arg<Tile_MmaTile, "", [MemRead]>:$tile, UnitAttr:$transposed,
      Variadic<Tile_Fragment>:$accumulators);
  let results = (outs Variadic<Tile_Fragment>:$products);
  let builders = [
    /// Lefts that are not turned.
    OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$lefts,
        "::mlir::Value":$tile, "::mlir::UnitAttr":$transposed,
        "::mlir::ValueRange":$accumulators), [{
      build($_builder, $_state, types, ::mlir::UnitAttr(), lefts, tile,
            transposed, accumulators);
    }]>
  ];
  let assemblyFormat = [{
    (`turned` $turned^)? $lefts `by` $tile (`transposed` $transposed^)? `onto` $accumulators
    attr-dict `:` type($lefts) `by` type($tile) `onto` type($accumulators)
  }];
  let hasVerifier = 1;
}

#endif // MIXATTN_DIALECT_TILE_MMA_OPS_TD
