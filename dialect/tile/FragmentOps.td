// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on fragments: what the threads of a GPU hold in registers.

#ifndef MIXATTN_DIALECT_TILE_FRAGMENT_OPS_TD
#define MIXATTN_DIALECT_TILE_FRAGMENT_OPS_TD

include "dialect/tile/SharedTypes.td"

def Tile_MapOp : Tile_Op<"map",
    [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "New fragments, element by element";
  let description = [{
    The region is run for every element of the results, with its place as the
    first two arguments: its row (`row` is that of the block's first) and its
    column (`column` is that of the fragment's first). Every operand gives one
    argument more: a fragment its element there, rows the number of the
    element's row. What the region yields are the elements of the results, all
    fragments of one size.

    `exps` says for how many of every eight elements of a thread the unit of
    exponentials computes `math.exp2` of the region; for the others a polynomial
    does, on the unit of multiply-adds. Without it that is all. The error of
    both is 2^-22, relative.

    - (C1) `exps` is from 1 to 8.

    ```mlir
    func.func @f(%s: vector<16xf32>, %factors: vector<2xf32>, %i: index,
                 %j: index) -> vector<16xf32> {
      %r = tile.map [%i, %j] of %s, %factors
          : vector<16xf32>, vector<2xf32> -> vector<16xf32> {
      ^bb0(%row: index, %column: index, %x: f32, %factor: f32):
        %y = arith.mulf %x, %factor : f32
        tile.yield %y : f32
      }
      return %r : vector<16xf32>
    }
    ```
  }];
  let arguments = (ins Index:$row, Index:$column,
      Variadic<Tile_Fragment>:$operands_, OptionalAttr<I64Attr>:$exps);
  let results = (outs Variadic<Tile_Fragment>:$fragments);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `[` $row `,` $column `]` `of` $operands_ (`exps` $exps^)? `:`
    type($operands_) `->` type($fragments) $body attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_FragmentYieldOp : Tile_Op<"yield",
    [Pure, Terminator, HasParent<"MapOp">]> {
  let summary = "The elements of new fragments";
  let description = "Ends the region of `tile.map`.";
  let arguments = (ins Variadic<F32>:$elements);
  let assemblyFormat = "($elements^ `:` type($elements))? attr-dict";
}

def Tile_FirstOfPairOp : Tile_Op<"first_of_pair", [Pure, HasParent<"MapOp">]> {
  let summary = "The first column of an element's pair";
  let description = [{
    The elements of a fragment lie in pairs of neighbouring columns, the first of
    which is an even number of columns away from the fragment's first. `column`
    is the column of the region's element, the result that of the first element
    of its pair. What a region computes of the row and of this column alone is
    computed once for both.

    - (C1) `column` is the region's.

    ```mlir
    func.func @f(%s: vector<16xf32>, %i: index, %j: index) -> vector<16xf32> {
      %r = tile.map [%i, %j] of %s : vector<16xf32> -> vector<16xf32> {
      ^bb0(%row: index, %column: index, %x: f32):
        %first = tile.first_of_pair %column
        %number = arith.index_cast %first : index to i32
        %y = arith.sitofp %number : i32 to f32
        tile.yield %y : f32
      }
      return %r : vector<16xf32>
    }
    ```
  }];
  let arguments = (ins Index:$column);
  let results = (outs Index:$first);
  let assemblyFormat = "$column attr-dict";
  let hasVerifier = 1;
}

class Tile_RowOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins Tile_Fragment:$fragment);
  let results = (outs Tile_TwoRows:$rows);
  let assemblyFormat = "$fragment attr-dict `:` type($fragment)";
}

def Tile_RowMaxOp : Tile_RowOp<"row_max"> {
  let summary = "The largest element of each lane's part of every row";
  let description = [{
    Four lanes have a part of each row. NaNs are passed over.

    ```mlir
    func.func @f(%s: vector<16xf32>) -> vector<2xf32> {
      %part = tile.row_max %s : vector<16xf32>
      %m = tile.join_max %part
      return %m : vector<2xf32>
    }
    ```
  }];
}

def Tile_RowSumOp : Tile_RowOp<"row_sum"> {
  let summary = "The sum of each lane's part of every row";
  let description = [{
    Parts may be added up over many fragments before they are joined.

    ```mlir
    func.func @f(%s: vector<16xf32>) -> vector<2xf32> {
      %part = tile.row_sum %s : vector<16xf32>
      %l = tile.join_sum %part
      return %l : vector<2xf32>
    }
    ```
  }];
}

class Tile_JoinOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins Tile_TwoRows:$parts);
  let results = (outs Tile_TwoRows:$rows);
  let assemblyFormat = "$parts attr-dict";
}

def Tile_JoinMaxOp : Tile_JoinOp<"join_max"> {
  let summary = "The largest of the parts that lanes have of each row";
  let description = [{
    All four lanes of a row get the same number. NaNs are passed over. See
    `tile.row_max`.
  }];
}

def Tile_JoinSumOp : Tile_JoinOp<"join_sum"> {
  let summary = "The sum of the parts that lanes have of each row";
  let description = [{
    All four lanes of a row get the same number. See `tile.row_sum`.
  }];
}

def Tile_AnyOp : Tile_Op<"any", [Pure]> {
  let summary = "Whether a condition holds for some row of the warp";
  let description = [{
    All threads of the warp get the same answer.

    ```mlir
    func.func @f(%is_above: vector<2xi1>) -> i1 {
      %some = tile.any %is_above
      return %some : i1
    }
    ```
  }];
  let arguments = (ins Tile_TwoConditions:$rows);
  let results = (outs I1:$any);
  let assemblyFormat = "$rows attr-dict";
}

