// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect: what targets do with tiles of scores and values.

#ifndef MIXATTN_DIALECT_TILE_OPS_TD
#define MIXATTN_DIALECT_TILE_OPS_TD

include "dialect/tile/GridOps.td"
include "dialect/tile/NvptxOps.td"
include "dialect/tile/TileDialect.td"

/// A tile in memory: rows of lanes of f32.
def Tile_Tile : MemRefRankOf<[F32], [2]>;
/// A tile of f32, or one of pairs of bf16: row p holds rows 2p and 2p + 1,
/// whose lanes alternate.
def Tile_TileOrPairs : MemRefRankOf<[F32, BF16], [2]>;
/// Rows of numbers as the caller holds them.
def Tile_Rows : MemRefRankOf<[F16, BF16, F32, I8], [2]>;
def Tile_FloatRows : MemRefRankOf<[F16, BF16, F32], [2]>;

def Tile_PackOp : Tile_Op<"x86.pack"> {
  let summary = "Rows of lanes from columns of a matrix";
  let description = [{
    `tile[c][lane] = factor * source[row + lane][column + c]` for c from 0 to
    `columns - 1`, in f32; integers become the floats of their value. Rows from
    `rows` on are the last of the `rows` rows again: their lanes mean nothing,
    but hold no number that the matrix does not.

    `source` is contiguous along columns. `rows` is from 1 to W. A tile of
    pairs takes columns of bf16, and a factor of 1; if they are odd, the last
    one's pair has 0 for its other half.

    ```mlir
    func.func @f(%q: memref<?x64xf32>, %row: index, %rows: index,
                 %tile: memref<64x16xf32>) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      tile.x86.pack %q[%row, %c0] sizes [%rows, %c64] factor 0.125 into %tile
          : memref<?x64xf32>, memref<64x16xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_Rows, "", [MemRead]>:$source, Index:$row,
      Index:$column, Index:$rows, Index:$columns, F32Attr:$factor,
      Arg<Tile_TileOrPairs, "", [MemWrite]>:$tile);
  let assemblyFormat = [{
    $source `[` $row `,` $column `]` `sizes` `[` $rows `,` $columns `]`
    `factor` $factor `into` $tile attr-dict `:` type($source) `,` type($tile)
  }];
}

def Tile_UnpackOp : Tile_Op<"x86.unpack"> {
  let summary = "Columns of a matrix from rows of lanes";
  let description = [{
    `target[row + lane][c] = tile[c][lane] * factors[0][lane]` for all rows c of
    the tile and lanes from 0 to `rows - 1`, rounded to the element type of the
    target.

    `target` is contiguous along columns and has as many as the tile has rows.

    ```mlir
    func.func @f(%tile: memref<64x16xf32>, %factors: memref<1x16xf32>,
                 %o: memref<?x64xf32>, %row: index, %rows: index) {
      tile.x86.unpack %tile, %factors into %o[%row] rows %rows
          : memref<64x16xf32>, memref<1x16xf32>, memref<?x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_Tile, "", [MemRead]>:$tile,
      Arg<Tile_Tile, "", [MemRead]>:$factors,
      Arg<Tile_FloatRows, "", [MemWrite]>:$target, Index:$row, Index:$rows);
  let assemblyFormat = [{
    $tile `,` $factors `into` $target `[` $row `]` `rows` $rows attr-dict
    `:` type($tile) `,` type($factors) `,` type($target)
  }];
}

def Tile_ScoresOp : Tile_Op<"x86.scores", [SingleBlock, NoTerminator]> {
  let summary = "Products of a few keys with a tile of queries";
  let description = [{
    `scores[r][lane] = factor * sum_d keys[min(row + r, last)][d]
    queries[d][lane]` for every row r of `scores`: so many keys that their sums
    stay in registers. Queries in pairs go with keys of bf16; the last
    feature of an odd number is multiplied alone. The factor is 1 unless it is
    given.

    The region, which may be absent, is run `units` times, with 0 to `units` - 1
    as argument, spread evenly over the steps of the sum: work on other tiles
    that hides under the multiply-adds. It neither reads nor writes the tiles of
    this op.

    ```mlir
    func.func @f(%k: memref<?x64xf32>, %row: index, %last: index,
                 %q: memref<64x64xf32>, %s: memref<4x64xf32>) {
      tile.x86.scores %k[%row] last %last, %q into %s units 0
          : memref<?x64xf32>, memref<64x64xf32>, memref<4x64xf32> {
      ^bb0(%unit: index):
      }
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_FloatRows, "", [MemRead]>:$keys, Index:$row,
      Index:$last, Arg<Tile_TileOrPairs, "", [MemRead]>:$queries,
      Arg<MemRefRankOf<[F32], [2]>, "", [MemWrite]>:$scores,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$units,
      DefaultValuedAttr<F32Attr, "1.0f">:$factor);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $keys `[` $row `]` `last` $last `,` $queries (`factor` $factor^)?
    `into` $scores `units` $units
    attr-dict `:` type($keys) `,` type($queries) `,` type($scores) $body
  }];
  let hasVerifier = 1;
}

def Tile_PoolOp : Tile_Op<"x86.pool", [SingleBlock, NoTerminator]> {
  let summary = "Adds weighted values to a tile of outputs";
  let description = [{
    `outputs[e][lane] += sum_j values[row + j][e] weights[j][lane]` for j from 0
    to `count` - 1. With weights in pairs, `values` are what `tile.x86.pair`
    makes, and rows and `count` are pairs.

    The region, which is absent without `units`, is run so many times as that
    of `tile.x86.scores` is; `count` is then the number of rows of `weights`.

    ```mlir
    func.func @f(%v: memref<?x64xf32>, %row: index, %count: index,
                 %w: memref<64x16xf32>, %o: memref<64x16xf32>,
                 %x: memref<16x16xf32>) {
      tile.x86.pool %v[%row] count %count, %w into %o
          : memref<?x64xf32>, memref<64x16xf32>, memref<64x16xf32>
      %c64 = arith.constant 64 : index
      tile.x86.pool %v[%row] count %c64, %w into %o units 16
          : memref<?x64xf32>, memref<64x16xf32>, memref<64x16xf32> {
      ^bb0(%unit: index):
        %c0 = arith.constant 0 : index
        %one = arith.constant dense<1.0> : vector<16xf32>
        vector.store %one, %x[%unit, %c0] : memref<16x16xf32>, vector<16xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_FloatRows, "", [MemRead]>:$values, Index:$row,
      Index:$count, Arg<Tile_TileOrPairs, "", [MemRead]>:$weights,
      Arg<Tile_Tile, "", [MemRead, MemWrite]>:$outputs,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$units);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    $values `[` $row `]` `count` $count `,` $weights `into` $outputs
    (`units` $units^)? attr-dict
    `:` type($values) `,` type($weights) `,` type($outputs) ($body^)?
  }];
  let hasVerifier = 1;
}

def Tile_PairOp : Tile_Op<"x86.pair"> {
  let summary = "Rows of a matrix in pairs";
  let description = [{
    `pairs[p][2 c + r] = source[row + 2 p + r][c]` for rows 2 p + r from 0 to
    `rows` - 1; where `rows` is odd, the row after the last is 0.

    ```mlir
    func.func @f(%v: memref<?x64xbf16>, %row: index, %rows: index,
                 %pairs: memref<32x128xbf16>) {
      tile.x86.pair %v[%row] rows %rows into %pairs
          : memref<?x64xbf16>, memref<32x128xbf16>
      return
    }
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[BF16], [2]>, "", [MemRead]>:$source,
      Index:$row, Index:$rows,
      Arg<MemRefRankOf<[BF16], [2]>, "", [MemWrite]>:$pairs);
  let assemblyFormat = [{
    $source `[` $row `]` `rows` $rows `into` $pairs attr-dict
    `:` type($source) `,` type($pairs)
  }];
}

def Tile_WidenOp : Tile_Op<"x86.widen"> {
  let summary = "Rows of a matrix as f32";
  let description = [{
    `target[r][c] = source[min(row + r, last)][c]` for r from 0 to `rows` - 1: a
    row is converted once before many steps read one number of it each.

    ```mlir
    func.func @f(%k: memref<?x64xf16>, %row: index, %last: index, %rows: index,
                 %target: memref<4x64xf32>) {
      tile.x86.widen %k[%row] last %last rows %rows into %target
          : memref<?x64xf16>, memref<4x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_FloatRows, "", [MemRead]>:$source, Index:$row,
      Index:$last, Index:$rows,
      Arg<MemRefRankOf<[F32], [2]>, "", [MemWrite]>:$target);
  let assemblyFormat = [{
    $source `[` $row `]` `last` $last `rows` $rows `into` $target attr-dict
    `:` type($source) `,` type($target)
  }];
}

def Tile_MultiplyOp : Tile_Op<"x86.multiply"> {
  let summary = "Products of a few rows of numbers with rows of lanes";
  let description = [{
    `product[r][lane] = sum_d left[row + r][d] right[d][lane]` for every row r of
    `product` and d from 0 to `count` - 1. Lanes are features of values, or keys:
    whatever follows one another in `right`.

    ```mlir
    func.func @f(%left: memref<64x128xf32>, %row: index, %count: index,
                 %right: memref<128x64xf32>, %product: memref<4x64xf32>) {
      tile.x86.multiply %left[%row], %right count %count into %product
          : memref<64x128xf32>, memref<128x64xf32>, memref<4x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_Tile, "", [MemRead]>:$left, Index:$row,
      Arg<Tile_Tile, "", [MemRead]>:$right, Index:$count,
      Arg<Tile_Tile, "", [MemWrite]>:$product);
  let assemblyFormat = [{
    $left `[` $row `]` `,` $right `count` $count `into` $product attr-dict
    `:` type($left) `,` type($right) `,` type($product)
  }];
}

def Tile_UpdateOp : Tile_Op<"x86.update"> {
  let summary = "Adds outer products of rows to running sums";
  let description = [{
    `sums[f][lane] += sum_j left[j][f] right[j][lane]` for every row f of `sums`
    and j from 0 to `count` - 1. What is added is summed up first; what the sum
    of both loses to rounding stays in `lost`, and is part of what the next
    update adds (Kahan 1965): the number of updates does not show in the error.

    ```mlir
    func.func @f(%keys: memref<64x32xf32>, %values: memref<64x16xf32>,
                 %count: index, %sums: memref<32x16xf32>,
                 %lost: memref<32x16xf32>) {
      tile.x86.update %sums lost %lost with %keys, %values count %count
          : memref<32x16xf32>, memref<32x16xf32>, memref<64x32xf32>,
            memref<64x16xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_Tile, "", [MemRead, MemWrite]>:$sums,
      Arg<Tile_Tile, "", [MemRead, MemWrite]>:$lost,
      Arg<Tile_Tile, "", [MemRead]>:$left, Arg<Tile_Tile, "", [MemRead]>:$right,
      Index:$count);
  let assemblyFormat = [{
    $sums `lost` $lost `with` $left `,` $right `count` $count attr-dict
    `:` type($sums) `,` type($lost) `,` type($left) `,` type($right)
  }];
}

def Tile_DotRowsOp : Tile_Op<"x86.dot_rows"> {
  let summary = "Products of one query with rows of keys";
  let description = [{
    `scores[0][j] = factor * sum_d keys[min(row + j, last)][d]
    queries[query][d]` for every lane j of `scores`. Lanes are keys here, and
    features while a product is summed up: one query alone fills them. The
    factor is 1 unless it is given.

    ```mlir
    func.func @f(%k: memref<?x64xf32>, %row: index, %last: index,
                 %q: memref<?x64xf32>, %query: index, %s: memref<1x64xf32>) {
      tile.x86.dot_rows %k[%row] last %last, %q[%query] into %s
          : memref<?x64xf32>, memref<?x64xf32>, memref<1x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_FloatRows, "", [MemRead]>:$keys, Index:$row,
      Index:$last, Arg<Tile_FloatRows, "", [MemRead]>:$queries, Index:$query,
      Arg<Tile_Tile, "", [MemWrite]>:$scores,
      DefaultValuedAttr<F32Attr, "1.0f">:$factor);
  let assemblyFormat = [{
    $keys `[` $row `]` `last` $last `,` $queries `[` $query `]`
    (`factor` $factor^)? `into` $scores attr-dict `:` type($keys) `,` type($queries) `,` type($scores)
  }];
}

def Tile_SquareRowsOp : Tile_Op<"x86.square_rows", [AttrSizedOperandSegments]> {
  let summary = "Squared norms of rows, or distances from a row";
  let description = [{
    `squares[0][j] = factor * sum_d (rows[min(row + j, last)][d] +
    other[other_row][d])^2` for every lane j of `squares`; without `other` the
    squares of the rows themselves, and with `subtracts` the row of `other`
    subtracted. Lanes are as in `tile.x86.dot_rows`. The factor is 1 unless it
    is given.

    ```mlir
    func.func @f(%k: memref<?x64xf32>, %row: index, %last: index,
                 %q: memref<2x64xf32>, %r: index, %n: memref<1x64xf32>) {
      tile.x86.square_rows %k[%row] last %last and %q[%r] factor -0.5 into %n
          subtracts : memref<?x64xf32>, memref<2x64xf32> into memref<1x64xf32>
      tile.x86.square_rows %k[%row] last %last into %n
          : memref<?x64xf32> into memref<1x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_FloatRows, "", [MemRead]>:$rows, Index:$row,
      Index:$last, Arg<Optional<Tile_FloatRows>, "", [MemRead]>:$other,
      Optional<Index>:$other_row, Arg<Tile_Tile, "", [MemWrite]>:$squares,
      DefaultValuedAttr<F32Attr, "1.0f">:$factor, UnitAttr:$subtracts);
  let assemblyFormat = [{
    $rows `[` $row `]` `last` $last (`and` $other^ `[` $other_row `]`)?
    (`factor` $factor^)? `into` $squares (`subtracts` $subtracts^)? attr-dict
    `:` type($rows) (`,` type($other)^)? `into` type($squares)
  }];
}

def Tile_SumRowsOp : Tile_Op<"x86.sum_rows"> {
  let summary = "Adds weighted rows of values to one row";
  let description = [{
    `sums[0][e] += sum_j weights[0][j] values[row + j][e]` for j from 0 to
    `count` - 1 and all columns e of `values`. Where `skips_zeros`, a row whose
    weight is 0 adds nothing, whatever it holds.

    ```mlir
    func.func @f(%v: memref<?x64xf32>, %row: index, %count: index,
                 %w: memref<1x64xf32>, %o: memref<1x64xf32>) {
      tile.x86.sum_rows %v[%row] count %count, %w into %o
          : memref<?x64xf32>, memref<1x64xf32>, memref<1x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins Arg<Tile_FloatRows, "", [MemRead]>:$values, Index:$row,
      Index:$count, Arg<Tile_Tile, "", [MemRead]>:$weights,
      Arg<Tile_Tile, "", [MemRead, MemWrite]>:$sums, UnitAttr:$skips_zeros);
  let assemblyFormat = [{
    $values `[` $row `]` `count` $count `,` $weights `into` $sums
    (`skips_zeros` $skips_zeros^)? attr-dict
    `:` type($values) `,` type($weights) `,` type($sums)
  }];
}

def Tile_Exp2Op : Tile_Op<"x86.exp2", [Pure, SameOperandsAndResultType]> {
  let summary = "Powers of 2 of a row of lanes";
  let description = [{
    2^x for x up to 127, within 2 units in the last place; 0 below -127, and
    less than 2^-126 between. NaN stays NaN.

    ```mlir
    func.func @f(%x: vector<16xf32>) -> vector<16xf32> {
      %y = tile.x86.exp2 %x : vector<16xf32>
      return %y : vector<16xf32>
    }
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32]>:$exponent);
  let results = (outs VectorOfRankAndType<[1], [F32]>:$power);
  let assemblyFormat = "$exponent attr-dict `:` type($power)";
}

#endif // MIXATTN_DIALECT_TILE_OPS_TD
