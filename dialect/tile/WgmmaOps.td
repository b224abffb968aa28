// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of wgmma: rings that TMA fills, products of warpgroups, roles.

#ifndef MIXATTN_DIALECT_TILE_WGMMA_OPS_TD
#define MIXATTN_DIALECT_TILE_WGMMA_OPS_TD

include "dialect/tile/WgmmaTypes.td"

def Tile_WgmmaRingOp : Tile_Op<"wgmma.ring", [Pure]> {
  let summary = "A ring at a place in shared memory";
  let description = [{
    `offset` bytes from the beginning of the block's dynamic shared memory, of
    which the launch gives as much as all rings take.

    - (C1) 1024 divides the offset: a swizzle repeats after 8 rows.

    ```mlir
    func.func @f() -> !tile.ring<2x128x64xbf16, swizzle = 128> {
      %keys = tile.wgmma.ring at 16384 : !tile.ring<2x128x64xbf16, swizzle = 128>
      return %keys : !tile.ring<2x128x64xbf16, swizzle = 128>
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$offset);
  let results = (outs Tile_RingType:$ring);
  let assemblyFormat = "`at` $offset attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def Tile_WgmmaOpenOp : Tile_Op<"wgmma.open"> {
  let summary = "Makes rings ready, all stages empty";
  let description = [{
    Run by all threads of the block. A stage is full when what one
    `tile.wgmma.fill` asked for has come, and empty when all warps of
    `consumers` warpgroups have released it.

    ```mlir
    func.func @f(%keys: !tile.ring<2x128x64xbf16, swizzle = 128>) {
      tile.wgmma.open %keys consumers 2
          : !tile.ring<2x128x64xbf16, swizzle = 128>
      return
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_RingType>:$rings,
      ConfinedAttr<I64Attr, [IntPositive]>:$consumers);
  let assemblyFormat = [{
    $rings `consumers` $consumers attr-dict `:` type($rings)
  }];
}

def Tile_WgmmaRolesOp : Tile_Op<"wgmma.roles",
    [RecursiveMemoryEffects, NoTerminator, NoRegionArguments, SingleBlock]> {
  let summary = "Who does what in a block";
  let description = [{
    The block's first `consumers` warpgroups run the second region, all threads
    of them; one thread of the warpgroup after them runs the first. A warpgroup
    is 128 threads. The registers of a thread are shared out anew: those that
    the producer does not need are the consumers'.

    - (C1) both numbers of registers are multiples of 8 from 24 to 256.

    ```mlir
    func.func @f(%keys: !tile.ring<2x128x64xbf16, swizzle = 128>,
                 %map: !llvm.ptr, %b: index, %i: index) {
      tile.wgmma.roles
        producer registers 24 {
          tile.wgmma.fill %keys[%i] turn %i from %map[%b, %b, %i]
              : !tile.ring<2x128x64xbf16, swizzle = 128>, !llvm.ptr
        }
        consumers 2 registers 240 {
          %k = tile.wgmma.await %keys[%i] turn %i
              : !tile.ring<2x128x64xbf16, swizzle = 128>
          tile.wgmma.release %keys[%i]
              : !tile.ring<2x128x64xbf16, swizzle = 128>
        }
      return
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$consumers,
      I32Attr:$producer_registers, I32Attr:$consumer_registers);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = [{
    `producer` `registers` $producer_registers $producer
    `consumers` $consumers `registers` $consumer_registers $consumer attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_WgmmaFillOp : Tile_Op<"wgmma.fill", [AttrSizedOperandSegments]> {
  let summary = "Begins to fill a stage of a ring";
  let description = [{
    Waits until the stage is empty, then lets TMA copy as many rows as the tile
    has, from `indices` on, the last of which is a row, and from column 0 or
    `column` on; rows and columns that the buffer does not have are 0. `turn` is
    how many times the stage was filled before. Run by one thread.

    - (C1) there is an index for each dim of the buffer but the columns: 1 to 4.

    ```mlir
    func.func @f(%keys: !tile.ring<2x128x64xbf16, swizzle = 128>,
                 %map: !llvm.ptr, %b: index, %h: index, %j: index,
                 %stage: index, %turn: index) {
      tile.wgmma.fill %keys[%stage] turn %turn from %map[%b, %h, %j]
          : !tile.ring<2x128x64xbf16, swizzle = 128>, !llvm.ptr
      tile.wgmma.fill %keys[%stage] turn %turn from %map[%b, %h, %j] column %j
          : !tile.ring<2x128x64xbf16, swizzle = 128>, !llvm.ptr
      return
    }
    ```
  }];
  let arguments = (ins Tile_RingType:$ring, Index:$stage, Index:$turn,
      AnyType:$map, Variadic<Index>:$indices, Optional<Index>:$column);
  let assemblyFormat = [{
    $ring `[` $stage `]` `turn` $turn `from` $map `[` $indices `]`
    (`column` $column^)? attr-dict `:` type($ring) `,` type($map)
  }];
  let hasVerifier = 1;
}

def Tile_WgmmaAwaitOp : Tile_Op<"wgmma.await", [TypesMatchWith<
    "tile of the ring", "ring", "tile",
    "::llvm::cast<RingType>($_self).getTile()">]> {
  let summary = "Waits until a stage is full";
  let description = [{
    Gives the stage's tile. `turn` is how many times it was filled before.

    ```mlir
    func.func @f(%keys: !tile.ring<2x128x64xbf16, swizzle = 128>,
                 %stage: index, %turn: index)
        -> !tile.shared<128x64xbf16, swizzle = 128> {
      %k = tile.wgmma.await %keys[%stage] turn %turn
          : !tile.ring<2x128x64xbf16, swizzle = 128>
      return %k : !tile.shared<128x64xbf16, swizzle = 128>
    }
    ```
  }];
  let arguments = (ins Tile_RingType:$ring, Index:$stage, Index:$turn);
  let results = (outs Tile_SwizzledTile:$tile);
  let assemblyFormat = [{
    $ring `[` $stage `]` `turn` $turn attr-dict `:` type($ring)
  }];
}

def Tile_WgmmaReleaseOp : Tile_Op<"wgmma.release"> {
  let summary = "Says that a stage was read";
  let description = [{
    One lane of each warp says it: a warp's wait for its products says nothing
    of those of other warps.

    ```mlir
    func.func @f(%keys: !tile.ring<2x128x64xbf16, swizzle = 128>,
                 %stage: index) {
      tile.wgmma.release %keys[%stage] : !tile.ring<2x128x64xbf16, swizzle = 128>
      return
    }
    ```
  }];
  let arguments = (ins Tile_RingType:$ring, Index:$stage);
  let assemblyFormat = "$ring `[` $stage `]` attr-dict `:` type($ring)";
}

def Tile_WgmmaClearOp : Tile_Op<"wgmma.clear"> {
  let summary = "Makes the last rows of a tile zeros";
  let description = [{
    The rows from `row` on, before wgmma reads them. All threads of `consumers`
    warpgroups do it together, then a fence of the asynchronous proxy, and go
    on when all have done it.

    ```mlir
    func.func @f(%v: !tile.shared<128x64xbf16, swizzle = 128>, %row: index) {
      tile.wgmma.clear %v from %row consumers 2
          : !tile.shared<128x64xbf16, swizzle = 128>
      return
    }
    ```
  }];
  let arguments = (ins Tile_SwizzledTile:$tile, Index:$row,
      ConfinedAttr<I64Attr, [IntPositive]>:$consumers);
  let assemblyFormat = [{
    $tile `from` $row `consumers` $consumers attr-dict `:` type($tile)
  }];
}

def Tile_WgmmaProductOp : Tile_Op<"wgmma.product"> {
  let summary = "Begins to multiply a warpgroup's 64 rows by a tile";
  let description = [{
    `left tile`, or, where `transposed`, `left tile^T`: then the rows of the tile
    are columns of the product; with `onto`, that is added. `left` is an operand
    in registers, or a tile, of which the warpgroup of number g takes the rows
    from 64 g on. Sums are f32. It is one group: `tile.wgmma.wait` gives the
    product. Until then neither `left`, in registers, nor `onto` may be used.

    - (C1) the terms of a sum are as many on both sides, a multiple of 16.
    - (C2) the product has at most 256 columns, a multiple of 8.
    - (C3) both sides have one element type.

    ```mlir
    func.func @f(%q: !tile.shared<128x64xbf16, swizzle = 128>,
                 %k: !tile.shared<32x64xbf16, swizzle = 128>,
                 %p: vector<16xbf16>, %o: vector<32xf32>)
        -> (!tile.pending<vector<16xf32>>, !tile.pending<vector<32xf32>>) {
      %s = tile.wgmma.product %q, %k transposed
          : !tile.shared<128x64xbf16, swizzle = 128>,
            !tile.shared<32x64xbf16, swizzle = 128>
          -> !tile.pending<vector<16xf32>>
      %n = tile.wgmma.product %p, %k onto %o
          : vector<16xbf16>, !tile.shared<32x64xbf16, swizzle = 128>,
            vector<32xf32> -> !tile.pending<vector<32xf32>>
      return %s, %n
          : !tile.pending<vector<16xf32>>, !tile.pending<vector<32xf32>>
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tile_Operand, Tile_SwizzledTile]>:$left,
      Tile_SwizzledTile:$tile, UnitAttr:$transposed,
      Optional<Tile_Fragment>:$accumulator);
  let results = (outs Tile_PendingType:$product);
  let assemblyFormat = [{
    $left `,` $tile (`transposed` $transposed^)? (`onto` $accumulator^)?
    attr-dict `:` type($left) `,` type($tile) (`,` type($accumulator)^)?
    `->` type($product)
  }];
  let hasVerifier = 1;
}

def Tile_WgmmaWaitOp : Tile_Op<"wgmma.wait", [TypesMatchWith<
    "fragment that is pending", "product", "fragment",
    "::llvm::cast<PendingType>($_self).getFragment()">]> {
  let summary = "Waits for products of the warpgroup";
  let description = [{
    Goes on when at most `pending` of them are under way, the last ones, and
    gives the fragment that `product` was under way to.

    ```mlir
    func.func @f(%p: !tile.pending<vector<16xf32>>) -> vector<16xf32> {
      %s = tile.wgmma.wait 0 for %p : !tile.pending<vector<16xf32>>
      return %s : vector<16xf32>
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending,
      Tile_PendingType:$product);
  let results = (outs Tile_Fragment:$fragment);
  let assemblyFormat = "$pending `for` $product attr-dict `:` type($product)";
}

def Tile_WgmmaBoundaryOp : Tile_Op<"wgmma.boundary",
    [AllTypesMatch<["made", "weights"]>]> {
  let summary = "Keeps what makes weights above the next wait";
  let description = [{
    ptxas moves arithmetic below the wait for products that it does not need,
    and then nothing overlaps. This ends a basic block, with a way on which the
    weights are used: that is never taken, but ptxas must have them before.

    ```mlir
    func.func @f(%made: vector<16xf32>) -> vector<16xf32> {
      %weights = tile.wgmma.boundary %made : vector<16xf32>
      return %weights : vector<16xf32>
    }
    ```
  }];
  let arguments = (ins Tile_Fragment:$made);
  let results = (outs Tile_Fragment:$weights);
  let assemblyFormat = "$made attr-dict `:` type($made)";
}

class Tile_TurnOp<string mnemonic> : Tile_Op<"wgmma." # mnemonic> {
  let arguments = (ins);
  let assemblyFormat = "attr-dict";
}

def Tile_WgmmaOpenTurnsOp : Tile_TurnOp<"open_turns"> {
  let summary = "Gives the first turn to the first of two warpgroups";
  let description = [{
    Two warpgroups of consumers take turns: one begins products while the other
    one computes weights. Both do this once, before they begin any.

    ```mlir
    func.func @f() {
      tile.wgmma.open_turns
      tile.wgmma.take_turn
      tile.wgmma.pass_turn
      tile.wgmma.close_turns
      return
    }
    ```
  }];
}

def Tile_WgmmaTakeTurnOp : Tile_TurnOp<"take_turn"> {
  let summary = "Waits for the warpgroup's turn";
  let description = [{
    Goes on when the other warpgroup has passed the turn. Both take as many
    turns. See `tile.wgmma.open_turns`.
  }];
}

def Tile_WgmmaPassTurnOp : Tile_TurnOp<"pass_turn"> {
  let summary = "Passes the turn to the other warpgroup";
  let description = [{
    See `tile.wgmma.open_turns`.
  }];
}

def Tile_WgmmaCloseTurnsOp : Tile_TurnOp<"close_turns"> {
  let summary = "Takes back the turn that nobody takes";
  let description = [{
    Both warpgroups do this after their last turn. See
    `tile.wgmma.open_turns`.
  }];
}

def Tile_WgmmaStoreOp : Tile_Op<"wgmma.store"> {
  let summary = "Begins to write a warp's 16 rows to the device's memory";
  let description = [{
    Rounds the fragment's elements, lays them in the warp's rows of `tile`, the
    warp of number w those from 16 w on, and lets TMA copy these rows to the
    buffer of `map`, as its rows from `indices` on, the last of which is the
    block's first row. Rows and columns that the buffer does not have are not
    written. A tile of fewer panels than the fragment has takes these in turn.

    Warps do not wait for each other. Each waits until what it stored before has
    left the tile, and at the end of the kernel, by `tile.wgmma.stored`.

    - (C1) there is an index for each dim of the buffer but the columns: 1 to 4.
    - (C2) the fragment has a multiple of 16 columns.

    ```mlir
    func.func @f(%x: vector<32xf32>, %map: !llvm.ptr, %b: index, %h: index,
                 %row: index) {
      %o = tile.shared_tile at 0 : !tile.shared<128x64xbf16, swizzle = 128>
      tile.wgmma.store %x by %o to %map[%b, %h, %row]
          : vector<32xf32>, !tile.shared<128x64xbf16, swizzle = 128>, !llvm.ptr
      return
    }
    ```
  }];
  let arguments = (ins Tile_Fragment:$fragment, Tile_SwizzledTile:$tile,
      AnyType:$map, Variadic<Index>:$indices);
  let assemblyFormat = [{
    $fragment `by` $tile `to` $map `[` $indices `]` attr-dict
    `:` type($fragment) `,` type($tile) `,` type($map)
  }];
  let hasVerifier = 1;
}

def Tile_WgmmaStoredOp : Tile_Op<"wgmma.stored"> {
  let summary = "Waits until what the warp stored is in the device's memory";
  let description = [{
    After it the warp may write other values to the same places, and end.

    ```mlir
    func.func @f() {
      tile.wgmma.stored
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // MIXATTN_DIALECT_TILE_WGMMA_OPS_TD
