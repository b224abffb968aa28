// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op of the tile dialect that all targets share: a stage of a kernel.

#ifndef MIXATTN_DIALECT_TILE_GRID_OPS_TD
#define MIXATTN_DIALECT_TILE_GRID_OPS_TD

include "dialect/tile/TileDialect.td"

def Tile_GridOp : Tile_Op<"grid", [AttrSizedOperandSegments,
    AutomaticAllocationScope, NoTerminator, SingleBlock]> {
  let summary = "Items of work that run in any order, or at the same time";
  let description = [{
    A stage of a kernel: runs its region once for each item, whose numbers are
    the region's first arguments, each from 0 to one of `counts` less 1. Items
    write to different places, and none reads what another one writes. What
    stands after the grid runs once all items are done.

    On x86 there is one count. Each thread begins with a part of the items that
    follow each other, and helps others when it has done it. Where `shared_if` is
    given and false, one thread does all. An item of a grid with `scratch` has so
    many bytes for itself, its last argument, whose address 64 divides; they hold
    nothing that means anything at its beginning.

    On a GPU an item is a block of `teams` times `threads` threads, which run the
    region together, and a grid has up to three counts. The ops of a region are
    those of a team: their threads, warps and rows are its own, and tiles that
    differ from team to team are each team's; only barriers are all threads'. A
    `memref.alloca` in shared memory is the block's. A multiprocessor has registers
    for `resident` blocks at least, even if threads spill some for that.

    - (C1) there are 1 to 3 counts.
    - (C2) the region's arguments are an index for each count, and with
      `scratch` a `memref<?xi8>`.
    - (C3) only one thread of an item has `scratch`.
    - (C4) a team of several has whole warps.

    ```mlir
    func.func @f(%x: memref<?xf32>, %n: index, %bytes: index, %isLarge: i1) {
      tile.grid %n shared_if %isLarge scratch %bytes {
      ^bb0(%item: index, %scratch: memref<?xi8>):
        %zero = arith.constant 0.0 : f32
        memref.store %zero, %x[%item] : memref<?xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$counts, Optional<I1>:$is_large,
      Optional<Index>:$scratch_bytes,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$threads,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$teams,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$resident);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $counts (`shared_if` $is_large^)? (`scratch` $scratch_bytes^)?
    (`threads` $threads^)? (`teams` $teams^)? (`resident` $resident^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// A grid of items by one thread each, with an empty region.
    OpBuilder<(ins "::mlir::Value":$count, "::mlir::Value":$isLarge,
                   "::mlir::Value":$scratchBytes)>,
    /// A grid of items by `teams` teams of `threads` threads each, with an
    /// empty region.
    OpBuilder<(ins "::mlir::ValueRange":$counts, "int64_t":$threads,
                   CArg<"int64_t", "1">:$teams)>
  ];
  let extraClassDeclaration = [{
    /// The numbers of the item that the region is about.
    ::mlir::Block::BlockArgListType getItem() {
      return getBody().front().getArguments().take_front(getCounts().size());
    }
    /// The item's scratch memory, or null.
    ::mlir::Value getScratch() {
      return getScratchBytes() ? getBody().front().getArguments().back()
                               : ::mlir::Value();
    }
  }];
}

#endif // MIXATTN_DIALECT_TILE_GRID_OPS_TD
