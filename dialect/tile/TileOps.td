// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect: what targets do with tiles of scores and values.

#ifndef MIXATTN_DIALECT_TILE_OPS_TD
#define MIXATTN_DIALECT_TILE_OPS_TD

include "dialect/tile/GridOps.td"
include "dialect/tile/LaunchOps.td"
include "dialect/tile/FragmentOps.td"
include "dialect/tile/MmaOps.td"
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
    With `columns` it may have fewer: c runs over as many as are given.

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
      Arg<Tile_FloatRows, "", [MemWrite]>:$target, Index:$row, Index:$rows,
      Optional<Index>:$columns);
  let assemblyFormat = [{
    $tile `,` $factors `into` $target `[` $row `]` `rows` $rows
    (`columns` $columns^)? attr-dict `:` type($tile) `,` type($factors) `,` type($target)
  }];
}

def Tile_ProductOp : Tile_Op<"x86.product",
    [SingleBlock, NoTerminator, AttrSizedOperandSegments]> {
  let summary = "A product of numbers, row by row, with rows of lanes";
  let description = [{
    `target[r][lane] = factor * sum_i L(r, i) right[i][lane]` for every row r of
    `target` and i from 0 to `count` - 1, where L(r, i) is `left[row + r][i]` or,
    with `transposed`, `left[row + i][r]`. Without `count` i runs over all rows
    of `right`; the factor is 1 unless it is given. `target` overlaps no other
    operand.

    The left side is what is broadcast: its numbers stand for a whole row of
    the target. The right side has the lanes. The shape, rows by lanes by steps
    of the sum, is all that a lowering may split, into whatever its registers
    hold: instructions that multiply whole tiles take rows from the left, and
    pairs of lanes from the right, as well.

    - `last`: rows of `left` beyond row `last` are that row again.
    - `onto` in place of `into`: adds to what `target` holds. The product is
      summed up first.
    - `lost`, which has the target's shape: what the target loses to rounding
      stays there, and is part of what the next product adds (Kahan 1965): the
      number of products does not show in the error.
    - A right side of f16, or of bf16 where `left` is of another type, is widened
      as it is read.
    - Where both are of bf16, the right side holds pairs. A step is then a
      pair: of columns 2 i and 2 i + 1 of `left`, or, with `transposed`, what
      `tile.x86.pair` makes: columns 2 r and 2 r + 1. If `left` has 2 n - 1
      columns and `right` n rows, all of which are multiplied, the last column
      is multiplied alone.
    - `units` and a region: the region is run `units` times, with 0 to
      `units` - 1 as argument, spread evenly over the steps: work that hides
      under the multiply-adds. It reads and writes no tile of this op.
    - `ahead`: in step i row i + `ahead` of the right side is asked for, into
      the second cache, or the first one where reading shows: for rows whose
      distance leads hardware astray that reads ahead. There may be no such row.
    - `asks`: the same of row i of this matrix of known sizes, into the first.
    - `amx`: pairs are multiplied by AMX, in squares of 16 rows, 16 lanes and 16
      steps. Rows and lanes of the target, and rows of the right side, come in
      sixteens; so do the steps that are read with a `count`: up to there the
      right side is 0, and numbers on the left are finite in rows whose sums
      are read. Of the other clauses `count`, and `onto` or a factor, go with
      it. Squares are summed up first, even and odd terms apart, then added.
    - `epilogue`: a region that gets a vector of the finished target, its row
      and its first lane, and yields what is stored in place of it. The vector
      is as long as the target's registers. `lost` knows of the sum alone.

    ```mlir
    func.func @f(%k: memref<?x64xf32>, %row: index, %last: index,
                 %q: memref<64x64xf32>, %s: memref<4x64xf32>, %n: index,
                 %w: memref<64x16xf32>, %o: memref<64x16xf32>,
                 %lost: memref<64x16xf32>, %bias: memref<64xf32>) {
      %c0 = arith.constant 0 : index
      tile.x86.product %k[%row] last %last, %q factor 0.125 into %s
          : memref<?x64xf32>, memref<64x64xf32>, memref<4x64xf32>
      tile.x86.product transposed %k[%row], %w count %n onto %o lost %lost
          : memref<?x64xf32>, memref<64x16xf32>, memref<64x16xf32>,
            memref<64x16xf32>
      tile.x86.product transposed %k[%row], %w onto %o units 2
          : memref<?x64xf32>, memref<64x16xf32>, memref<64x16xf32> {
      ^bb0(%unit: index):
        %one = arith.constant dense<1.0> : vector<16xf32>
        vector.store %one, %s[%unit, %c0] : memref<4x64xf32>, vector<16xf32>
      }
      tile.x86.product %o[%c0], %q count %n into %s
          : memref<64x16xf32>, memref<64x64xf32>, memref<4x64xf32>
          epilogue {
      ^bb0(%sum: vector<16xf32>, %r: index, %lane: index):
        %b = vector.load %bias[%lane] : memref<64xf32>, vector<16xf32>
        %moved = arith.addf %sum, %b : vector<16xf32>
        %zero = arith.constant dense<0.0> : vector<16xf32>
        %relu = arith.maximumf %moved, %zero : vector<16xf32>
        tile.x86.yield %relu : vector<16xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins UnitAttr:$transposed,
      Arg<Tile_FloatRows, "", [MemRead]>:$left, Index:$row,
      Optional<Index>:$last, Arg<Tile_FloatRows, "", [MemRead]>:$right,
      Optional<Index>:$count, DefaultValuedAttr<F32Attr, "1.0f">:$factor,
      UnitAttr:$amx, UnitAttr:$accumulates,
      Arg<Tile_Tile, "", [MemRead, MemWrite]>:$target,
      Arg<Optional<Tile_Tile>, "", [MemRead, MemWrite]>:$lost,
      Optional<Tile_FloatRows>:$asked,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$ahead,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$units);
  let regions = (region AnyRegion:$body, AnyRegion:$epilogue);
  let assemblyFormat = [{
    (`transposed` $transposed^)? $left `[` $row `]` (`last` $last^)? `,` $right
    (`count` $count^)? (`factor` $factor^)? (`amx` $amx^)?
    (`onto` $accumulates^) : (`into`)? $target (`lost` $lost^)?
    (`ahead` $ahead^)? (`asks` $asked^ `:` type($asked))?
    (`units` $units^)? attr-dict `:` type($left) `,` type($right) `,` type($target) (`,` type($lost)^)?
    ($body^)? (`epilogue` $epilogue^)?
  }];
  let builders = [
    /// With `units` the region is there, empty.
    OpBuilder<(ins "::mlir::Value":$left, "::mlir::Value":$row,
        "::mlir::Value":$right, "::mlir::Value":$target,
        CArg<"const ProductClauses &", "{}">:$clauses)>];
  let extraClassDeclaration = [{
    /// Whether `right` holds pairs of bf16.
    bool hasPairs();
    /// The steps of a sum without `count`.
    int64_t getMostSteps() { return getRight().getType().getDimSize(0); }
    /// Whether the last column of `left` has no other for a pair.
    bool isLastAlone();
  }];
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"x86.yield",
    [Pure, Terminator, HasParent<"ProductOp">]> {
  let summary = "The row of lanes that is stored";
  let description = "Ends the epilogue of `tile.x86.product`.";
  let arguments = (ins VectorOfRankAndType<[1], [F32]>:$row);
  let assemblyFormat = "$row attr-dict `:` type($row)";
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

def Tile_TransposeOp : Tile_Op<"x86.transpose"> {
  let summary = "Rows of a matrix as columns";
  let description = [{
    `target[c][r] = source[row + r][c]` for r from 0 to `rows` - 1 and all
    columns c of the source; the rest of the target is 0. The target has a
    multiple of 16 rows, as many as the source has columns or up to 15 more, and
    a multiple of 32 columns.

    ```mlir
    func.func @f(%v: memref<?x40xbf16>, %row: index, %rows: index,
                 %panel: memref<48x64xbf16>) {
      tile.x86.transpose %v[%row] rows %rows into %panel
          : memref<?x40xbf16>, memref<48x64xbf16>
      return
    }
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[BF16], [2]>, "", [MemRead]>:$source,
      Index:$row, Index:$rows,
      Arg<MemRefRankOf<[BF16], [2]>, "", [MemWrite]>:$target);
  let assemblyFormat = [{
    $source `[` $row `]` `rows` $rows `into` $target attr-dict
    `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_WidenOp : Tile_Op<"x86.widen"> {
  let summary = "A copy of rows of a matrix, as f32 or as they are";
  let description = [{
    `target[r][c] = source[min(row + r, last)][c]` for r from 0 to `rows` - 1: a
    row is converted once before many steps read one number of it each. Columns
    that `source` lacks are 0. The target is of f32, or of the source's type.

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
      Arg<Tile_FloatRows, "", [MemWrite]>:$target);
  let assemblyFormat = [{
    $source `[` $row `]` `last` $last `rows` $rows `into` $target attr-dict
    `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_DotRowsOp : Tile_Op<"x86.dot_rows"> {
  let summary = "Products of a few queries with rows of keys";
  let description = [{
    `scores[i][j] = factor * sum_d keys[min(row + j, last)][d]
    queries[query + i][d]` for every row i and lane j of `scores`. Lanes are
    keys here, and features while a product is summed up: one query alone fills
    them. A key is read once for all rows. Columns of `queries` beyond those of
    `keys` are not read. The factor is 1 unless it is given.

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
  let hasVerifier = 1;
}

def Tile_SquareRowsOp : Tile_Op<"x86.square_rows", [AttrSizedOperandSegments]> {
  let summary = "Squared norms of rows, or distances from a row";
  let description = [{
    `squares[i][j] = factor * sum_d (rows[min(row + j, last)][d] +
    other[other_row + i][d])^2` for every row i and lane j of `squares`; without
    `other` the squares of the rows themselves, and with `subtracts` the rows of
    `other` subtracted. Lanes are as in `tile.x86.dot_rows`. The factor is 1
    unless it is given.

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
  let hasVerifier = 1;
}

def Tile_SumRowsOp : Tile_Op<"x86.sum_rows"> {
  let summary = "Adds weighted rows of values to a few rows";
  let description = [{
    `sums[i][e] += sum_j weights[i][j] values[row + j][e]` for every row i of
    `weights` and `sums`, j from 0 to `count` - 1 and all columns e of `values`.
    A row of values is read once for all i. Where `skips_zeros`, one whose
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
  let hasVerifier = 1;
}

def Tile_Exp2Op : Tile_Op<"x86.exp2", [Pure,
    AllTypesMatch<["exponent", "power"]>]> {
  let summary = "Powers of 2 of a row of lanes";
  let description = [{
    2^x for x up to 127, within 2 units in the last place; 0 below -127, and
    less than 2^-126 between. NaN stays NaN.
    With `brief`, of 16 lanes: within 2^-13 of the power, for those that are
    rounded to bf16, in 5 instructions. For denormal ones an Intel runs
    microcode; with `flushed` they are 0, for one instruction more. Brief
    powers, and all where `CpuModel::scalesByPowers`, are infinite from 128 on.

    ```mlir
    func.func @f(%x: vector<16xf32>) -> vector<16xf32> {
      %y = tile.x86.exp2 %x brief flushed : vector<16xf32>
      return %y : vector<16xf32>
    }
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32]>:$exponent,
      UnitAttr:$brief, UnitAttr:$flushed);
  let results = (outs VectorOfRankAndType<[1], [F32]>:$power);
  let assemblyFormat = [{
    $exponent (`brief` $brief^)? (`flushed` $flushed^)? attr-dict `:` type($power)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$exponent), [{
      build($_builder, $_state, exponent.getType(), exponent, false, false);
    }]>];
  let hasVerifier = 1;
}

#endif // MIXATTN_DIALECT_TILE_OPS_TD
