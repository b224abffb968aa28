// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of nvptx: fragments in registers, tiles in shared memory.

#ifndef MIXATTN_DIALECT_TILE_NVPTX_OPS_TD
#define MIXATTN_DIALECT_TILE_NVPTX_OPS_TD

include "dialect/tile/TileDialect.td"

/// A matrix in the device's memory, contiguous along columns, every row of it
/// aligned to 16 bytes.
def Tile_NvptxMatrix : MemRefRankOf<[F16, BF16], [2]>;
def Tile_NvptxFloatMatrix : MemRefRankOf<[F16, BF16, F32], [2]>;
/// A tile in shared memory, of static sizes and strides; every row of it is
/// aligned to 16 bytes.
def Tile_NvptxTile : Type<
    And<[MemRefRankOf<[F16, BF16], [2]>.predicate,
         CPred<"::mixattn::tile::isShared($_self)">]>,
    "tile of f16 or bf16 in shared memory", "::mlir::MemRefType">;
def Tile_NvptxFragment : VectorOfRankAndType<[1], [F32]>;
def Tile_NvptxOperand : VectorOfRankAndType<[1], [F16, BF16]>;
def Tile_NvptxRows : Type<VectorOfLengthAndType<[2], [F32]>.predicate,
      "two rows' f32", "::mlir::VectorType">,
    BuildableType<"::mlir::VectorType::get({2}, $_builder.getF32Type())">;