def Tile_ToOperandOp : Tile_Op<"to_operand", [Pure]> {
  let summary = "A fragment as the left side of a product";
  let description = [{
    Every element is rounded to the nearest f16 or bf16, and stays where it is.

    ```mlir
    func.func @f(%w: vector<16xf32>) -> vector<16xbf16> {
      %a = tile.to_operand %w : vector<16xf32> -> vector<16xbf16>
      return %a : vector<16xbf16>
    }
    ```
  }];
  let arguments = (ins Tile_Fragment:$fragment);
  let results = (outs Tile_Operand:$operand);
  let assemblyFormat = [{
    $fragment attr-dict `:` type($fragment) `->` type($operand)
  }];
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "Writes a fragment to rows of a matrix";
  let description = [{
    The warp's 16 rows from `row` on, all columns that the matrix has, rounded to
    the element type; rows from `rows` on are left alone. Rows of several
    matrices come in turn.

    - (C1) the fragment has as many columns as the matrix, or more.
    - (C2) the number of matrices is known.

    ```mlir
    func.func @f(%x: vector<32xf32>, %o: memref<?x64xbf16>, %row: index,
                 %rows: index) {
      tile.store %x into %o[%row] rows %rows
          : vector<32xf32>, memref<?x64xbf16>
      return
    }
    ```
  }];
  let arguments = (ins Tile_Fragment:$fragment,
      Arg<Tile_FloatMatrix, "", [MemWrite]>:$target, Index:$row,
      Index:$rows);
  let assemblyFormat = [{
    $fragment `into` $target `[` $row `]` `rows` $rows attr-dict
    `:` type($fragment) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_PutOp : Tile_Op<"put"> {
  let summary = "Writes a fragment to rows of a tile in shared memory";
  let description = [{
    Warp w's 16 rows become those of the tile from 16 w on, rounded to its
    elements. Other threads read them after a barrier.

    - (C1) the fragment has as many columns as the tile.

    ```mlir
    func.func @f(%x: vector<8xf32>, %head: index) {
      %all = tile.shared_tile at 0 : !tile.shared<544x16xbf16, padded>
      %own = tile.shared_rows %all[%head] : !tile.shared<544x16xbf16, padded>
          -> !tile.shared<32x16xbf16, padded every = 17>
      tile.put %x into %own
          : vector<8xf32>, !tile.shared<32x16xbf16, padded every = 17>
      return
    }
    ```
  }];
  let arguments = (ins Tile_Fragment:$fragment,
      Arg<Tile_MmaTile, "", [MemWrite]>:$tile);
  let assemblyFormat = [{
    $fragment `into` $tile attr-dict `:` type($fragment) `,` type($tile)
  }];
  let hasVerifier = 1;
}

def Tile_LoadRowsOp : Tile_Op<"load_rows"> {
  let summary = "Reads a number of each row";
  let description = [{
    The warp's 16 rows, from place `indices` on, the last of which is a row;
    rows from `rows` on get the number of the last of the `rows` rows. The
    numbers lie in the device's memory, or in a tile in shared memory, which has
    a column for each row.

    - (C1) there is an index for each dim: 3 of a buffer, 2 of a tile.

    ```mlir
    func.func @f(%o: memref<?x8x?xf32>, %b: index, %h: index, %row: index,
                 %rows: index) -> vector<2xf32> {
      %x = tile.load_rows %o[%b, %h, %row] rows %rows : memref<?x8x?xf32>
      return %x : vector<2xf32>
    }
    ```
  }];
  let arguments = (ins
      Arg<AnyTypeOf<[MemRefRankOf<[F32], [3]>, Tile_NumbersTile]>, "",
          [MemRead]>:$source,
      Variadic<Index>:$indices, Index:$rows);
  let results = (outs Tile_TwoRows:$numbers);
  let assemblyFormat = [{
    $source `[` $indices `]` `rows` $rows attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

def Tile_StoreRowsOp : Tile_Op<"store_rows"> {
  let summary = "Writes a number of each row";
  let description = [{
    The warp's 16 rows, from place `indices` on, the last of which is a row;
    rows from `rows` on are left alone. In a target of two dims rows of the
    first come in turn: of M of them row r is at `[r mod M, r div M]`.

    - (C1) there is an index for each of three dims, or, of a target of two, a
      row.
    - (C2) the first of two dims is known.

    ```mlir
    func.func @f(%x: vector<2xf32>, %o: memref<?x8x?xf32>, %p: memref<4x?xf32>,
                 %b: index, %h: index, %row: index, %rows: index) {
      tile.store_rows %x into %o[%b, %h, %row] rows %rows : memref<?x8x?xf32>
      tile.store_rows %x into %p[%row] rows %rows : memref<4x?xf32>
      return
    }
    ```
  }];
  let arguments = (ins Tile_TwoRows:$numbers,
      Arg<MemRefRankOf<[F32], [2, 3]>, "", [MemWrite]>:$target,
      Variadic<Index>:$indices, Index:$rows);
  let assemblyFormat = [{
    $numbers `into` $target `[` $indices `]` `rows` $rows attr-dict
    `:` type($target)
  }];
  let hasVerifier = 1;
}

#endif // MIXATTN_DIALECT_TILE_FRAGMENT_OPS_TD
