// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect: what it is for, and what its ops begin with.

#ifndef MIXATTN_DIALECT_TILE_DIALECT_TD
#define MIXATTN_DIALECT_TILE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::mixattn::tile";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let summary = "Tiles of scores and values, as targets move and multiply them";
  let description = [{
    Schedules write attention in loops over tiles; each op here is one step
    that a target has its own code for. What an attention does to a score is
    not here: it is arith and math on numbers between the steps.

    A kernel is a sequence of stages, each a `tile.grid`: a loop that threads
    share on x86, a launch on a GPU. An op that one target has is named for it.

    Ops of x86 have `x86` in their names. There a tile lies in memory, one row
    of lanes after the other, and lanes are queries: `memref<RxWxf32>` holds R
    rows (keys, or features) of W queries. Tiles are never values of vector
    type: only rows are.

    Ops of GPUs stand in a kernel (a `gpu.func`) whose block is one row of
    warps, and are run by all threads of a warp together. Tiles of keys and
    values lie in shared memory; what a warp computes it holds in registers, 16
    rows of it: the warp of number w those from `row + 16 w` on, where an op
    names a `row`. A family of GPUs has ops of its own, for its copies and its
    products, with its name in theirs: `mma` (cp.async and mma.sync, from sm_80
    on), `wgmma` (tensor maps, mbarriers and wgmma, sm_90a).

    - A *fragment*, `vector<4Cxf32>`, is what a thread holds of 16 rows of 8 C
      columns: with g = lane / 4 and t = lane % 4, element 4 c + 2 h + e is
      that of row g + 8 h and column 8 c + 2 t + e.
    - An *operand*, a vector of f16 or bf16, holds the left side of a product in
      the same order.
    - *Rows*, `vector<2xf32>`, hold a number per row, those of rows g and g + 8.
  }];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerWgmma();
  }];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif // MIXATTN_DIALECT_TILE_DIALECT_TD