def Tile_NvptxCopyOp : Tile_Op<"nvptx.copy"> {
  let summary = "Begins to copy rows to shared memory";
  let description = [{
    `tile[r][c] = source[row + r][c]`, and 0 from row `rows` of the source on.
    All threads of the block copy together. The tile is there once they have
    waited for the group of copies that this one belongs to.

    ```mlir
    func.func @f(%k: memref<?x64xbf16>, %row: index, %rows: index,
        %tile: memref<32x64xbf16, strided<[72, 1]>,
                      #gpu.address_space<workgroup>>) {
      tile.nvptx.copy %k[%row] rows %rows into %tile threads 128
          : memref<?x64xbf16>,
            memref<32x64xbf16, strided<[72, 1]>, #gpu.address_space<workgroup>>
      tile.nvptx.commit
      tile.nvptx.wait 0
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_NvptxMatrix, "", [MemRead]>:$source, Index:$row,
      Index:$rows, Arg<Tile_NvptxTile, "", [MemWrite]>:$tile,
      ConfinedAttr<I64Attr, [IntPositive]>:$threads);
  let assemblyFormat = [{
    $source `[` $row `]` `rows` $rows `into` $tile `threads` $threads attr-dict
    `:` type($source) `,` type($tile)
  }];
}

def Tile_NvptxCommitOp : Tile_Op<"nvptx.commit"> {
  let summary = "Ends a group of copies";
  let description = [{
    The copies begun since the last commit are one group.

    ```mlir
    func.func @f() {
      tile.nvptx.commit
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_NvptxWaitOp : Tile_Op<"nvptx.wait"> {
  let summary = "Waits for copies, and for the block";
  let description = [{
    Goes on when at most `pending` groups of copies are under way, in any thread
    of the block, and all threads have come here: what the others copied is
    there, and what they read before may be overwritten.

    ```mlir
    func.func @f() {
      tile.nvptx.wait 1
      return
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Tile_NvptxLoadOp : Tile_Op<"nvptx.load"> {
  let summary = "Rows of a matrix as the left side of products";
  let description = [{
    The warp's 16 rows from `row` on, all columns. Rows from `rows` on are the
    last of the `rows` rows again.

    ```mlir
    func.func @f(%q: memref<?x64xbf16>, %row: index, %rows: index)
        -> vector<32xbf16> {
      %a = tile.nvptx.load %q[%row] rows %rows
          : memref<?x64xbf16> -> vector<32xbf16>
      return %a : vector<32xbf16>
    }
    ```
  }];
  let arguments = (ins Arg<Tile_NvptxMatrix, "", [MemRead]>:$source, Index:$row,
      Index:$rows);
  let results = (outs Tile_NvptxOperand:$operand);
  let assemblyFormat = [{
    $source `[` $row `]` `rows` $rows attr-dict
    `:` type($source) `->` type($operand)
  }];
  let hasVerifier = 1;
}

def Tile_NvptxMmaOp : Tile_Op<"nvptx.mma",
    [AllTypesMatch<["accumulator", "product"]>]> {
  let summary = "Multiplies 16 rows by a tile, and adds";
  let description = [{
    `product = accumulator + operand tile`, or, where `transposed`,
    `accumulator + operand tile^T`: then the rows of the tile are columns of the
    product. Sums are f32. All sizes of the tile are multiples of 16.

    ```mlir
    func.func @f(%q: vector<32xbf16>, %s: vector<16xf32>,
        %tile: memref<32x64xbf16, strided<[72, 1]>,
                      #gpu.address_space<workgroup>>) -> vector<16xf32> {
      %p = tile.nvptx.mma %q, %tile transposed, %s : vector<32xbf16>,
          memref<32x64xbf16, strided<[72, 1]>, #gpu.address_space<workgroup>>,
          vector<16xf32>
      return %p : vector<16xf32>
    }
    ```
  }];
  let arguments = (ins Tile_NvptxOperand:$operand,
      Arg<Tile_NvptxTile, "", [MemRead]>:$tile, UnitAttr:$transposed,
      Tile_NvptxFragment:$accumulator);
  let results = (outs Tile_NvptxFragment:$product);
  let assemblyFormat = [{
    $operand `,` $tile (`transposed` $transposed^)? `,` $accumulator attr-dict
    `:` type($operand) `,` type($tile) `,` type($accumulator)
  }];
  let hasVerifier = 1;
}

def Tile_NvptxMapOp : Tile_Op<"nvptx.map",
    [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "New fragments, element by element";
  let description = [{
    The region is run for every element of the results, with its place as the
    first two arguments: its row (`row` is that of the block's first) and its
    column (`column` is that of the fragment's first). Every operand gives one
    argument more: a fragment its element there, rows the number of the
    element's row. What the region yields are the elements of the results, all
    fragments of one size.

    ```mlir
    func.func @f(%s: vector<16xf32>, %factors: vector<2xf32>, %i: index,
                 %j: index) -> vector<16xf32> {
      %r = tile.nvptx.map [%i, %j] of %s, %factors
          : vector<16xf32>, vector<2xf32> -> vector<16xf32> {
      ^bb0(%row: index, %column: index, %x: f32, %factor: f32):
        %y = arith.mulf %x, %factor : f32
        tile.nvptx.yield %y : f32
      }
      return %r : vector<16xf32>
    }
    ```
  }];
  let arguments = (ins Index:$row, Index:$column,
      Variadic<Tile_NvptxFragment>:$operands_);
  let results = (outs Variadic<Tile_NvptxFragment>:$fragments);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `[` $row `,` $column `]` `of` $operands_ `:` type($operands_)
    `->` type($fragments) $body attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_NvptxYieldOp : Tile_Op<"nvptx.yield",
    [Pure, Terminator, HasParent<"NvptxMapOp">]> {
  let summary = "The elements of new fragments";
  let description = "Ends the region of `tile.nvptx.map`.";
  let arguments = (ins Variadic<F32>:$elements);
  let assemblyFormat = "($elements^ `:` type($elements))? attr-dict";
}

class Tile_NvptxRowOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins Tile_NvptxFragment:$fragment);
  let results = (outs Tile_NvptxRows:$rows);
  let assemblyFormat = "$fragment attr-dict `:` type($fragment)";
}

def Tile_NvptxRowMaxOp : Tile_NvptxRowOp<"nvptx.row_max"> {
  let summary = "The largest element of every row";
  let description = [{
    NaNs are passed over.

    ```mlir
    func.func @f(%s: vector<16xf32>) -> vector<2xf32> {
      %m = tile.nvptx.row_max %s : vector<16xf32>
      return %m : vector<2xf32>
    }
    ```
  }];
}

def Tile_NvptxRowSumOp : Tile_NvptxRowOp<"nvptx.row_sum"> {
  let summary = "The sum of every row";
  let description = [{
    ```mlir
    func.func @f(%s: vector<16xf32>) -> vector<2xf32> {
      %l = tile.nvptx.row_sum %s : vector<16xf32>
      return %l : vector<2xf32>
    }
    ```
  }];
}

def Tile_NvptxToOperandOp : Tile_Op<"nvptx.to_operand", [Pure]> {
  let summary = "A fragment as the left side of a product";
  let description = [{
    Every element is rounded to the nearest f16 or bf16, and stays where it is.

    ```mlir
    func.func @f(%w: vector<16xf32>) -> vector<16xbf16> {
      %a = tile.nvptx.to_operand %w : vector<16xf32> -> vector<16xbf16>
      return %a : vector<16xbf16>
    }
    ```
  }];
  let arguments = (ins Tile_NvptxFragment:$fragment);
  let results = (outs Tile_NvptxOperand:$operand);
  let assemblyFormat = [{
    $fragment attr-dict `:` type($fragment) `->` type($operand)
  }];
}

def Tile_NvptxStoreOp : Tile_Op<"nvptx.store"> {
  let summary = "Writes a fragment to rows of a matrix";
  let description = [{
    The warp's 16 rows from `row` on, all columns, rounded to the element type;
    rows from `rows` on are left alone.

    ```mlir
    func.func @f(%x: vector<32xf32>, %o: memref<?x64xbf16>, %row: index,
                 %rows: index) {
      tile.nvptx.store %x into %o[%row] rows %rows
          : vector<32xf32>, memref<?x64xbf16>
      return
    }
    ```
  }];
  let arguments = (ins Tile_NvptxFragment:$fragment,
      Arg<Tile_NvptxFloatMatrix, "", [MemWrite]>:$target, Index:$row,
      Index:$rows);
  let assemblyFormat = [{
    $fragment `into` $target `[` $row `]` `rows` $rows attr-dict
    `:` type($fragment) `,` type($target)
  }];
}

#endif // MIXATTN_DIALECT_TILE_NVPTX_OPS_TD
